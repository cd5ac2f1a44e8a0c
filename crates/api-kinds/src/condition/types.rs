//! Condition types. The abnormal ones are removed rather than set to False.

/// The object is in the state it should be in.
pub const READY: &str = "Ready";
/// Abnormal: work on the object is under way or will be repeated.
pub const RECONCILING: &str = "Reconciling";
/// Abnormal: no progress without a change by the user.
pub const STALLED: &str = "Stalled";
/// What the object stands for is healthy.
pub const HEALTHY: &str = "Healthy";
/// Abnormal: a Promotion is under way.
pub const PROMOTING: &str = "Promoting";
/// The current Freight of a Stage passed verification.
pub const VERIFIED: &str = "Verified";
/// The artifacts a Warehouse found meet its criteria for new Freight.
pub const FREIGHT_CREATION_CRITERIA_SATISFIED: &str = "FreightCreationCriteriaSatisfied";
/// A Warehouse turned the artifacts it found into Freight.
pub const FREIGHT_CREATED: &str = "FreightCreated";
