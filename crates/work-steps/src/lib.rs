//! Promotion steps: their contract, the driver that runs them, and one file per step.
//!
//! A step is written against [`Step`]: a configuration type (from which its schema is made), the
//! capabilities it needs as types, and one asynchronous function. What happens next, retries, timeouts
//! and the final phase are decided in `core-engine`; the [`driver`] renders configurations, runs steps,
//! keeps the journal and blanks secrets. All kinds stand in one array, [`catalogue::STEPS`].

pub mod catalogue;
mod cluster;
mod context;
pub mod driver;
mod effect;
mod evaluation;
mod failure;
pub mod lint;
mod need;
mod outcome;
mod port;
pub mod schema;
mod settings;
mod step;
mod steps;
#[cfg(feature = "testbed")]
pub mod testbed;
pub mod verification;

pub use self::{
    cluster::{Cluster, ClusterSettings},
    context::{StepCx, Subject},
    effect::{Effect, Effects},
    failure::{Class, StepError},
    need::{Applications, Credentials, Needs, Network, Programs, Registries},
    outcome::{HealthCheck, Outcome, Output, Progress},
    port::{ControlPlane, GitIdentity, LookupError, MetadataOf, Ports, Settings},
    step::{AnyStep, Defaults, Step, StepResult},
};
