//! `argocd-wait`: waits until Applications are where they should be.
//!
//! The health seen by each attempt goes into the output, so that the next one can tell an Application
//! that went bad from one that has been bad all along.

use std::time::Duration;

use core_rules::argo_cd::{Application, Readiness, WaitFor, readiness};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::argocd::{Choice, LOOK_AGAIN, Selector, name_or_selector, reference};
use crate::{Applications, Defaults, Outcome, Output, Step, StepCx, StepError, StepResult};

/// What is waited for unless the user says otherwise.
const DEFAULT: [Condition; 3] = [Condition::Health, Condition::Sync, Condition::Operation];

/// The step.
pub(crate) struct ArgocdWait;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The Applications to wait for.
    #[schemars(length(min = 1))]
    apps: Vec<App>,
}

/// One Application by name, or several by their labels.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = name_or_selector)]
struct App {
    /// Name of the Application.
    #[serde(default)]
    #[schemars(with = "String", length(min = 1))]
    name: Option<String>,
    /// Namespace of the Application; the controller's setting decides otherwise.
    #[serde(default)]
    #[schemars(with = "String", length(min = 1))]
    namespace: Option<String>,
    /// Selects Applications by their labels.
    #[serde(default)]
    #[schemars(with = "Selector")]
    selector: Option<Selector>,
    /// What must hold. Of `health`, `suspended` and `degraded` any one will do.
    #[serde(default)]
    #[schemars(with = "Vec<Condition>", length(min = 1), extend("uniqueItems" = true))]
    wait_for: Option<Vec<Condition>>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Condition {
    Health,
    Sync,
    Operation,
    Suspended,
    Degraded,
}

impl From<Condition> for WaitFor {
    fn from(condition: Condition) -> Self {
        match condition {
            Condition::Health => Self::Health,
            Condition::Sync => Self::Sync,
            Condition::Operation => Self::Operation,
            Condition::Suspended => Self::Suspended,
            Condition::Degraded => Self::Degraded,
        }
    }
}

/// What an attempt has seen.
struct Seen {
    apps: Vec<Value>,
    health: Map<String, Value>,
    missing: Vec<String>,
}

impl Seen {
    /// Begins with what former attempts saw.
    fn after(cx: &StepCx<'_>) -> Self {
        let former = cx.former_output().and_then(|output| output.get("healthStatus"));
        let health = former.and_then(Value::as_object).cloned().unwrap_or_default();
        Self { apps: Vec::new(), health, missing: Vec::new() }
    }

    fn output(&self) -> Output {
        let members = [("apps", json!(self.apps)), ("healthStatus", json!(self.health))];
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

impl Step for ArgocdWait {
    const KIND: &'static str = "argocd-wait";
    const DEFAULTS: Defaults =
        Defaults { timeout: Some(Duration::from_mins(5)), ..Defaults::IMMEDIATE };
    type Config = Config;
    type Needs = Option<Applications>;

    async fn run(&self, config: Config, applications: Self::Needs, cx: &StepCx<'_>) -> StepResult {
        let Some(applications) = applications else {
            return Ok(Outcome::done().saying("not waited for: no cluster was given"));
        };
        let mut seen = Seen::after(cx);
        for app in &config.apps {
            if let Err(error) = look(app, &applications, cx, &mut seen).await {
                return Err(error.with_output(seen.output()));
            }
        }
        let outcome = if seen.missing.is_empty() {
            Outcome::done()
        } else {
            Outcome::running(Some(LOOK_AGAIN)).saying(seen.missing.join("; "))
        };
        Ok(outcome.with_output(seen.output()))
    }
}

async fn look(
    app: &App,
    applications: &Applications,
    cx: &StepCx<'_>,
    seen: &mut Seen,
) -> Result<(), StepError> {
    let App { name, namespace, selector, wait_for } = app;
    let choice = Choice {
        name: name.as_deref().filter(|name| !name.is_empty()),
        namespace: namespace.as_deref(),
        selector: selector.as_ref(),
    };
    let wait_for: Vec<WaitFor> =
        wait_for.as_deref().unwrap_or(&DEFAULT).iter().copied().map(Into::into).collect();
    for application in choice.find(applications).await?.applications {
        seen.apps.push(Value::Object(reference(&application)));
        check(&application, &wait_for, applications, cx, seen).await?;
    }
    Ok(())
}

async fn check(
    application: &Application,
    wait_for: &[WaitFor],
    Applications(client): &Applications,
    cx: &StepCx<'_>,
    seen: &mut Seen,
) -> Result<(), StepError> {
    let key = application.key();
    let former = seen.health.get(&key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let ready = readiness(application, wait_for, &former);
    if ready != Readiness::Stale {
        seen.health.insert(key.clone(), json!(application.status.health.status));
    }
    match ready {
        Readiness::Ready => {}
        Readiness::NotYet(why) => seen.missing.push(why),
        Readiness::Never(why) => return Err(StepError::fatal(why)),
        Readiness::Stale => {
            seen.missing
                .push(format!("Application {key:?} was not compared since its last operation"));
            if let Err(error) = client.refresh(&application.name()).await {
                cx.say(format!("Application {key:?} could not be asked to compare again: {error}"));
            }
        }
    }
    Ok(())
}
