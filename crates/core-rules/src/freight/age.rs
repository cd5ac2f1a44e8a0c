//! Which Freight is newer.

use std::cmp::Ordering;

use api_kinds::Freight;
use core_clock::Time;

use crate::wire_time::from_wire;

/// When the artifacts were first seen together; for Freight that does not say, when it was created.
pub fn discovered_at(freight: &Freight) -> Option<Time> {
    let time = freight.discovered_at.as_ref().or(freight.metadata.creation_timestamp.as_ref());
    time.map(from_wire)
}

/// Older is less; of two that were seen at the same time, the one whose name comes first is less.
pub fn compare_age(left: &Freight, right: &Freight) -> Ordering {
    discovered_at(left)
        .cmp(&discovered_at(right))
        .then_with(|| left.metadata.name.cmp(&right.metadata.name))
}
