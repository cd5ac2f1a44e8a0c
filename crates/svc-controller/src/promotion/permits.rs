//! How many Promotions run their steps at once, and who is next: Projects take turns.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Bound,
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// A number of permits, which Projects get in turns. Clones share them.
#[derive(Clone)]
pub(super) struct Permits {
    state: Arc<Mutex<State>>,
}

struct State {
    free: usize,
    waiting: BTreeMap<String, VecDeque<oneshot::Sender<Permit>>>,
    /// The Project that got the last permit somebody waited for.
    last: String,
}

/// Leave to run; given back when dropped.
pub(super) struct Permit {
    state: Option<Arc<Mutex<State>>>,
}

impl Permits {
    pub(super) fn new(count: usize) -> Self {
        let state = State { free: count, waiting: BTreeMap::new(), last: String::new() };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// Waits for a permit. Cancel safety: who is dropped waits no longer.
    pub(super) async fn acquire(&self, project: &str) -> Permit {
        let granted = {
            let mut state = self.state.lock();
            if state.free > 0 {
                state.free -= 1;
                return Permit::new(&self.state);
            }
            let (grant, granted) = oneshot::channel();
            state.waiting.entry(project.to_owned()).or_default().push_back(grant);
            granted
        };
        match granted.await {
            Ok(permit) => permit,
            // Cannot happen while `self` lives; waiting is the safe answer.
            Err(_) => std::future::pending().await,
        }
    }
}

impl State {
    /// Whose turn it is: the Project after the one that had it last.
    fn next(&mut self) -> Option<oneshot::Sender<Permit>> {
        let after = (Bound::Excluded(self.last.clone()), Bound::Unbounded);
        let project = self.waiting.range(after).next().or_else(|| self.waiting.iter().next());
        let project = project.map(|(project, _)| project.clone())?;
        let queue = self.waiting.get_mut(&project)?;
        let next = queue.pop_front();
        if queue.is_empty() {
            self.waiting.remove(&project);
        }
        self.last = project;
        next
    }
}

impl Permit {
    fn new(state: &Arc<Mutex<State>>) -> Self {
        Self { state: Some(state.clone()) }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(shared) = self.state.take() else { return };
        loop {
            let next = {
                let mut state = shared.lock();
                let next = state.next();
                if next.is_none() {
                    state.free += 1;
                }
                next
            };
            let Some(next) = next else { return };
            match next.send(Self::new(&shared)) {
                Ok(()) => return,
                // Nobody waits there any more: the permit goes to the next, and this one to nobody.
                Err(mut refused) => refused.state = None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, future::BoxFuture};

    use super::*;

    fn ask(permits: &Permits, project: &'static str) -> BoxFuture<'static, Permit> {
        let permits = permits.clone();
        let mut asked = async move { permits.acquire(project).await }.boxed();
        assert!((&mut asked).now_or_never().is_none(), "{project} waits");
        asked
    }

    #[test]
    fn projects_take_turns_however_many_each_has_waiting() {
        let permits = Permits::new(1);
        let mut held = permits.acquire("busy").now_or_never().unwrap();
        let mut waiting: Vec<_> = ["busy", "busy", "busy", "calm", "alone"]
            .map(|project| (project, ask(&permits, project)))
            .into_iter()
            .collect();
        let mut order = Vec::new();
        while !waiting.is_empty() {
            drop(held);
            let (at, permit) = waiting
                .iter_mut()
                .enumerate()
                .find_map(|(at, (_, asked))| Some((at, asked.now_or_never()?)))
                .expect("somebody gets it");
            order.push(waiting.remove(at).0);
            held = permit;
        }
        assert_eq!(order, ["alone", "busy", "calm", "busy", "busy"]);
    }

    #[test]
    fn who_gave_up_waiting_takes_nobodys_place() {
        let permits = Permits::new(1);
        let held = permits.acquire("a").now_or_never().unwrap();
        let given_up = ask(&permits, "a");
        let mut waits = ask(&permits, "b");
        drop(given_up);
        drop(held);
        let permit = (&mut waits).now_or_never().expect("it is free for b");
        drop(permit);
        assert!(permits.acquire("c").now_or_never().is_some());
    }

    #[test]
    fn a_permit_that_nobody_took_goes_back() {
        let permits = Permits::new(1);
        let held = permits.acquire("a").now_or_never().unwrap();
        let granted = ask(&permits, "a");
        drop(held);
        drop(granted);
        assert!(permits.acquire("b").now_or_never().is_some());
    }
}
