//! One attempt of a step: its configuration is checked, and a panic ends the attempt, not the process.

use std::{any::Any, panic::AssertUnwindSafe};

use futures::FutureExt;
use serde_json::Value;

use crate::{
    catalogue,
    context::StepCx,
    failure::StepError,
    port::Ports,
    step::{AnyStep, StepResult},
};

/// Makes one attempt with a rendered configuration. Cancel safety: dropping the future ends the attempt.
pub(crate) async fn make(
    step: &dyn AnyStep,
    config: Value,
    ports: &Ports,
    cx: &StepCx<'_>,
) -> StepResult {
    check(step, &config)?;
    // Whatever a panic left behind is the attempt's own: nothing of it is used afterwards.
    let attempt = AssertUnwindSafe(step.attempt(config, ports, cx)).catch_unwind();
    attempt.await.unwrap_or_else(|panic| {
        Err(StepError::fatal(format!("step panicked: {}", panic_text(&*panic))))
    })
}

fn check(step: &dyn AnyStep, config: &Value) -> Result<(), StepError> {
    let kind = step.kind();
    match catalogue::schema(kind) {
        Some(Ok(schema)) => schema.check(config).map_err(|violations| {
            StepError::failed(format!("invalid {kind} config: {violations}"))
        }),
        Some(Err(bad)) => Err(StepError::fatal(bad.to_string())),
        None => Ok(()),
    }
}

/// What a panic said.
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no reason given")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use core_rules::fault::message;
    use io_exec::Jail;
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::{Map, json};

    use super::*;
    use crate::{Class, Effects, Step, testbed::Testbed};

    struct Clumsy;

    #[derive(Deserialize, JsonSchema)]
    struct Config {
        word: String,
    }

    impl Step for Clumsy {
        const KIND: &'static str = "clumsy";
        type Config = Config;
        type Needs = ();

        async fn run(&self, config: Config, (): (), _: &StepCx<'_>) -> StepResult {
            panic!("dropped {}", config.word)
        }
    }

    #[tokio::test]
    async fn a_panic_ends_the_attempt_for_good_and_a_configuration_that_cannot_be_read_too() {
        let testbed = Testbed::new().await;
        let cx = StepCx {
            subject: &testbed.subject,
            alias: "a",
            state: &Map::new(),
            files: &Jail::open(&testbed.files()).unwrap(),
            private: &testbed.private(),
            effects: &Effects::Real,
            log: &|_| {},
            secrets: &parking_lot::Mutex::default(),
        };
        let ports = &testbed.ports;
        let error = make(&Clumsy, json!({"word": "it"}), ports, &cx).await.unwrap_err();
        assert_eq!(
            (error.class(), error.to_string()),
            (Class::Fatal, "step panicked: dropped it".into())
        );
        let error = make(&Clumsy, json!({}), ports, &cx).await.unwrap_err();
        assert_eq!(error.class(), Class::Failed);
        let caused =
            StepError::retryable("outer").because(Arc::new(std::io::Error::other("inner")));
        assert_eq!(message(&caused), "outer: inner");
    }
}
