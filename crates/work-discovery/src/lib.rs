//! Discovery: the subscriptions of a Warehouse become candidates with a reason each.
