//! What a fetch is doing, for people who wait for it.

use std::{fmt, time::Duration};

use parking_lot::Mutex;

/// A fetch under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// For how long.
    pub elapsed: Duration,
    /// What has arrived.
    pub bytes: u64,
    /// The part it is at.
    pub phase: Phase,
    /// How far that part is, when the server says.
    pub percent: Option<u8>,
    /// How many objects that part has, when the server says.
    pub objects: Option<u64>,
}

/// The parts of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The server gathers what is missing here.
    Preparing,
    /// Data arrives.
    Receiving,
    /// The data is made usable.
    Resolving,
}

/// `fetching for 3m, 40 MB received, 45 % of 12345 objects`
impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed.as_secs();
        if seconds < 60 {
            write!(f, "fetching for {seconds}s")?;
        } else {
            write!(f, "fetching for {}m", seconds / 60)?;
        }
        match self.phase {
            Phase::Preparing => f.write_str(", the server prepares its answer")?,
            Phase::Receiving => write!(f, ", {} MB received", self.bytes / 1_000_000)?,
            Phase::Resolving => write!(f, ", {} MB received, unpacking", self.bytes / 1_000_000)?,
        }
        if let Some(percent) = self.percent {
            write!(f, ", {percent} %")?;
            if let Some(objects) = self.objects {
                write!(f, " of {objects} objects")?;
            }
        }
        Ok(())
    }
}

/// Written by the fetch, read by everybody.
#[derive(Default)]
pub(super) struct Progress {
    current: Mutex<Option<(Duration, Activity)>>,
}

impl Progress {
    pub(super) fn begin(&self, monotonic: Duration) {
        let activity = Activity {
            elapsed: Duration::ZERO,
            bytes: 0,
            phase: Phase::Preparing,
            percent: None,
            objects: None,
        };
        *self.current.lock() = Some((monotonic, activity));
    }

    pub(super) fn end(&self) {
        *self.current.lock() = None;
    }

    /// Takes in one line of git's progress meter.
    pub(super) fn line(&self, line: &str) {
        let Some((phase, percent, objects)) = parse(line) else { return };
        if let Some((_, activity)) = &mut *self.current.lock() {
            activity.phase = phase;
            activity.percent = percent;
            activity.objects = objects;
        }
    }

    pub(super) fn bytes(&self, bytes: u64) {
        if let Some((_, activity)) = &mut *self.current.lock() {
            activity.bytes = bytes;
        }
    }

    pub(super) fn activity(&self, monotonic: Duration) -> Option<Activity> {
        let (started, activity) = (*self.current.lock())?;
        Some(Activity { elapsed: monotonic.saturating_sub(started), ..activity })
    }
}

/// `Receiving objects:  45% (123/456), 1.20 MiB | 3.4 MiB/s`
fn parse(line: &str) -> Option<(Phase, Option<u8>, Option<u64>)> {
    let line = line.trim();
    let (phase, rest) = match line.strip_prefix("remote: ") {
        Some(rest) => (Phase::Preparing, rest),
        None if line.starts_with("Receiving objects:") => (Phase::Receiving, line),
        None if line.starts_with("Resolving deltas:") => (Phase::Resolving, line),
        None => return None,
    };
    let (_, numbers) = rest.split_once(": ")?;
    let (percent, numbers) = numbers.trim().split_once('%')?;
    let percent = percent.trim().parse().ok().filter(|percent| *percent <= 100);
    let total = numbers.split_once('/').and_then(|(_, total)| total.split_once(')'));
    Some((phase, percent, total.and_then(|(total, _)| total.parse().ok())))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_meter_of_git_is_read() {
        let progress = Progress::default();
        assert_eq!(progress.activity(Duration::ZERO), None);
        progress.begin(Duration::from_secs(10));
        progress.line("remote: Counting objects:  45% (9/20)");
        let shown = |now| progress.activity(Duration::from_secs(now)).unwrap().to_string();
        assert_eq!(
            shown(15),
            "fetching for 5s, the server prepares its answer, 45 % of 20 objects"
        );
        progress.line("Receiving objects:  45% (5555/12345), 38.15 MiB | 3.40 MiB/s");
        progress.bytes(40_000_000);
        assert_eq!(shown(190), "fetching for 3m, 40 MB received, 45 % of 12345 objects");
        progress.line("From https://example.com/a");
        progress.line("Resolving deltas: 100% (1/1), done.");
        assert_eq!(shown(191), "fetching for 3m, 40 MB received, unpacking, 100 % of 1 objects");
        progress.end();
        assert_eq!(progress.activity(Duration::ZERO), None);
    }

    proptest! {
        #[test]
        fn any_line_is_read_without_panic(line in ".*") {
            let _ = parse(&line);
        }
    }
}
