//! Sorting with comparisons that can fail and need not be an order.

use crate::error::Trouble;
use crate::limits::Budget;

/// In which direction a list is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Ascending,
    Descending,
}

impl Order {
    pub(crate) fn named(name: &str) -> Result<Self, Trouble> {
        match name {
            "asc" => Ok(Self::Ascending),
            "desc" => Ok(Self::Descending),
            _ => Err(Trouble::from("unknown order, use asc or desc")),
        }
    }
}

/// Sorts stably. The standard library's sort may panic when comparisons contradict each other,
/// as those with not-a-number do.
pub(crate) fn merge_sort<T: Clone>(
    mut items: Vec<T>,
    less: impl Fn(&T, &T) -> Result<bool, Trouble>,
    budget: &mut Budget,
) -> Result<Vec<T>, Trouble> {
    let mut width = 1;
    while width < items.len() {
        budget.steps(items.len())?;
        let mut merged = Vec::with_capacity(items.len());
        for run in items.chunks(width * 2) {
            let (left, right) = run.split_at(width.min(run.len()));
            merge(left, right, &mut merged, &less)?;
        }
        items = merged;
        width *= 2;
    }
    Ok(items)
}

fn merge<T: Clone>(
    left: &[T],
    right: &[T],
    merged: &mut Vec<T>,
    less: &impl Fn(&T, &T) -> Result<bool, Trouble>,
) -> Result<(), Trouble> {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(first), Some(second)) = (left.peek(), right.peek()) {
        if less(second, first)? {
            merged.extend(right.next().cloned());
        } else {
            merged.extend(left.next().cloned());
        }
    }
    merged.extend(left.cloned());
    merged.extend(right.cloned());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_keep_their_order() {
        let items: Vec<(i32, usize)> = [3, 1, 2, 1, 3, 0, 1].into_iter().zip(0..).collect();
        let sorted = merge_sort(items, |a, b| Ok(a.0 < b.0), &mut Budget::default()).unwrap();
        assert_eq!(sorted, [(0, 5), (1, 1), (1, 3), (1, 6), (2, 2), (3, 0), (3, 4)]);
    }

    #[test]
    fn contradicting_comparisons_do_no_harm() {
        let sorted = merge_sort((0..100).collect(), |_, _| Ok(true), &mut Budget::default());
        assert_eq!(sorted.unwrap().len(), 100);
    }
}
