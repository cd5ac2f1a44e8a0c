//! How much one evaluation may take. Everything in an expression is written by users.

use crate::error::Trouble;

/// The longest expression, template or JSON document.
pub const MAX_SOURCE_BYTES: usize = 1024 * 1024;

/// The largest number of syntax nodes of one expression.
pub const MAX_NODES: usize = 10_000;

/// How deep expressions may be nested.
pub const MAX_DEPTH: usize = 100;

/// How deep lists and maps may be nested.
pub const MAX_VALUE_DEPTH: u16 = 400;

/// How large a value may be when it is written out: texts by their length, everything else by 16.
/// Values share their parts, so that a small one can be very large.
pub const MAX_VALUE_BYTES: usize = 32 * 1024 * 1024;

/// Elements that one run may create in lists, maps and ranges, and bytes in repeated texts.
pub const MAX_ELEMENTS: usize = 1_000_000;

/// Bytes that one template may write into new texts.
pub const MAX_TEXT_BYTES: usize = 32 * 1024 * 1024;

/// Evaluation steps of one template; long texts take more of them.
pub const MAX_STEPS: usize = 5_000_000;

/// How many bytes of text are looked at in one step.
const BYTES_PER_STEP: usize = 64;

/// What is left of the limits of one template.
#[derive(Debug)]
pub(crate) struct Budget {
    steps: usize,
    elements: usize,
    text: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { steps: MAX_STEPS, elements: MAX_ELEMENTS, text: MAX_TEXT_BYTES }
    }
}

impl Budget {
    /// Takes `count` steps.
    pub(crate) fn steps(&mut self, count: usize) -> Result<(), Trouble> {
        spend(&mut self.steps, count, "the expression takes too many steps")
    }

    /// Takes the steps for looking at `bytes` of text.
    pub(crate) fn scan(&mut self, bytes: usize) -> Result<(), Trouble> {
        self.steps(bytes / BYTES_PER_STEP)
    }

    /// Makes room for `count` elements; reaching the limit is over it, as upstream has it.
    pub(crate) fn elements(&mut self, count: usize) -> Result<(), Trouble> {
        let room = count.saturating_add(1);
        if room > self.elements {
            return Err(Trouble::Limit("memory budget exceeded"));
        }
        self.elements -= count;
        Ok(())
    }

    /// Allows as many elements again as at the start. Each expression of a template has its own.
    pub(crate) fn renew_elements(&mut self) {
        self.elements = MAX_ELEMENTS;
    }

    /// Makes room for a text of `bytes`.
    pub(crate) fn text(&mut self, bytes: usize) -> Result<(), Trouble> {
        self.scan(bytes)?;
        spend(&mut self.text, bytes, "the expression makes too much text")
    }
}

fn spend(left: &mut usize, amount: usize, message: &'static str) -> Result<(), Trouble> {
    match left.checked_sub(amount) {
        Some(rest) => {
            *left = rest;
            Ok(())
        }
        None => Err(Trouble::Limit(message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_reached_once() {
        let mut budget = Budget::default();
        assert!(budget.elements(MAX_ELEMENTS - 1).is_ok());
        assert!(budget.elements(1).is_err());
        assert!(budget.text(MAX_TEXT_BYTES).is_ok());
        assert!(budget.text(1).is_err());
        assert!(budget.steps(MAX_STEPS).is_err());
    }
}
