//! One line on the terminal about searches that take a while; it goes away with them.

use std::{convert::Infallible, io::Write, time::Duration};

use core_clock::Clock;
use local_run::Searches;

/// Whoever waits for less wants no words.
const QUIET: Duration = Duration::from_secs(2);
const EVERY: Duration = Duration::from_secs(1);
/// A longer line would be broken, and could not be taken back.
const WIDTH: usize = 79;
const ERASE: &str = "\r\x1b[K";

/// Tells what is searched until it is dropped.
pub(super) async fn show(
    searches: &Searches,
    clock: &dyn Clock,
    terminal: impl Write,
) -> Infallible {
    let begin = clock.monotonic();
    clock.sleep(QUIET).await;
    let mut line = Line { terminal };
    loop {
        if let Some(activity) = searches.describe() {
            let seconds = clock.monotonic().saturating_sub(begin).as_secs();
            line.write(&format!("{seconds}s: {activity}"));
        }
        clock.sleep(EVERY).await;
    }
}

struct Line<W: Write> {
    terminal: W,
}

impl<W: Write> Line<W> {
    fn write(&mut self, text: &str) {
        let text: String = text.chars().filter(|c| !c.is_control()).take(WIDTH).collect();
        // A terminal that went away is no reason to stop searching.
        let _ = write!(self.terminal, "{ERASE}{text}");
        let _ = self.terminal.flush();
    }
}

impl<W: Write> Drop for Line<W> {
    fn drop(&mut self) {
        self.write("");
    }
}

#[cfg(test)]
mod tests {
    use core_clock::{ManualClock, Time};
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn a_slow_search_is_told_in_one_line_that_goes_away() {
        let (clock, searches) = (ManualClock::new(Time::default()), Searches::default());
        let _search = searches.begin(format!("https://example.com/{}", "a".repeat(100)));
        let mut terminal = Vec::new();
        let mut shown = Box::pin(show(&searches, &clock, &mut terminal));
        for _ in 0..3 {
            assert!(shown.as_mut().now_or_never().is_none());
            clock.advance(Duration::from_secs(1));
        }
        drop(shown);
        let told = String::from_utf8(terminal).unwrap();
        let lines: Vec<&str> = told.split(ERASE).collect();
        let [before, line, after] = lines[..] else { panic!("{lines:?}") };
        assert!(line.starts_with("2s: searching https://example.com/aaa"), "{line}");
        assert_eq!((before, line.len(), after), ("", WIDTH, ""));
    }

    #[test]
    fn a_quick_search_is_not_told() {
        let (clock, searches) = (ManualClock::new(Time::default()), Searches::default());
        let _search = searches.begin("https://example.com/a".to_owned());
        let mut terminal = Vec::new();
        let mut shown = Box::pin(show(&searches, &clock, &mut terminal));
        assert!(shown.as_mut().now_or_never().is_none());
        clock.advance(Duration::from_millis(1900));
        assert!(shown.as_mut().now_or_never().is_none());
        drop(shown);
        assert!(terminal.is_empty());
    }
}
