//! Output that ends at a limit.

use std::fmt;

/// Takes text up to a limit.
pub(crate) struct Output {
    text: String,
    limit: usize,
    is_full: bool,
}

impl Output {
    pub(crate) fn new(limit: usize) -> Self {
        Self { text: String::new(), limit, is_full: false }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

impl fmt::Write for Output {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.text.len() + text.len() > self.limit {
            self.is_full = true;
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}
