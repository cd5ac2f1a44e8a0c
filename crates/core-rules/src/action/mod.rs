//! What people do through the REST API: promote, approve, refresh, abort, verify again.
//!
//! Each action is a function from the objects it is about, and who acts, to what is to be written
//! and told, or to an [`ActionError`]. Reading the objects and asking for permission, in the order
//! that the specification of the API gives, is for the handlers.

mod abort;
mod approve;
mod downstream;
mod error;
mod promote;
mod refresh;
#[cfg(test)]
mod tests;

pub use abort::{abort_promotion, abort_verification, reverify};
pub use approve::{Approval, approve};
pub use downstream::{
    DownstreamPlan, add_downstream_error, downstream_code, downstreams, promote_downstream,
};
pub use error::ActionError;
pub use promote::{Created, FreightChoice, promote_freight, promote_origin, promotion_event};
pub use refresh::{StageRefresh, refresh, refresh_stage};

/// What the API server is called in events.
pub const COMPONENT: &str = "api";
