//! Steps that do what steps do: nothing much, wait, fail, panic, and reach out over slow lines.

use std::{sync::Arc, time::Duration};

use api_kinds::promotion::PromotionStepStatus;
use core_clock::Clock;
use core_engine::Attempt;
use dev_sim::Dice;
use futures::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};
use work_steps::{
    Defaults, StepCx,
    driver::{Runner, Traits},
};

use super::{ground::Ground, outside::Effect};
use crate::support::MEANT;

/// Keeps a file in the work directory.
pub(super) const KEEP: &str = "sim-keep";
/// Needs the file that was kept.
pub(super) const RECALL: &str = "sim-recall";
/// Takes its time.
pub(super) const PONDER: &str = "sim-ponder";
/// Wants to be looked at again, three times.
pub(super) const AWAIT: &str = "sim-await";
/// Meets errors, at times too many.
pub(super) const STUMBLE: &str = "sim-stumble";
/// Panics at times.
pub(super) const PANIC: &str = "sim-panic";
/// Does something outside that can be done again without harm.
pub(super) const PUSH: &str = "sim-push";
/// Does something outside, once or more.
pub(super) const POST: &str = "sim-post";

/// The longest a remote takes to hear, and to answer.
const REMOTE: Duration = Duration::from_secs(8);
/// The longest that pondering takes.
const LONG: Duration = Duration::from_secs(40);
/// How often a step that waits wants to be looked at.
const LOOKS: u64 = 3;
const FILE: &str = "kept";

/// The steps of one process.
pub(super) struct SimSteps {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) dice: Dice,
    pub(super) ground: Arc<Ground>,
    pub(super) life: u64,
}

impl Runner for SimSteps {
    fn traits(&self, kind: &str) -> Option<Traits> {
        let is_known = [KEEP, RECALL, PONDER, AWAIT, STUMBLE, PANIC, PUSH, POST].contains(&kind);
        let defaults = Defaults { timeout: Some(Duration::from_mins(10)), error_threshold: 3 };
        let is_quiet = kind == KEEP || kind == RECALL;
        is_known.then_some(Traits { defaults, feeds_task: false, is_quiet })
    }

    fn wants_text(&self, _: &str, _: &[String]) -> bool {
        false
    }

    fn attempt<'a>(
        &'a self,
        kind: &'a str,
        _: Value,
        cx: &'a StepCx<'a>,
    ) -> BoxFuture<'a, Attempt> {
        async move {
            match kind {
                KEEP => keep(cx),
                RECALL => self.recall(cx),
                PONDER => {
                    self.clock.sleep(self.dice.duration(LONG)).await;
                    succeeded(json!({}))
                }
                AWAIT => self.wait(cx),
                STUMBLE if self.dice.chance(400) => errored("it stumbled"),
                PANIC if self.dice.chance(500) => panic!("{MEANT}"),
                PUSH => self.reach_out(cx, true).await,
                POST => self.reach_out(cx, false).await,
                _ => succeeded(json!({})),
            }
        }
        .boxed()
    }
}

impl SimSteps {
    fn wait(&self, cx: &StepCx<'_>) -> Attempt {
        let looks = cx.former_output().and_then(|output| output["looks"].as_u64()).unwrap_or(0) + 1;
        let (status, retry_after) = if looks < LOOKS {
            let after = Duration::from_secs(10) + self.dice.duration(Duration::from_secs(20));
            (PromotionStepStatus::Running, Some(after))
        } else {
            (PromotionStepStatus::Succeeded, None)
        };
        Attempt { status, retry_after, ..succeeded(json!({"looks": looks})) }
    }

    /// The directory is either whole or the Promotion starts over, so that the file is always there.
    fn recall(&self, cx: &StepCx<'_>) -> Attempt {
        let promotion = &cx.subject.promotion;
        let kept = cx.files.read_text(FILE, 1 << 10);
        let has_output = cx.state.values().any(|output| output["file"] == FILE);
        if !has_output || kept.as_ref().ok() != Some(promotion) {
            let trouble = format!("{promotion}: {kept:?} is left of what a step kept");
            self.ground.outside.lock().complain(trouble);
        }
        succeeded(json!({}))
    }

    /// The remote may refuse, and its answer may get lost.
    async fn reach_out(&self, cx: &StepCx<'_>, is_idempotent: bool) -> Attempt {
        self.clock.sleep(self.dice.duration(REMOTE)).await;
        if self.dice.chance(60) {
            return errored("the remote refused");
        }
        let subject = cx.subject;
        let mut freight: Vec<&str> = subject.freight.iter().map(|it| it.name.as_str()).collect();
        freight.sort_unstable();
        self.ground.outside.lock().happen(Effect {
            promotion: subject.promotion.clone(),
            alias: cx.alias.to_owned(),
            life: self.life,
            started_at: subject.started_at,
            content: format!("{} {} {freight:?}", subject.started_at, subject.target_freight.name),
            is_idempotent,
        });
        self.clock.sleep(self.dice.duration(REMOTE)).await;
        if self.dice.chance(60) {
            return errored("the answer was lost");
        }
        self.ground.outside.lock().answer(&subject.promotion, cx.alias, self.life);
        succeeded(json!({"pushed": true}))
    }
}

fn keep(cx: &StepCx<'_>) -> Attempt {
    match cx.files.write(FILE, cx.subject.promotion.as_bytes()) {
        Ok(()) => succeeded(json!({"file": FILE})),
        Err(error) => errored(&error.to_string()),
    }
}

fn succeeded(output: Value) -> Attempt {
    let output = output.as_object().cloned();
    Attempt { status: PromotionStepStatus::Succeeded, output, ..Attempt::default() }
}

fn errored(reason: &str) -> Attempt {
    Attempt::fault(PromotionStepStatus::Errored, reason, false)
}
