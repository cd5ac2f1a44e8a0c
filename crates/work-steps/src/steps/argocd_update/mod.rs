//! `argocd-update`: changes the sources of Applications and syncs them.
//!
//! Everything is read and checked before the first Application is touched. A sync is one patch that
//! carries the Promotion's name, by which a repeated attempt knows its own request.

use std::time::Duration;

use core_rules::argo_cd::{
    Application, Decision, Initiator, Phase, SourceUpdate, authorize, decide, desired_revisions,
    sync_message, sync_patch, update_sources, worst_phase,
};
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _, future::BoxFuture};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use self::source::Source;
use super::argocd::{Choice, LOOK_AGAIN, Selector, name_or_selector, reference};
use crate::{
    Applications, Defaults, Effect, HealthCheck, Outcome, Output, Step, StepCx, StepError,
    StepResult,
};

mod source;

/// How many Applications are patched at a time.
const AT_ONCE: usize = 8;
/// How often a patch is tried while others change the Application.
const PATCH_TRIES: usize = 5;
/// How many mismatches a message lists.
const LISTED: usize = 3;

/// The step.
pub(crate) struct ArgocdUpdate;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The Applications to update.
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
    /// Changes of the sources. Without any the Application is only synced.
    #[serde(default)]
    #[schemars(with = "Vec<Source>", length(min = 1))]
    sources: Option<Vec<Source>>,
}

/// One Application and what is wanted of it.
struct Target {
    application: Application,
    updates: Vec<SourceUpdate>,
    desired: Vec<String>,
}

impl Step for ArgocdUpdate {
    const KIND: &'static str = "argocd-update";
    const DEFAULTS: Defaults =
        Defaults { timeout: Some(Duration::from_mins(5)), ..Defaults::IMMEDIATE };
    type Config = Config;
    type Needs = Option<Applications>;

    async fn run(&self, config: Config, applications: Self::Needs, cx: &StepCx<'_>) -> StepResult {
        let Some(applications) = applications else { return Ok(foretell(&config, cx)) };
        let mut targets = Vec::new();
        for app in &config.apps {
            targets.extend(choose(app, &applications, cx).await?);
        }
        check_sources(&targets)?;
        let decisions: Vec<Decision> = targets.iter().map(|target| decision(target, cx)).collect();
        if let Some(error) = failure(&targets, &decisions) {
            return Err(error);
        }
        let requests = requests(&targets, &decisions, &applications, cx);
        futures::stream::iter(requests).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        let phases = decisions.iter().map(|decision| match decision {
            Decision::Ended(phase) => *phase,
            Decision::Sync | Decision::Wait => Phase::Running,
        });
        let is_done = worst_phase(phases) == Phase::Succeeded || cx.effects.are_recorded();
        let outcome = if is_done {
            Outcome::done().checked_by(health_check(&targets))
        } else {
            Outcome::running(Some(LOOK_AGAIN)).saying(waiting_for(&targets, &decisions))
        };
        Ok(outcome.with_output(output(&targets)))
    }
}

/// What a preview without a cluster can say: which Applications would be synced, as they are named.
fn foretell(config: &Config, cx: &StepCx<'_>) -> Outcome {
    for App { name, namespace, selector, .. } in &config.apps {
        let namespace = namespace.as_deref().map(|it| format!("{it}/")).unwrap_or_default();
        let target = match (name.as_deref(), selector) {
            (Some(name), _) if !name.is_empty() => format!("Application {namespace}{name}"),
            (_, selector) => {
                let query = selector.as_ref().and_then(|selector| selector.query().ok());
                format!("Applications {namespace}{}", query.unwrap_or_default())
            }
        };
        let detail = Value::Null;
        cx.effects.intercepts(|| Effect {
            step: cx.alias.to_owned(),
            action: "sync",
            target,
            detail,
        });
    }
    Outcome::done().saying("not looked at: no cluster was given")
}

/// The Applications a user means that this Stage may change.
async fn choose(
    app: &App,
    applications: &Applications,
    cx: &StepCx<'_>,
) -> Result<Vec<Target>, StepError> {
    let choice = Choice {
        name: app.name.as_deref().filter(|name| !name.is_empty()),
        namespace: app.namespace.as_deref(),
        selector: app.selector.as_ref(),
    };
    let chosen = choice.find(applications).await?;
    let updates: Vec<SourceUpdate> = app.sources.iter().flatten().map(SourceUpdate::from).collect();
    let mut targets = Vec::new();
    for application in chosen.applications {
        match authorize(&application, &cx.subject.project, &cx.subject.stage) {
            Ok(()) => {
                let desired = desired_revisions(&application, &updates);
                targets.push(Target { application, updates: updates.clone(), desired });
            }
            Err(refusal) if chosen.by_name => {
                let name = &application.metadata.name;
                let message = format!("Application {name:?} may not be updated");
                return Err(StepError::retryable(message).because(refusal));
            }
            Err(refusal) => cx.say(format!("left out: {refusal}")),
        }
    }
    if targets.is_empty() {
        let (namespace, stage) = (&chosen.namespace, &cx.subject.stage);
        return Err(StepError::retryable(format!(
            "none of the Applications in namespace {namespace:?} that match the selector permits changes by Stage {stage:?}"
        )));
    }
    Ok(targets)
}

