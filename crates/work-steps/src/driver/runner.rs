//! What runs a step: the built-in ones, or others in their place.

use core_engine::Attempt;
use futures::{FutureExt, future::BoxFuture};
use serde_json::Value;

use super::{attempt, report};
use crate::{
    catalogue,
    context::StepCx,
    failure::StepError,
    port::Ports,
    step::{AnyStep, Defaults},
};

/// What the engine needs to know of a kind of step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// When to give up.
    pub defaults: Defaults,
    /// Whether a step of a task also gives its output to the task.
    pub feeds_task: bool,
    /// Whether it can change nothing outside the work directory, so that repeating it costs only time.
    pub is_quiet: bool,
}

/// Runs steps.
pub trait Runner: Send + Sync {
    /// What is known of a kind; `None` when there is no such kind.
    fn traits(&self, kind: &str) -> Option<Traits>;

    /// Whether only text fits at this place of the kind's configuration.
    fn wants_text(&self, kind: &str, place: &[String]) -> bool;

    /// Makes one attempt with a rendered configuration. Cancel safety: dropping the future ends it.
    fn attempt<'a>(
        &'a self,
        kind: &'a str,
        config: Value,
        cx: &'a StepCx<'a>,
    ) -> BoxFuture<'a, Attempt>;
}

/// The steps of the catalogue.
pub struct BuiltIn {
    ports: Ports,
}

impl BuiltIn {
    /// Steps that reach the outside through these ports.
    pub fn new(ports: Ports) -> Self {
        Self { ports }
    }
}

impl Runner for BuiltIn {
    fn traits(&self, kind: &str) -> Option<Traits> {
        let step = catalogue::step(kind)?;
        Some(Traits {
            defaults: step.defaults(),
            feeds_task: step.feeds_task(),
            is_quiet: step.is_quiet(),
        })
    }

    fn wants_text(&self, kind: &str, place: &[String]) -> bool {
        matches!(catalogue::schema(kind), Some(Ok(schema)) if schema.wants_text(place))
    }

    fn attempt<'a>(
        &'a self,
        kind: &'a str,
        config: Value,
        cx: &'a StepCx<'a>,
    ) -> BoxFuture<'a, Attempt> {
        async move {
            let result = match catalogue::step(kind) {
                Some(step) => attempt::make(step as &dyn AnyStep, config, &self.ports, cx).await,
                None => Err(StepError::fatal(format!("there is no step of kind {kind:?}"))),
            };
            report::attempt(result)
        }
        .boxed()
    }
}
