//! A cursor over ASCII grammars, shared by the version and the constraint parser.

/// Reads text from left to right; never stops inside a character, because only ASCII is consumed.
#[derive(Clone, Copy)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    /// A scanner of the same text that continues at `position`.
    pub(crate) fn at(text: &'a str, position: usize) -> Self {
        Self { text, position }
    }

    pub(crate) fn position(&self) -> usize {
        self.position
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.position >= self.text.len()
    }

    /// The text from `start` up to here.
    pub(crate) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.position).unwrap_or_default()
    }

    /// Consumes `prefix` if the text continues with it.
    pub(crate) fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.position += prefix.len();
        }
        found
    }

    /// Consumes the longest run of ASCII bytes that `accepts` agrees to.
    pub(crate) fn take_while(&mut self, accepts: impl Fn(u8) -> bool) -> &'a str {
        let start = self.position;
        let length = self.rest().bytes().take_while(|byte| byte.is_ascii() && accepts(*byte));
        self.position += length.count();
        self.since(start)
    }

    pub(crate) fn skip_whitespace(&mut self) -> usize {
        self.take_while(is_whitespace).len()
    }

    /// Consumes `marker` and the dot-separated identifiers after it; without identifiers nothing is
    /// consumed. Returns the identifiers.
    pub(crate) fn take_identifiers(&mut self, marker: &str) -> Option<&'a str> {
        let mut ahead = *self;
        if !ahead.eat(marker) {
            return None;
        }
        let start = ahead.position;
        if ahead.take_while(is_identifier_byte).is_empty() {
            return None;
        }
        *self = ahead;
        while ahead.eat(".") && !ahead.take_while(is_identifier_byte).is_empty() {
            *self = ahead;
        }
        Some(self.since(start))
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or_default()
    }
}

pub(crate) fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// The white space of upstream's regular expressions: no vertical tab, nothing beyond ASCII.
fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}
