//! Identifiers that sort by the time they were made.

pub use ulid::Ulid;

/// Makes identifiers that strictly increase, even within one millisecond or when the clock steps
/// back. Names that embed them are the order of creation, so a process needs exactly one of these.
#[derive(Clone, Debug, Default)]
pub struct MonotonicUlids {
    last: Option<Ulid>,
}

impl MonotonicUlids {
    /// The next identifier; `random` lends its lower 80 bits.
    pub fn next(&mut self, unix_milliseconds: u64, random: u128) -> Ulid {
        let fresh = Ulid::from_parts(unix_milliseconds, random);
        let next = match self.last {
            Some(last) if fresh.timestamp_ms() <= last.timestamp_ms() => successor(last, random),
            _ => fresh,
        };
        self.last = Some(next);
        next
    }
}

/// The identifier one above; when its millisecond is used up, one of the next millisecond.
fn successor(last: Ulid, random: u128) -> Ulid {
    last.increment()
        .unwrap_or_else(|_| Ulid::from_parts(last.timestamp_ms().saturating_add(1), random))
}

/// The lower-case text that is embedded in names.
pub fn name_part(ulid: Ulid) -> String {
    ulid.to_string().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{MonotonicUlids, name_part};

    #[test]
    fn the_text_has_26_lower_case_characters_and_sorts_by_time() {
        let mut ulids = MonotonicUlids::default();
        let first = name_part(ulids.next(1, u128::MAX));
        let second = name_part(ulids.next(2, 0));
        assert_eq!(first, "0000000001zzzzzzzzzzzzzzzz");
        assert!(first < second);
    }

    #[test]
    fn a_used_up_millisecond_borrows_from_the_next() {
        let mut ulids = MonotonicUlids::default();
        let first = ulids.next(1, u128::MAX);
        let second = ulids.next(1, 7);
        assert_eq!((second.timestamp_ms(), second.random()), (2, 7));
        assert!(first < second);
    }

    proptest! {
        #[test]
        fn identifiers_always_increase(draws in proptest::collection::vec((0_u64..4, any::<u128>()), 1..50)) {
            let mut ulids = MonotonicUlids::default();
            let made: Vec<_> = draws.into_iter().map(|(time, random)| ulids.next(time, random)).collect();
            prop_assert!(made.is_sorted_by(|earlier, later| earlier < later));
        }
    }
}
