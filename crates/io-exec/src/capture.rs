//! What is kept of a child's output: bounded bytes of stdout, the last lines of stderr.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::{activity::Activity, redact::Redactor};

/// How many lines of stderr an error shows, and how long each may be.
const TAIL_LINES: usize = 8;
const LINE_BYTES: usize = 512;
const CHUNK: usize = 16 * 1024;

/// Called with each line of stderr as it arrives; `\r` ends a line too, as progress meters use it.
pub(crate) type LineSink = Box<dyn FnMut(&str) + Send>;

/// The last lines a child printed to stderr.
#[derive(Default)]
pub(crate) struct Tail {
    lines: VecDeque<String>,
}

impl Tail {
    pub(crate) fn push(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        if self.lines.len() == TAIL_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(line.trim().to_owned());
    }

    /// One line of text for an error message.
    pub(crate) fn text(&self) -> String {
        self.lines.iter().map(String::as_str).collect::<Vec<_>>().join("; ")
    }
}

/// Splits bytes into lines of bounded length, without control characters.
#[derive(Default)]
pub(crate) struct LineSplitter {
    partial: Vec<u8>,
    // Whether a carriage return waits to be told apart: a meter's, or half of a line end.
    returned: bool,
}

impl LineSplitter {
    pub(crate) fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(&str, Ended)) {
        for &byte in bytes {
            let returned = std::mem::replace(&mut self.returned, byte == b'\r');
            if returned && byte != b'\n' {
                self.end(Ended::Meter, &mut each);
            }
            match byte {
                b'\n' => self.end(Ended::Line, &mut each),
                b'\r' => {}
                _ if self.partial.len() < LINE_BYTES => self.partial.push(byte),
                _ => {}
            }
        }
    }

    pub(crate) fn finish(&mut self, mut each: impl FnMut(&str, Ended)) {
        self.end(Ended::Line, &mut each);
    }

    fn end(&mut self, ended: Ended, each: &mut impl FnMut(&str, Ended)) {
        if !self.partial.is_empty() {
            let text = String::from_utf8_lossy(&self.partial);
            let text: String = text.chars().filter(|c| !c.is_control() || *c == '\t').collect();
            each(&text, ended);
            self.partial.clear();
        }
    }
}

/// How a line ended: progress meters return to its start and are no news for an error message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Line,
    Meter,
}

/// Reads stderr to its end: every line to `sink`, the last ones into the tail.
pub(crate) async fn drain_stderr(
    mut from: impl AsyncRead + Unpin,
    redactor: &Redactor,
    mut sink: Option<LineSink>,
    activity: &Activity,
    tail: &parking_lot::Mutex<Tail>,
) {
    let mut splitter = LineSplitter::default();
    let mut chunk = vec![0; CHUNK];
    let mut take = |line: &str, ended: Ended| {
        let line = redactor.clean(line);
        if ended == Ended::Line {
            tail.lock().push(&line);
        }
        if let Some(sink) = &mut sink {
            sink(&line);
        }
    };
    while let Ok(count @ 1..) = from.read(&mut chunk).await {
        activity.touch();
        splitter.feed(chunk.get(..count).unwrap_or_default(), &mut take);
    }
    splitter.finish(&mut take);
}

/// Whether all of stdout fitted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    All,
    Overflow,
}

/// Reads stdout to its end, keeping at most `limit` bytes.
pub(crate) async fn drain_stdout(
    mut from: impl AsyncRead + Unpin,
    limit: usize,
    activity: &Activity,
    kept: &parking_lot::Mutex<Vec<u8>>,
) -> Fit {
    let mut chunk = vec![0; CHUNK];
    while let Ok(count @ 1..) = from.read(&mut chunk).await {
        activity.touch();
        let mut kept = kept.lock();
        if kept.len().saturating_add(count) > limit {
            return Fit::Overflow;
        }
        kept.extend_from_slice(chunk.get(..count).unwrap_or_default());
    }
    Fit::All
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(parts: &[&[u8]]) -> Vec<String> {
        let mut splitter = LineSplitter::default();
        let mut seen = Vec::new();
        for part in parts {
            splitter.feed(part, |line, _| seen.push(line.to_owned()));
        }
        splitter.finish(|line, _| seen.push(line.to_owned()));
        seen
    }

    #[test]
    fn lines_end_at_newlines_and_carriage_returns_across_chunks() {
        assert_eq!(lines(&[b"10%\r20", b"%\rdone\n\nfat", b"al"]), ["10%", "20%", "done", "fatal"]);
    }

    #[test]
    fn meters_are_told_from_lines_that_end_in_a_carriage_return() {
        let mut splitter = LineSplitter::default();
        let mut meters = Vec::new();
        splitter.feed(b"10%\rfatal: no\r", |line, ended| {
            meters.push((line.to_owned(), ended == Ended::Meter));
        });
        splitter.feed(b"\n20%\r", |line, ended| {
            meters.push((line.to_owned(), ended == Ended::Meter));
        });
        assert_eq!(meters, [("10%".to_owned(), true), ("fatal: no".to_owned(), false)]);
    }

    #[test]
    fn endless_lines_and_control_characters_are_cut() {
        let seen = lines(&[&vec![b'x'; 10_000], b"\n\x1b[31mred\x07\n"]);
        assert_eq!(seen[0].len(), LINE_BYTES);
        assert_eq!(seen[1], "[31mred");
    }

    #[test]
    fn the_tail_keeps_the_last_lines_only() {
        let mut tail = Tail::default();
        for number in 0..20 {
            tail.push(&format!("line {number}"));
        }
        assert!(tail.text().starts_with("line 12; ") && tail.text().ends_with("line 19"));
    }
}
