//! The kinds of `kargo.akuity.io/v1alpha1`.
//!
//! Each kind is a Rust type whose serde code is the wire format and whose schema attributes are
//! the CustomResourceDefinition; the doc comments are what `kubectl explain` shows. Beside them
//! stand the names that are written into objects: labels, annotations, conditions. Rules that
//! decide anything live elsewhere.
//!
//! Decoding is lenient: missing fields become zero values and unknown words are kept, because
//! mutating admission sees objects before their schema is checked. Encoding leaves zero values out
//! unless the schema requires the field.

#![warn(missing_docs)]

pub mod annotations;
pub mod artifact;
pub mod cluster_config;
pub mod collection;
pub mod condition;
pub mod crd;
pub mod duration;
pub mod finalizer;
pub mod freight;
pub mod health;
pub mod json;
pub mod kind;
pub mod labels;
pub mod link;
mod omit;
pub mod origin;
pub mod pattern;
pub mod project;
pub mod project_config;
pub mod promotion;
pub mod promotion_request;
pub mod promotion_task;
pub mod receiver;
pub mod secret;
pub mod selector;
pub mod small_map;
pub mod stage;
pub mod step;
mod string_enum;
pub mod target;
pub mod verification;
pub mod warehouse;
pub mod window;

pub use cluster_config::ClusterConfig;
pub use duration::Duration;
pub use freight::Freight;
pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
pub use kind::{API_VERSION, GROUP, Kind, VERSION};
pub use project::Project;
pub use project_config::ProjectConfig;
pub use promotion::Promotion;
pub use promotion_request::PromotionRequest;
pub use promotion_task::{ClusterPromotionTask, PromotionTask};
pub use stage::Stage;
pub use target::Target;
pub use warehouse::Warehouse;
