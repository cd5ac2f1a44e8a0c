//! `set-freight-alias`: gives a piece of Freight another name for people.
//!
//! Whether the alias is free is for admission to say: a refusal ends the step, an outage does not.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{ControlPlane, Effect, LookupError, Outcome, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct SetFreightAlias;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// Name of the Freight, in the Project of the Promotion.
    #[schemars(length(min = 1))]
    name: String,
    /// The alias it gets.
    #[schemars(length(min = 1))]
    alias: String,
}

impl Step for SetFreightAlias {
    const KIND: &'static str = "set-freight-alias";
    type Config = Config;
    type Needs = Arc<dyn ControlPlane>;

    async fn run(&self, config: Config, control_plane: Self::Needs, cx: &StepCx<'_>) -> StepResult {
        let Config { name, alias } = config;
        let project = &cx.subject.project;
        let refused = |cause: LookupError| {
            let message = format!("alias {alias:?} could not be given to Freight {name:?}");
            let error = if cause.is_temporary { StepError::retryable } else { StepError::failed };
            error(message).because(cause)
        };
        let freight = control_plane.freight(project, &name).await.map_err(refused)?;
        let Some(freight) = freight else {
            let message = format!("there is no Freight {name:?} in Project {project:?}");
            return Err(StepError::failed(message));
        };
        let former = &freight.alias;
        let message = format!("alias of Freight {name:?} changed from {former:?} to {alias:?}");
        let effect = || Effect {
            step: cx.alias.to_owned(),
            action: "set alias",
            target: format!("Freight {project}/{name}"),
            detail: json!({"from": former, "to": alias}),
        };
        if !cx.effects.intercepts(effect) && *former != alias {
            control_plane.set_alias(project, &name, &alias).await.map_err(refused)?;
        }
        Ok(Outcome::done().saying(message))
    }
}
