//! The AnalysisRun of a verification.

use std::collections::BTreeMap;
use std::sync::Arc;

use api_analysis::{AnalysisRun, AnalysisRunSpec, Argument, INSTANCE_ID_LABEL};
use api_kinds::{API_VERSION, Freight, Stage, annotations, labels};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use super::warning::{WARNING_ANNOTATION, warning};
use super::{BuildError, Combined};
use crate::shorten::label_value;
use crate::stage::VerificationStart;

/// What a run is made for.
#[derive(Clone, Copy, Debug)]
pub struct RunOrder<'a> {
    /// The Stage whose Freight is verified.
    pub stage: &'a Stage,
    /// The verification.
    pub start: &'a VerificationStart,
    /// The Freight of the verification, as far as it exists. There may be other Freight among it.
    pub freight: &'a [Arc<Freight>],
    /// Which executor is to take the run; empty is the one without an id.
    pub instance_id: &'a str,
}

/// An argument of the Stage after its expressions were evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluatedArgument {
    /// Name of the argument.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether the value came from a Secret.
    pub is_secret: bool,
}

/// The AnalysisRun of a verification.
pub fn analysis_run(
    order: &RunOrder<'_>,
    combined: Combined,
    values: &[EvaluatedArgument],
) -> Result<AnalysisRun, BuildError> {
    let warning = warning(&combined.args, values);
    let metadata = ObjectMeta {
        namespace: order.stage.metadata.namespace.clone(),
        name: Some(order.start.run_name.clone()),
        labels: Some(order.labels()),
        annotations: Some(order.annotations(warning)).filter(|all| !all.is_empty()),
        owner_references: Some(order.owners()?),
        ..ObjectMeta::default()
    };
    let spec = AnalysisRunSpec {
        args: resolved(combined.args, values)?,
        metrics: combined.metrics,
        dry_run: combined.dry_run,
        measurement_retention: combined.measurement_retention,
        ..AnalysisRunSpec::default()
    };
    Ok(AnalysisRun { metadata, spec, ..AnalysisRun::default() })
}

/// What the Stage says counts more than what templates say, a value more than where to read one.
fn resolved(
    mut args: Vec<Argument>,
    values: &[EvaluatedArgument],
) -> Result<Vec<Argument>, BuildError> {
    for argument in &mut args {
        if let Some(given) = values.iter().rev().find(|given| given.name == argument.name) {
            argument.value = Some(given.value.clone());
            argument.value_from = None;
        }
        if argument.value.is_none() && argument.value_from.is_none() {
            return Err(BuildError::UnresolvedArgument { name: argument.name.clone() });
        }
    }
    Ok(args)
}

impl RunOrder<'_> {
    fn stage_name(&self) -> &str {
        self.stage.metadata.name.as_deref().unwrap_or_default()
    }

    /// What the user wants, and over it what we find the run by.
    fn labels(&self) -> BTreeMap<String, String> {
        let mut labels = self.wanted(|metadata| metadata.labels.clone());
        labels.insert(labels::STAGE.to_owned(), label_value(self.stage_name()));
        labels.insert(labels::FREIGHT_COLLECTION.to_owned(), self.start.collection.id.clone());
        if !self.instance_id.is_empty() {
            labels.insert(INSTANCE_ID_LABEL.to_owned(), self.instance_id.to_owned());
        }
        labels
    }

    fn annotations(&self, warning: Option<String>) -> BTreeMap<String, String> {
        let mut all = self.wanted(|metadata| metadata.annotations.clone());
        let name = self.stage_name();
        if label_value(name) != name {
            all.insert(annotations::STAGE.to_owned(), name.to_owned());
        }
        if let Some(promotion) = &self.start.promotion {
            all.insert(annotations::PROMOTION.to_owned(), promotion.clone());
        }
        if let Some(warning) = warning {
            all.insert(WARNING_ANNOTATION.to_owned(), warning);
        }
        all
    }

    fn wanted(
        &self,
        part: impl FnOnce(&api_kinds::verification::AnalysisRunMetadata) -> BTreeMap<String, String>,
    ) -> BTreeMap<String, String> {
        let verification = self.stage.spec.verification.as_ref();
        let metadata = verification.and_then(|it| it.analysis_run_metadata.as_ref());
        metadata.map(part).unwrap_or_default()
    }

    /// The run goes when all its Freight is gone. Freight that went meanwhile owns nothing.
    fn owners(&self) -> Result<Vec<OwnerReference>, BuildError> {
        let verified = self.start.collection.freight.values();
        let owners: Vec<_> = verified.filter_map(|item| self.owner(&item.name)).collect();
        if owners.is_empty() { Err(BuildError::NoFreight) } else { Ok(owners) }
    }

    fn owner(&self, name: &str) -> Option<OwnerReference> {
        let has_name = |it: &&Arc<Freight>| it.metadata.name.as_deref() == Some(name);
        let uid = self.freight.iter().find(has_name)?.metadata.uid.clone()?;
        Some(OwnerReference {
            api_version: API_VERSION.to_owned(),
            kind: "Freight".to_owned(),
            name: name.to_owned(),
            uid,
            block_owner_deletion: Some(false),
            controller: None,
        })
    }
}
