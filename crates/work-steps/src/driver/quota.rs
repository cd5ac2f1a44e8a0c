//! How much a Promotion may keep on disk.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use core_clock::Clock;

/// How often a step under way is looked at.
const INTERVAL: Duration = Duration::from_secs(2);
/// Steps that took less than this together cannot have written much, and are not looked at.
const NOTICED_AFTER: Duration = Duration::from_millis(100);
/// After so many entries others get their turn.
const ENTRIES_AT_ONCE: usize = 256;

/// Watches the size of a directory.
pub(super) struct Quota<'a> {
    directory: &'a Path,
    limit: Option<u64>,
    clock: &'a dyn Clock,
}

/// More is on disk than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exceeded {
    limit: u64,
}

impl Exceeded {
    pub(super) fn message(self) -> String {
        let limit = self.limit;
        format!("the files of the promotion take more than the {limit} bytes that are allowed")
    }
}

impl<'a> Quota<'a> {
    pub(super) fn new(directory: &'a Path, limit: Option<u64>, clock: &'a dyn Clock) -> Self {
        Self { directory, limit, clock }
    }

    /// Completes when the directory has grown too large.
    pub(super) async fn watch(&self) -> Exceeded {
        if self.limit.is_none() {
            return std::future::pending().await;
        }
        loop {
            self.clock.sleep(INTERVAL).await;
            if let Some(exceeded) = self.check().await {
                return exceeded;
            }
        }
    }

    /// Looks after a step that took `elapsed`; `unseen` gathers the time of those not looked after.
    pub(super) async fn check_after(
        &self,
        elapsed: Duration,
        unseen: &mut Duration,
    ) -> Option<Exceeded> {
        *unseen += elapsed;
        if *unseen < NOTICED_AFTER {
            return None;
        }
        *unseen = Duration::ZERO;
        self.check().await
    }

    async fn check(&self) -> Option<Exceeded> {
        let limit = self.limit?;
        let usage = usage(self.directory, limit).await;
        (usage > limit).then_some(Exceeded { limit })
    }
}

/// Bytes below a directory, counted until they are more than the limit. What cannot be read counts nothing:
/// it may just be going away.
async fn usage(directory: &Path, limit: u64) -> u64 {
    let mut total = 0;
    let mut entries_seen = 0;
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for (path, metadata) in entries(&directory) {
            total += metadata.len();
            if metadata.is_dir() {
                directories.push(path);
            }
            entries_seen += 1;
            if entries_seen % ENTRIES_AT_ONCE == 0 {
                give_way().await;
            }
        }
        if total > limit {
            break;
        }
    }
    total
}

fn entries(directory: &Path) -> Vec<(PathBuf, std::fs::Metadata)> {
    let read = |entry: io::Result<std::fs::DirEntry>| {
        let entry = entry.ok()?;
        Some((entry.path(), entry.metadata().ok()?))
    };
    std::fs::read_dir(directory).into_iter().flatten().filter_map(read).collect()
}

/// Lets other work of the same thread run.
async fn give_way() {
    let mut given = false;
    std::future::poll_fn(move |cx| {
        if given {
            return std::task::Poll::Ready(());
        }
        given = true;
        cx.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use core_clock::{ManualClock, Time};
    use futures::FutureExt;

    use super::*;

    #[test]
    fn files_at_any_depth_count_and_short_steps_are_gathered() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(directory.path().join("a/b")).unwrap();
        std::fs::write(directory.path().join("a/b/c"), vec![0; 100_000]).unwrap();
        let clock = ManualClock::new(Time::default());
        let quota = |limit| Quota::new(directory.path(), limit, &clock);
        let check = |limit, unseen: &mut Duration| {
            let tenth = Duration::from_millis(60);
            quota(limit).check_after(tenth, unseen).now_or_never().expect("few entries")
        };
        let mut unseen = Duration::ZERO;
        assert_eq!(check(Some(50_000), &mut unseen), None);
        assert_eq!(check(Some(50_000), &mut unseen), Some(Exceeded { limit: 50_000 }));
        assert_eq!(unseen, Duration::ZERO);
        unseen = Duration::from_secs(1);
        assert_eq!(check(Some(1_000_000), &mut unseen), None);
        unseen = Duration::from_secs(1);
        assert_eq!(check(None, &mut unseen), None);
    }
}
