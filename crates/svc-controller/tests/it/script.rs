//! Steps that do as they are told by their configuration or by the test.
//!
//! Those of kinds `http` and `argocd-wait` count as changing something outside, those of kind `compose-output` do not.
//!
//! | `do` | what the step does |
//! |---|---|
//! | nothing | succeeds; its configuration is its output |
//! | `fail` | fails for good |
//! | `hang` | takes until the test releases `key`, in one attempt |
//! | `wait` | wants to be looked at again every minute until the test releases `key` |
//! | `panic` | panics |
//! | `stumble` | meets an error until the test releases `key` |
//! | `say` | tells `x` |
//! | `big` | succeeds with an output of 200 kB |
//! | `check` | succeeds and registers the health check in `check` |

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use api_kinds::promotion::PromotionStepStatus;
use core_engine::Attempt;
use futures::{FutureExt, future::BoxFuture};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;
use work_steps::{
    Defaults, StepCx,
    driver::{Runner, Traits},
};

/// What steps do, and how often they were begun.
#[derive(Default)]
pub(crate) struct Script {
    released: watch::Sender<BTreeSet<String>>,
    attempts: Mutex<BTreeMap<String, usize>>,
}

impl Script {
    /// Lets the steps with this `key` end.
    pub(crate) fn release(&self, key: &str) {
        self.released.send_modify(|released| {
            released.insert(key.to_owned());
        });
    }

    /// How often steps with this `key` were attempted.
    pub(crate) fn attempts(&self, key: &str) -> usize {
        self.attempts.lock().get(key).copied().unwrap_or_default()
    }
}

impl Runner for Script {
    fn traits(&self, kind: &str) -> Option<Traits> {
        matches!(kind, "argocd-wait" | "compose-output" | "http").then_some(Traits {
            defaults: Defaults::IMMEDIATE,
            feeds_task: kind == "compose-output",
            is_quiet: kind == "compose-output",
        })
    }

    fn wants_text(&self, _: &str, _: &[String]) -> bool {
        false
    }

    fn attempt<'a>(
        &'a self,
        _: &'a str,
        config: Value,
        cx: &'a StepCx<'a>,
    ) -> BoxFuture<'a, Attempt> {
        let key = text(&config, "key");
        *self.attempts.lock().entry(key.clone()).or_default() += 1;
        async move {
            match text(&config, "do").as_str() {
                "fail" => return Attempt::fault(PromotionStepStatus::Failed, "told to fail", true),
                "hang" => {
                    let mut released = self.released.subscribe();
                    let is_released = |keys: &BTreeSet<String>| keys.contains(&key);
                    released.wait_for(is_released).await.unwrap();
                }
                "wait" if !self.released.borrow().contains(&key) => {
                    return Attempt {
                        status: PromotionStepStatus::Running,
                        retry_after: Some(Duration::from_mins(1)),
                        ..Attempt::default()
                    };
                }
                "panic" => panic!("told to panic"),
                "stumble" if !self.released.borrow().contains(&key) => {
                    return Attempt::fault(PromotionStepStatus::Errored, "told to stumble", false);
                }
                "say" => cx.say(text(&config, "x")),
                "big" => {
                    let output = json!({"x": "x".repeat(200_000)});
                    return Attempt {
                        status: PromotionStepStatus::Succeeded,
                        output: output.as_object().cloned(),
                        ..Attempt::default()
                    };
                }
                _ => {}
            }
            Attempt {
                status: PromotionStepStatus::Succeeded,
                output: config.as_object().cloned(),
                health_check: config
                    .get("check")
                    .map(|check| serde_json::from_value(check.clone()).unwrap()),
                ..Attempt::default()
            }
        }
        .boxed()
    }
}

fn text(config: &Value, member: &str) -> String {
    config.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
}
