//! The "omitted when zero" rule of the wire format.
//!
//! Optional fields hold their zero value (empty text, 0, false, empty list or map, no object) when
//! absent, and are left out when written. One predicate serves every such field.

/// Says whether `value` equals the zero value of its type and so is left out of the JSON.
pub(crate) fn is_zero<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
