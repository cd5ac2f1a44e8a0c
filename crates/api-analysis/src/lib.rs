//! Kinds of Argo Rollouts that verification uses, as far as this product reads and writes them.
//!
//! Fields that nothing here looks at are kept as JSON (`rest`), so that an object read and written
//! again is the same object, whichever version of Argo Rollouts its author had in mind. The
//! definitions in [`crds`] are reduced in the same way: what is used is checked, the rest is kept.

mod argument;
mod crd;
mod metric;
mod phase;
mod provider;
mod run;
mod status;
mod template;

pub use argument::{Argument, FieldReference, SecretKeyReference, ValueFrom};
pub use crd::crds;
pub use metric::{DryRun, MeasurementRetention, Metric};
pub use phase::AnalysisPhase;
pub use provider::{Header, JobProvider, PrometheusProvider, Provider, WebProvider};
pub use run::{AnalysisRun, AnalysisRunSpec, TtlStrategy};
pub use status::{AnalysisRunStatus, Measurement, MetricResult, RunSummary};
pub use template::{
    AnalysisTemplate, AnalysisTemplateSpec, ClusterAnalysisTemplate, TemplateReference,
};

/// The API group of all kinds.
pub const GROUP: &str = "argoproj.io";
/// The only version of the API.
pub const VERSION: &str = "v1alpha1";
/// Group and version as objects carry them.
pub const API_VERSION: &str = "argoproj.io/v1alpha1";
/// Label of an AnalysisRun that says which executor takes it; absent means the one without an id.
pub const INSTANCE_ID_LABEL: &str = "argo-rollouts.argoproj.io/controller-instance-id";

/// JSON fields by name, where their meaning is not known here.
pub type Fields = serde_json::Map<String, serde_json::Value>;

/// Says whether `value` is the zero value of its type, which the wire format leaves out.
fn is_zero<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
