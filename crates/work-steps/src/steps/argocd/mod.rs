//! What the steps about Argo CD Applications share: which Applications a user means.

use api_kinds::selector::{LabelSelector, LabelSelectorRequirement};
use core_rules::{argo_cd::Application, selector::label_query};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{Applications, StepError};

/// How long Argo CD is left alone before it is looked at again without being woken.
pub(super) const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_secs(15);

/// Selects Applications by their labels.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(extend("anyOf" = [
    {"required": ["matchLabels"], "properties": {"matchLabels": {"minProperties": 1}}},
    {"required": ["matchExpressions"], "properties": {"matchExpressions": {"minItems": 1}}},
]))]
pub(super) struct Selector {
    /// Labels that must be present with exactly these values.
    match_labels: std::collections::BTreeMap<String, String>,
    /// Conditions on single labels; all of them must hold.
    match_expressions: Vec<Requirement>,
}

/// A condition on one label.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Requirement {
    /// The label's key.
    #[schemars(length(min = 1))]
    key: String,
    /// How the label is compared.
    operator: Operator,
    /// The values to compare with. Needed by In and NotIn, forbidden with the other operators.
    #[serde(default)]
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

impl Selector {
    /// The selector as a query, or why it makes no sense.
    pub(super) fn query(&self) -> Result<String, StepError> {
        let requirement = |requirement: &Requirement| LabelSelectorRequirement {
            key: requirement.key.clone(),
            operator: format!("{:?}", requirement.operator),
            values: requirement.values.clone(),
        };
        let selector = LabelSelector {
            match_labels: self.match_labels.clone(),
            match_expressions: self.match_expressions.iter().map(requirement).collect(),
        };
        label_query(&selector).map_err(|cause| {
            StepError::retryable("the selector of Applications is invalid").because(cause)
        })
    }
}

/// Exactly one of `name` and `selector`.
pub(super) fn name_or_selector(schema: &mut Schema) {
    schema.insert(
        "oneOf".to_owned(),
        json!([
            {"required": ["name"], "properties": {"name": {"minLength": 1}, "selector": {"enum": [null]}}},
            {"required": ["selector"], "properties": {"name": {"enum": ["", null]}}},
        ]),
    );
}

/// Which Applications a user means: one by name, or all that a selector selects.
pub(super) struct Choice<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) namespace: Option<&'a str>,
    pub(super) selector: Option<&'a Selector>,
}

/// Applications, and whether the user named them one by one.
pub(super) struct Chosen {
    pub(super) namespace: String,
    pub(super) applications: Vec<Application>,
    pub(super) by_name: bool,
}

impl Choice<'_> {
    /// Finds them. None at all is an error.
    pub(super) async fn find(
        &self,
        Applications(client): &Applications,
    ) -> Result<Chosen, StepError> {
        let namespace = self.namespace.unwrap_or(client.default_namespace()).to_owned();
        let unreadable =
            |cause| StepError::retryable("Applications could not be read").because(cause);
        if let Some(name) = self.name {
            let found = client.get(&namespace, name).await.map_err(unreadable)?;
            let application = found.ok_or_else(|| {
                StepError::retryable(format!(
                    "there is no Application {name:?} in namespace {namespace:?}"
                ))
            })?;
            return Ok(Chosen { namespace, applications: vec![application], by_name: true });
        }
        let query = self.selector.map(Selector::query).transpose()?.unwrap_or_default();
        let applications = client.list(&namespace, &query).await.map_err(unreadable)?;
        if applications.is_empty() {
            let message =
                format!("no Application in namespace {namespace:?} matches the selector {query:?}");
            return Err(StepError::retryable(message));
        }
        Ok(Chosen { namespace, applications, by_name: false })
    }
}

/// How outputs and health checks name an Application.
pub(super) fn reference(application: &Application) -> Map<String, Value> {
    let metadata = &application.metadata;
    [("name", &metadata.name), ("namespace", &metadata.namespace)]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect()
}
