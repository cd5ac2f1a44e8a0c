//! Frames as a client reads them, from chunks that end anywhere.

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its name, where it has one.
    pub event: Option<String>,
    /// Where to go on after a break.
    pub id: Option<String>,
    /// The lines of its data, joined by line breaks.
    pub data: String,
}

/// An event is larger than the reader takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The most bytes of one event.
    pub limit: usize,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "an event of the stream is larger than {} bytes", self.limit)
    }
}

impl std::error::Error for TooLarge {}

/// Puts frames together. What a stream ends in the middle of is no frame.
#[derive(Clone, Debug)]
pub struct Parser {
    limit: usize,
    /// The line that is not complete yet.
    line: Vec<u8>,
    /// Whether the last line ended with a carriage return, whose line feed may still come.
    after_return: bool,
    frame: Frame,
    /// Data lines so far: a frame of one empty line is one, a frame of none is not.
    lines: usize,
    /// Bytes of the frame so far.
    size: usize,
}

impl Parser {
    /// A parser of events of at most `max_event_bytes`.
    pub fn new(max_event_bytes: usize) -> Self {
        Self {
            limit: max_event_bytes,
            line: Vec::new(),
            after_return: false,
            frame: Frame::default(),
            lines: 0,
            size: 0,
        }
    }

    /// The frames that `chunk` completes.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<Frame>, TooLarge> {
        let mut frames = Vec::new();
        let mut rest = chunk;
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (text, tail) = rest.split_at(end);
            let Some((terminator, tail)) = tail.split_first() else { break };
            rest = tail;
            let is_second_half = self.after_return && text.is_empty() && *terminator == b'\n';
            self.after_return = *terminator == b'\r';
            if !is_second_half {
                self.keep(text)?;
                frames.extend(self.end_line());
            }
        }
        if !rest.is_empty() {
            self.after_return = false;
            self.keep(rest)?;
        }
        Ok(frames)
    }

    fn keep(&mut self, text: &[u8]) -> Result<(), TooLarge> {
        self.size = self.size.saturating_add(text.len());
        if self.size > self.limit {
            return Err(TooLarge { limit: self.limit });
        }
        self.line.extend_from_slice(text);
        Ok(())
    }

    /// Takes the line that is complete now; a frame when it is the blank one behind it.
    fn end_line(&mut self) -> Option<Frame> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.end_frame();
        }
        let line = String::from_utf8_lossy(&line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            // A comment must not use up the room of the frame around it.
            "" => self.size = self.size.saturating_sub(line.len()),
            "event" => self.frame.event = Some(value.to_owned()),
            "id" => self.frame.id = Some(value.to_owned()),
            "data" => {
                if self.lines > 0 {
                    self.frame.data.push('\n');
                }
                self.frame.data.push_str(value);
                self.lines += 1;
            }
            _ => {}
        }
        None
    }

    fn end_frame(&mut self) -> Option<Frame> {
        self.size = 0;
        let lines = std::mem::take(&mut self.lines);
        let frame = std::mem::take(&mut self.frame);
        (lines > 0 || frame.event.is_some()).then_some(frame)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Frame, Parser, TooLarge};

    fn parse(text: &str) -> Vec<Frame> {
        Parser::new(1_000).push(text.as_bytes()).unwrap()
    }

    fn data(text: &str) -> Frame {
        Frame { data: text.to_owned(), ..Frame::default() }
    }

    #[test]
    fn comments_and_unknown_fields_are_passed_over() {
        assert_eq!(parse(": keepalive\n\nretry: 5\n\ndata: x\n\n"), [data("x")]);
    }

    #[test]
    fn lines_of_data_are_joined_and_the_blank_after_the_colon_is_not_part_of_them() {
        assert_eq!(parse("data: a\ndata:b\ndata:\ndata:  c\n\n"), [data("a\nb\n\n c")]);
        assert_eq!(parse("data:\n\n"), [data("")]);
    }

    #[test]
    fn names_and_ids_are_kept() {
        let frames = parse("id: 7\nevent: error\ndata: {}\n\nevent: close\n\n");
        let error = Frame { event: Some("error".into()), id: Some("7".into()), data: "{}".into() };
        let close = Frame { event: Some("close".into()), ..Frame::default() };
        assert_eq!(frames, [error, close]);
    }

    #[test]
    fn every_line_end_counts_once() {
        for end in ["\n", "\r", "\r\n"] {
            let text = format!("data: a{end}{end}data: b{end}{end}");
            assert_eq!(parse(&text), [data("a"), data("b")], "{end:?}");
        }
    }

    #[test]
    fn an_unfinished_frame_is_none() {
        assert!(parse("data: a\n").is_empty());
        assert!(parse("data: a").is_empty());
    }

    #[test]
    fn an_event_that_is_too_large_is_refused_and_comments_do_not_count() {
        let mut parser = Parser::new(10);
        assert_eq!(parser.push(b"data: 0123456789"), Err(TooLarge { limit: 10 }));
        let mut parser = Parser::new(12);
        let comments = ": keepalive\n".repeat(50);
        assert!(parser.push(comments.as_bytes()).unwrap().is_empty());
        assert_eq!(parser.push(b"data: abc\n\n").unwrap(), [data("abc")]);
    }

    proptest! {
        #[test]
        fn where_chunks_end_does_not_matter(text in "(data: [a-c:]{0,4}|:c|id: 1|\r|\n|\r\n|é){0,30}", cuts in prop::collection::vec(0usize..200, 0..6)) {
            let bytes = text.as_bytes();
            let whole = Parser::new(10_000).push(bytes).unwrap();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            let (mut parser, mut frames, mut from) = (Parser::new(10_000), Vec::new(), 0);
            for cut in cuts.into_iter().chain([bytes.len()]) {
                frames.extend(parser.push(&bytes[from..cut]).unwrap());
                from = cut;
            }
            prop_assert_eq!(frames, whole);
        }
    }
}
