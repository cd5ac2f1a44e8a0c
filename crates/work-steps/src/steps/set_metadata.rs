//! `set-metadata`: keeps facts on Stages and Freight for later steps, Promotions and people.
//!
//! All updates are checked before the first is written. Keys that are not named stay; `null` removes one.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{ControlPlane, Effect, MetadataOf, Outcome, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct SetMetadata;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// What to set, in order.
    #[schemars(length(min = 1))]
    updates: Vec<Update>,
}

/// What to set on one object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Update {
    /// Kind of the object.
    kind: Kind,
    /// Name of the object, in the Project of the Promotion.
    #[schemars(length(min = 1))]
    name: String,
    /// The facts, by key; any JSON value.
    #[schemars(extend("minProperties" = 1))]
    values: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
enum Kind {
    Stage,
    Freight,
}

impl Update {
    fn object(&self) -> MetadataOf<'_> {
        match self.kind {
            Kind::Stage => MetadataOf::Stage(&self.name),
            Kind::Freight => MetadataOf::Freight(&self.name),
        }
    }
}

impl Step for SetMetadata {
    const KIND: &'static str = "set-metadata";
    type Config = Config;
    type Needs = Arc<dyn ControlPlane>;

    async fn run(&self, config: Config, control_plane: Self::Needs, cx: &StepCx<'_>) -> StepResult {
        for update in &config.updates {
            if update.values.contains_key("") {
                let (kind, name) = (update.kind, &update.name);
                let message = format!("metadata of {kind:?} {name:?} cannot have an empty key");
                return Err(StepError::retryable(message));
            }
        }
        for update in &config.updates {
            apply(update, control_plane.as_ref(), cx).await?;
        }
        Ok(Outcome::done())
    }
}

async fn apply(
    update: &Update,
    control_plane: &dyn ControlPlane,
    cx: &StepCx<'_>,
) -> Result<(), StepError> {
    let Update { kind, name, values } = update;
    let project = &cx.subject.project;
    let effect = || Effect {
        step: cx.alias.to_owned(),
        action: "set metadata",
        target: format!("{kind:?} {project}/{name}"),
        detail: Value::Object(values.clone()),
    };
    if cx.effects.intercepts(effect) {
        return Ok(());
    }
    let written = control_plane.set_metadata(project, update.object(), values).await;
    match written {
        Ok(true) => Ok(()),
        Ok(false) => Err(StepError::retryable(format!(
            "there is no {kind:?} {name:?} in Project {project:?}"
        ))),
        Err(cause) => {
            let message = format!("metadata of {kind:?} {name:?} could not be set");
            Err(StepError::retryable(message).because(cause))
        }
    }
}
