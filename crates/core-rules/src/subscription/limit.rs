//! How many versions a subscription discovers.

/// What a status can hold. Only a subscription that never passed admission has no limit of its own.
const MAX_WITHOUT_LIMIT: usize = 1000;

/// The largest number of versions, from the field as it is stored: nothing and less mean no limit.
pub(super) fn limit_of(discovery_limit: i32) -> usize {
    match usize::try_from(discovery_limit) {
        Ok(0) | Err(_) => MAX_WITHOUT_LIMIT,
        Ok(limit) => limit.min(MAX_WITHOUT_LIMIT),
    }
}

#[cfg(test)]
mod tests {
    use super::limit_of;

    #[test]
    fn no_limit_is_what_a_status_can_hold() {
        assert_eq!([0, -1, 1, 20, i32::MAX].map(limit_of), [1000, 1000, 1, 20, 1000]);
    }
}
