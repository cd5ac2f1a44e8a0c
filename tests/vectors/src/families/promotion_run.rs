//! `promotion-run`: the driver runs steps that behave as the case says.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "without a place to run in there is nothing to compare; JSON objects are made here"
)]

use std::path::Path;
use std::sync::Arc;

use api_kinds::health::HealthCheckStep;
use api_kinds::promotion::{PromotionStepStatus, StepExecutionMetadata};
use api_kinds::{Duration, Time};
use core_clock::{Clock, ManualClock, Time as Moment};
use core_engine::{Attempt, Progress};
use jiff::Timestamp;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;
use work_steps::driver::{
    Directory, Driver, Entry, Journal, JournalError, Order, Passed, Runner, Session, Silent,
    StopSignal, Traits,
};
use work_steps::testbed::FakeControlPlane;
use work_steps::{Defaults, Effects, StepCx};

use super::{objects, remove_nulls};
use crate::{Answer, Case, Exception};

/// The time at which all cases run.
const NOW: i64 = 1_800_000_000;
const UID: &str = "case";

/// Errors count in a row.
pub(super) const ERRORS_IN_A_ROW: Exception = Exception {
    name: "errors-in-a-row",
    reason: "an attempt without error starts the count anew, as users are told",
    applies: |case| {
        let is_error =
            |behaviour: &Value| behaviour.get("err").is_some() || behaviour["status"] == "Errored";
        let had_errors = |record: &Value| {
            let behaviour = case.member("behaviour").map(|it| &it[text(record, "alias")]);
            record.get("errorCount").is_some() && behaviour.is_some_and(|it| !is_error(it))
        };
        case.member("stepExecutionMetadata")
            .and_then(Value::as_array)
            .is_some_and(|records| records.iter().any(had_errors))
    },
};

/// A step that cannot be configured has ended.
pub(super) const UNREADY_STEPS_END: Exception = Exception {
    name: "unready-steps-end",
    reason: "a step whose configuration cannot be rendered says when it ended",
    applies: |case| {
        let steps = case.member("want").and_then(|want| want["steps"].as_array());
        steps.into_iter().flatten().any(|step| {
            step["status"] == "Errored"
                && step["started"] == true
                && step["finished"] == false
                && step["message"] == "*"
        })
    },
};

/// A Promotion without steps is at the first.
pub(super) const NO_STEPS: Exception = Exception {
    name: "no-steps",
    reason: "a Promotion without steps is at step 0, because there is none before the first",
    applies: |case| case.member("steps").and_then(Value::as_array).is_some_and(Vec::is_empty),
};

thread_local! {
    static RUNTIME: Runtime =
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
}

pub(super) fn run(case: &Case<'_>) -> Answer {
    let directory = tempfile::tempdir().expect("a directory");
    let runner =
        Arc::new(Behaviours { by_alias: case.member_or_null("behaviour"), ran: Mutex::default() });
    // The directory is that of an earlier pass.
    Directory::open(directory.path(), UID).expect("a work directory");
    let mut session = session(case, runner.clone(), directory.path());
    let mut never = StopSignal::never();
    let passed = RUNTIME.with(|runtime| runtime.block_on(session.pass(&mut never)));
    let passed = passed.expect("a journal that never fails");
    let mut answer = result(&passed, session.progress(), &runner);
    blank_messages(&mut answer, case.member("want").unwrap_or(&Value::Null));
    Answer::value(answer)
}

fn session(case: &Case<'_>, runner: Arc<Behaviours>, root: &Path) -> Session {
    let order = Order {
        uid: UID.to_owned(),
        steps: objects(case, "steps").unwrap_or_default(),
        vars: objects(case, "vars").unwrap_or_default(),
        ..Order::default()
    };
    let driver = Driver {
        order: Arc::new(order),
        runner,
        control_plane: Arc::new(FakeControlPlane::default()),
        clock: Arc::new(ManualClock::new(Moment::from_seconds(NOW))) as Arc<dyn Clock>,
        journal: Arc::new(Forgetful),
        observer: Arc::new(Silent),
        effects: Effects::Real,
        root: root.to_owned(),
        quota_bytes: None,
    };
    driver.open(progress(case)).expect("a session")
}

fn progress(case: &Case<'_>) -> Progress {
    let ago: Duration = case.text("startedAgo").parse().unwrap_or_default();
    let started_at = NOW - ago.as_nanos() / 1_000_000_000;
    let records = case.member("stepExecutionMetadata").and_then(Value::as_array);
    let records = records.into_iter().flatten().map(|record| {
        let mut record = record.clone();
        let is_started = record.as_object_mut().and_then(|it| it.remove("startedAt"));
        remove_nulls(&mut record);
        let mut record: StepExecutionMetadata = serde_json::from_value(record).unwrap_or_default();
        record.started_at = is_started
            .filter(|it| *it == true)
            .map(|_| Time(Timestamp::from_second(started_at).unwrap_or_default()));
        record
    });
    Progress {
        current_step: case.count("startFromStep"),
        step_execution_metadata: records.collect(),
        state: case.member("state").and_then(Value::as_object).cloned().unwrap_or_default(),
        health_checks: Vec::new(),
    }
}

