//! What one patch may cost. A short patch can ask for much: copies double an object, moves nest it, and inserting at
//! the front of a long list shifts all of it.

use std::io;

use serde_json::Value;

use super::Failure;
use crate::json::MAX_DEPTH;

/// All copies of one patch together may have this many bytes.
const MAX_COPIED: usize = 3 * 1024 * 1024;
/// Values visited and list items shifted by one patch.
const MAX_EFFORT: usize = 100_000_000;

#[derive(Debug, Default)]
pub(super) struct Budget {
    copied: usize,
    effort: usize,
}

impl Budget {
    /// Charges for a copy of `value`.
    pub(super) fn copy(&mut self, value: &Value) -> Result<(), Failure> {
        let mut counter = Counter(0);
        serde_json::to_writer(&mut counter, value).map_err(|_| Failure::Budget("copies"))?;
        self.copied += counter.0;
        if self.copied > MAX_COPIED { Err(Failure::Budget("copies")) } else { Ok(()) }
    }

    /// Checks that `value` may stand `levels` below the root.
    pub(super) fn nest(&mut self, levels: usize, value: &Value) -> Result<(), Failure> {
        self.shift(1)?;
        if levels > MAX_DEPTH {
            return Err(Failure::TooDeep);
        }
        match value {
            Value::Object(members) => {
                members.values().try_for_each(|inner| self.nest(levels + 1, inner))
            }
            Value::Array(items) => items.iter().try_for_each(|inner| self.nest(levels + 1, inner)),
            _ => Ok(()),
        }
    }

    /// Charges for moving `items` neighbours of a list.
    pub(super) fn shift(&mut self, items: usize) -> Result<(), Failure> {
        self.effort += items;
        if self.effort > MAX_EFFORT { Err(Failure::Budget("work")) } else { Ok(()) }
    }
}

/// Counts bytes instead of keeping them.
struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
