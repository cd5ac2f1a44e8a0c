//! Stages: what they take, what they hold, and which of them an Application allows to change it.

mod authorized;
mod effect;
mod history;
mod shape;
mod summary;
mod target;
mod wake;
mod world;

pub use authorized::{AuthorizedStage, AuthorizedStagesError, parse_authorized_stages};
pub use effect::{Creation, Effect, FreightChange, FreightUpdate, VerificationStart};
pub use history::{
    current_collection, has_verification_under_way, includes_freight, put_verifications,
    record_collections, upsert_freight,
};
pub use shape::{is_control_flow, is_target_aware, requests_from, requests_from_any};
pub use summary::freight_summary;
pub use target::{GovernedTargetsError, governed_targets};
pub use wake::Wake;
pub use world::{Analysis, HealthSource, RunLookup, RunSource, RunView, Settings, World};