fn result(passed: &Passed, progress: &Progress, runner: &Behaviours) -> Value {
    let records = &progress.step_execution_metadata;
    let is_retry = records.iter().any(|it| it.message.ends_with("; step will be retried"));
    let (phase, message, is_retry) = match passed {
        Passed::Ended(end) => (end.phase.as_str(), end.message.as_str(), false),
        _ => ("Running", "", is_retry),
    };
    let ran = runner.ran.lock();
    let mut result = json!({
        "phase": phase,
        "currentStep": progress.current_step,
        "steps": records.iter().map(step).collect::<Vec<_>>(),
        "state": progress.state,
        "ran": ran.iter().map(|(alias, _)| alias).collect::<Vec<_>>(),
        "configs": ran.iter().cloned().collect::<Map<String, Value>>(),
        "healthChecks": progress.health_checks.iter().map(|it| &it.uses).collect::<Vec<_>>(),
        "retry": is_retry,
    });
    if !message.is_empty() {
        result["message"] = json!(message);
    }
    result
}

fn step(record: &StepExecutionMetadata) -> Value {
    let mut step = json!({
        "alias": record.alias,
        "continueOnError": record.continue_on_error,
        "errorCount": record.error_count,
        "started": record.started_at.is_some(),
        "finished": record.finished_at.is_some(),
        "status": record.status,
    });
    if !record.message.is_empty() {
        step["message"] = json!(record.message);
    }
    step
}

/// Takes over messages that the case does not pin, and those that we word in another way.
fn blank_messages(ours: &mut Value, want: &Value) {
    blank_message(ours, want);
    let steps = ours["steps"].as_array_mut().into_iter().flatten();
    for (ours, want) in steps.zip(want["steps"].as_array().into_iter().flatten()) {
        blank_message(ours, want);
    }
}

fn blank_message(ours: &mut Value, want: &Value) {
    let Some(message) = ours.get("message").and_then(Value::as_str) else { return };
    // Upstream names its vendor where a kind is unknown, and repeats an error that has no words.
    let is_ours = message.contains("is not registered; ") || message.contains(" errored: ");
    if (is_ours && want.get("message").is_some()) || want["message"] == "*" {
        ours["message"] = want["message"].clone();
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Steps that do what the case says for their alias.
struct Behaviours {
    by_alias: Value,
    ran: Mutex<Vec<(String, Value)>>,
}

impl Behaviours {
    fn attempt(&self, alias: &str) -> Attempt {
        let behaviour = &self.by_alias[alias];
        let status = PromotionStepStatus::from(text(behaviour, "status"));
        let is_final = behaviour["terminal"] == true;
        if behaviour["panic"] == true {
            return Attempt::fault(PromotionStepStatus::Errored, "step panicked: boom", true);
        }
        let attempt = match behaviour["err"].as_str() {
            Some(error) => Attempt::fault(status, error, is_final),
            None => Attempt { status, ..Attempt::default() },
        };
        Attempt {
            message: text(behaviour, "message").to_owned(),
            output: behaviour["output"].as_object().cloned(),
            health_check: (behaviour["health"] == true)
                .then(|| HealthCheckStep { uses: alias.to_owned(), config: None }),
            ..attempt
        }
    }
}

impl Runner for Behaviours {
    fn traits(&self, kind: &str) -> Option<Traits> {
        let error_threshold = match kind {
            "step" | "compose" => 1,
            "retrying" => 3,
            _ => return None,
        };
        let defaults = Defaults { timeout: None, error_threshold };
        Some(Traits { defaults, feeds_task: kind == "compose", is_quiet: true })
    }

    fn wants_text(&self, _: &str, _: &[String]) -> bool {
        false
    }

    fn attempt<'a>(
        &'a self,
        _: &'a str,
        config: Value,
        cx: &'a StepCx<'a>,
    ) -> std::pin::Pin<Box<dyn Future<Output = Attempt> + Send + 'a>> {
        self.ran.lock().push((cx.alias.to_owned(), config));
        Box::pin(std::future::ready(self.attempt(cx.alias)))
    }
}

/// Nothing is written down.
struct Forgetful;

impl Journal for Forgetful {
    fn write<'a>(
        &'a self,
        _: Entry<'a>,
        _: work_steps::driver::Moment,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<(), JournalError>> + Send + 'a>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
