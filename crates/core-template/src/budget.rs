//! How much work the functions of one template may do.
//!
//! Values share their parts, so that a few lines can name a value that is far larger than memory. A
//! function is therefore charged for all it gets and all it makes, before anybody walks through it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gotmpl::Value;

/// Bytes and values, together, that all calls may take and make.
const TOTAL: usize = 8 * 1024 * 1024;
/// Bytes and values in the largest single value.
const LARGEST: usize = 512 * 1024;

/// What is left of the work.
#[derive(Clone, Debug)]
pub(crate) struct Budget(Arc<AtomicUsize>);

impl Default for Budget {
    fn default() -> Self {
        Self(Arc::new(AtomicUsize::new(TOTAL)))
    }
}

impl Budget {
    /// Takes the cost of values, and as much again for each of `extra`.
    pub(crate) fn charge(&self, values: &[Value], extra: usize) -> Result<(), String> {
        let mut left = LARGEST;
        for value in values {
            left = rest(value, left).ok_or("a value is too large")?;
        }
        let cost = (LARGEST - left).saturating_add(extra).saturating_add(1);
        let take = |total: usize| total.checked_sub(cost);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .map(drop)
            .map_err(|_| "the template does too much".to_owned())
    }
}

/// What is left of an allowance after this value; `None` when it is too large.
fn rest(value: &Value, left: usize) -> Option<usize> {
    let mut left = left.checked_sub(1)?;
    match value {
        Value::String(text) => left.checked_sub(text.len()),
        Value::List(items) => {
            for item in items.iter() {
                left = rest(item, left)?;
            }
            Some(left)
        }
        Value::Map(entries) => {
            for (key, value) in entries.iter() {
                left = rest(value, left.checked_sub(key.len())?)?;
            }
            Some(left)
        }
        _ => Some(left),
    }
}
