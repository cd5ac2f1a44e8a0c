//! Stages: what they take, what they hold, and what is to be done about them.
//!
//! [`plan`] decides a whole pass over a Stage from a picture of the [`World`]; whoever carries it out
//! tells the [`Plan`] what came of its [`Effect`]s and writes its status once. [`check`] says what
//! holds of every plan. The other functions are the vocabulary: what a Stage's spec makes of it, what
//! it holds and held, which Targets are its own, which Stages an Application allows to change it.

mod applications;
mod arrival;
mod authorized;
mod auto;
mod bringer;
mod check;
mod conditions;
mod control_flow;
mod creation;
mod deletion;
mod effect;
mod fan_out;
mod health;
mod history;
mod holds;
mod identity;
mod images;
mod mark;
mod origin;
mod outcome;
mod plan;
mod problem;
mod queue;
mod request;
mod shape;
mod summary;
mod target;
#[cfg(test)]
mod tests;
mod verification;
mod wake;
mod world;

pub use authorized::{AuthorizedStage, AuthorizedStagesError, parse_authorized_stages};
pub use check::check;
pub use deletion::{Deletion, deletion};
pub use effect::{Creation, Effect, FreightChange, FreightUpdate, VerificationStart};
pub use fan_out::request_status;
pub use history::{
    current_collection, has_verification_under_way, includes_freight, put_verifications,
    record_collections, upsert_freight,
};
pub use images::images;
pub use plan::{Plan, plan};
pub use shape::{is_control_flow, is_owned_by, is_target_aware, requests_from, requests_from_any};
pub use summary::freight_summary;
pub use target::{GovernedTargetsError, governed_targets};
pub use wake::Wake;
pub use world::{Analysis, HealthSource, RunLookup, RunSource, RunView, Settings, World};