/// Nothing is touched unless every change fits.
fn check_sources(targets: &[Target]) -> Result<(), StepError> {
    let mismatches: Vec<String> = targets
        .iter()
        .filter_map(|target| update_sources(&target.application, &target.updates).err())
        .map(|mismatch| mismatch.to_string())
        .collect();
    if mismatches.is_empty() {
        return Ok(());
    }
    let count = mismatches.len();
    let listed = mismatches.iter().take(LISTED).cloned().collect::<Vec<_>>().join("; ");
    let rest =
        if count > LISTED { format!(" (and {} more)", count - LISTED) } else { String::new() };
    Err(StepError::retryable(format!(
        "the sources of {count} of {} Applications cannot be updated, so none was: {listed}{rest}",
        targets.len()
    )))
}

fn decision(target: &Target, cx: &StepCx<'_>) -> Decision {
    let reported = cx.former_output().and_then(|output| output.get("failures"));
    let reported = reported.and_then(|failures| failures.get(target.application.key())?.as_str());
    decide(&target.application, &cx.subject.promotion, &target.desired, reported)
}

/// The failed requests of this Promotion. The output says which, so that another attempt asks anew.
fn failure(targets: &[Target], decisions: &[Decision]) -> Option<StepError> {
    let mut texts = Vec::new();
    let mut failures = Map::new();
    for (Target { application, .. }, decision) in targets.iter().zip(decisions) {
        let Decision::Ended(Phase::Failed | Phase::Error) = decision else { continue };
        let state = application.status.operation_state.as_ref()?;
        texts.push(format!(
            "syncing Application {:?} failed: {}",
            application.key(),
            state.message
        ));
        failures.insert(application.key(), json!(state.finished_at));
    }
    if texts.is_empty() {
        return None;
    }
    let mut output = output(targets);
    output.insert("failures".to_owned(), Value::Object(failures));
    Some(StepError::retryable(texts.join("; ")).with_output(output))
}

/// One request for each Application that needs a sync.
fn requests<'a>(
    targets: &'a [Target],
    decisions: &[Decision],
    applications: &'a Applications,
    cx: &'a StepCx<'_>,
) -> Vec<BoxFuture<'a, Result<(), StepError>>> {
    let needed = targets.iter().zip(decisions).filter(|(_, decision)| **decision == Decision::Sync);
    needed.map(|(target, _)| sync(target, applications, cx).boxed()).collect()
}

/// Asks for one sync; an Application that changes meanwhile is read and decided upon again.
async fn sync(
    target: &Target,
    Applications(client): &Applications,
    cx: &StepCx<'_>,
) -> Result<(), StepError> {
    let Target { application, updates, desired } = target;
    let effect = || Effect {
        step: cx.alias.to_owned(),
        action: "sync",
        target: format!("Application {}", application.key()),
        detail: json!({"desiredRevisions": desired}),
    };
    if cx.effects.intercepts(effect) {
        return Ok(());
    }
    let mut current = application.clone();
    for _ in 0..PATCH_TRIES {
        let spec = update_sources(&current, updates)
            .map_err(|mismatch| StepError::retryable(mismatch.to_string()))?;
        let initiator = Initiator::of(&cx.subject.actor);
        let patch = sync_patch(&current, spec, &cx.subject.promotion, initiator);
        match client.patch(&current, &patch).await {
            Ok(patched) => {
                cx.say(format!("sync of Application {:?} requested", patched.key()));
                client.record_sync(&patched, sync_message(&patched));
                return Ok(());
            }
            Err(io_argo::Error::Conflict { namespace, name }) => {
                let found = client.get(&namespace, &name).await.map_err(not_updated)?;
                current = found.ok_or_else(|| {
                    StepError::retryable(format!("Application \"{namespace}/{name}\" is gone"))
                })?;
                if decide(&current, &cx.subject.promotion, desired, None) != Decision::Sync {
                    return Ok(());
                }
            }
            Err(error) => return Err(not_updated(error)),
        }
    }
    let metadata = &current.metadata;
    let (namespace, name) = (metadata.namespace.clone(), metadata.name.clone());
    Err(not_updated(io_argo::Error::Conflict { namespace, name }))
}

fn not_updated(cause: io_argo::Error) -> StepError {
    StepError::retryable("an Application could not be updated").because(cause)
}

fn output(targets: &[Target]) -> Output {
    let apps: Vec<_> = targets.iter().map(|target| reference(&target.application)).collect();
    Output::from_iter([("apps".to_owned(), json!(apps))])
}

fn health_check(targets: &[Target]) -> HealthCheck {
    let app = |target: &Target| {
        let mut app = reference(&target.application);
        if target.desired.iter().any(|revision| !revision.is_empty()) {
            app.insert("desiredRevisions".to_owned(), json!(target.desired));
        }
        app
    };
    let apps: Vec<_> = targets.iter().map(app).collect();
    HealthCheck { kind: ArgocdUpdate::KIND, input: json!({"apps": apps}) }
}

fn waiting_for(targets: &[Target], decisions: &[Decision]) -> String {
    let waiting = targets.iter().zip(decisions);
    let waiting = waiting.filter(|(_, decision)| !matches!(decision, Decision::Ended(_)));
    let names: Vec<String> = waiting.map(|(target, _)| target.application.key()).collect();
    format!("waiting for the sync of {}", names.join(", "))
}
