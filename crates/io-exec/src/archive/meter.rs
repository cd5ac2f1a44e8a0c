//! Ends a stream that has become longer than it may.

use std::{
    cell::Cell,
    io::{self, Read},
    rc::Rc,
};

/// How much all of a stream may become.
const MAX_STREAM_BYTES: u64 = 1 << 30;

/// How far a stream was read, and how far it may be read for now. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Allowance {
    position: Rc<Cell<u64>>,
    end: Rc<Cell<u64>>,
}

impl Allowance {
    /// Lets so many more bytes be read from here on.
    pub(super) fn grant(&self, bytes: u64) {
        self.end.set(self.position.get().saturating_add(bytes).min(MAX_STREAM_BYTES));
    }
}

/// A stream that ends in an error where its allowance does.
pub(super) struct Metered<R> {
    inner: R,
    allowance: Allowance,
}

impl<R> Metered<R> {
    pub(super) fn new(inner: R, allowance: Allowance) -> Self {
        Self { inner, allowance }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Allowance { position, end } = &self.allowance;
        let left = end.get().saturating_sub(position.get());
        if left == 0 && !buffer.is_empty() {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it unfolds to too much"));
        }
        let read = self.inner.by_ref().take(left).read(buffer)?;
        position.set(position.get() + read as u64);
        Ok(read)
    }
}
