//! Why there can be no AnalysisRun.

use api_kinds::Stage;

use crate::stage::VerificationStart;

/// Why there can be no AnalysisRun. Waiting does not help: somebody has to change something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A template is not there.
    #[error("{kind} {name:?} does not exist: create it, or take it out of the verification")]
    MissingTemplate {
        /// Kind of the template.
        kind: &'static str,
        /// Name of the template.
        name: String,
    },
    /// Templates refer to templates without end in sight.
    #[error("its analysis templates and those they refer to are more than {limit}")]
    TooManyTemplates {
        /// How many there may be.
        limit: usize,
    },
    /// Nothing would be measured.
    #[error("its analysis templates have no metrics")]
    NoMetrics,
    /// Two things that must have different names have not.
    #[error("{what} {name:?} of analysis template {template:?} exists already: rename one of them")]
    Duplicate {
        /// What has a name.
        what: &'static str,
        /// The name.
        name: String,
        /// The template in which it came a second time.
        template: String,
    },
    /// Two templates want different values for one argument.
    #[error(
        "argument {name:?} has another value in analysis template {template:?} than in one before it"
    )]
    ConflictingArgument {
        /// Name of the argument.
        name: String,
        /// The template that differs.
        template: String,
    },
    /// Nobody gives an argument a value.
    #[error(
        "unresolved argument {name:?}: give it a value in the verification of the Stage, or in the analysis template"
    )]
    UnresolvedArgument {
        /// Name of the argument.
        name: String,
    },
    /// No Freight is left that the run could belong to.
    #[error("none of the Freight to verify exists any more")]
    NoFreight,
}

/// What a verification says that cannot begin.
pub fn impossible_message(stage: &Stage, start: &VerificationStart, cause: &str) -> String {
    let name = stage.metadata.name.as_deref().unwrap_or_default();
    let namespace = stage.metadata.namespace.as_deref().unwrap_or_default();
    let collection = &start.collection.id;
    format!(
        "error building AnalysisRun for Stage {name:?} and Freight collection {collection:?} in namespace {namespace:?}: {cause}"
    )
}
