//! Stopping a Promotion, also within a step.

use tokio::sync::watch;

/// What a Promotion is to do instead of going on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// End for good, with this explanation.
    Abort(String),
    /// Leave everything as it is: somebody goes on later.
    Suspend,
}

/// Stops a Promotion.
#[derive(Clone, Debug)]
pub struct StopHandle(watch::Sender<Option<Stop>>);

/// Learns that a Promotion is to stop. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StopSignal(watch::Receiver<Option<Stop>>);

/// A handle and its signal.
pub fn stopping() -> (StopHandle, StopSignal) {
    let (send, receive) = watch::channel(None);
    (StopHandle(send), StopSignal(receive))
}

impl StopHandle {
    /// Stops the Promotion. An abort is not taken back by a later suspension.
    pub fn stop(&self, stop: Stop) {
        self.0.send_if_modified(|current| {
            let is_stronger = !matches!(current, Some(Stop::Abort(_)));
            if is_stronger {
                *current = Some(stop);
            }
            is_stronger
        });
    }
}

impl StopSignal {
    /// A signal that never comes.
    pub fn never() -> Self {
        stopping().1
    }

    /// What was asked for so far.
    pub fn asked(&self) -> Option<Stop> {
        self.0.borrow().clone()
    }

    /// Completes when the Promotion is to stop.
    pub async fn wait(&mut self) -> Stop {
        let asked = self.0.wait_for(Option::is_some).await.ok().and_then(|stop| stop.clone());
        match asked {
            Some(stop) => stop,
            // Nobody is left to stop it.
            None => std::future::pending().await,
        }
    }
}
