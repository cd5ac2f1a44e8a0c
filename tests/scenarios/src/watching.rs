//! What people see of a Project, and waiting until they do.

use anyhow::{Result, ensure};
use dev_testkit::{eventually, found};
use serde_json::Value;

use crate::{
    patience::PATIENCE,
    project::{Project, REFRESH},
};

/// Phases in which nothing happens any more.
const OVER: [&str; 4] = ["Succeeded", "Failed", "Errored", "Aborted"];

impl Project {
    /// Waits until an object of ours is as wanted, and returns it. Who waits in vain is told all about the Project.
    pub(crate) async fn await_that(
        &self,
        resource: &str,
        what: &str,
        is_it: impl Fn(&Value) -> bool,
    ) -> Result<Value> {
        let is_so = async || Ok(is_it(&self.get(resource).await?));
        let waited = eventually(PATIENCE, &format!("{resource}: {what}"), is_so).await;
        if let Err(error) = waited {
            let status = self.get(resource).await?["status"].to_string();
            return Err(error.context(self.account().await?).context(status));
        }
        self.get(resource).await
    }

    pub(crate) async fn await_stage(
        &self,
        stage: &str,
        what: &str,
        is_it: impl Fn(&Value) -> bool,
    ) -> Result<Value> {
        self.await_that(&format!("stages/{stage}"), what, is_it).await
    }

    /// Waits until a Promotion is over, which must be in this way, and returns it.
    pub(crate) async fn ended(&self, promotion: &str, phase: &str) -> Result<Value> {
        let is_over = |it: &Value| OVER.contains(&phase_of(it));
        let ended = self.await_that(&format!("promotions/{promotion}"), "it ends", is_over).await?;
        ensure!(phase_of(&ended) == phase, "{promotion} is not {phase}: {}", ended["status"]);
        Ok(ended)
    }

    /// Waits until the Stage has recorded this Promotion as its last one, and returns the Stage.
    pub(crate) async fn recorded(&self, stage: &str, promotion: &str) -> Result<Value> {
        let what = format!("{promotion} is recorded");
        let is_it = |it: &Value| it["status"]["lastPromotion"]["name"] == promotion;
        self.await_stage(stage, &what, is_it).await
    }

    /// Waits until a Stage has verified Freight.
    pub(crate) async fn verified(&self, freight: &str, stage: &str) -> Result<Value> {
        let resource = format!("freights/{freight}");
        let what = format!("it is verified in {stage}");
        let is_it = |it: &Value| it["status"]["verifiedIn"][stage].is_object();
        self.await_that(&resource, &what, is_it).await
    }

    /// Has the Stage looked at once more: what did not happen then does not happen by itself.
    pub(crate) async fn settled(&self, stage: &str) -> Result<Value> {
        let token = self.token();
        self.annotate(&format!("stages/{stage}"), REFRESH, &token).await?;
        let is_handled = |it: &Value| it["status"]["lastHandledRefresh"] == token.as_str();
        self.await_stage(stage, "the refresh is handled", is_handled).await
    }

    /// The Promotions of a Stage, oldest first.
    pub(crate) async fn promotions(&self, stage: &str) -> Result<Vec<Value>> {
        let list = self.get("promotions").await?;
        let mut items = list["items"].as_array().cloned().unwrap_or_default();
        items.retain(|it| it["spec"]["stage"] == stage);
        items.sort_by_key(|it| it["metadata"]["name"].to_string());
        Ok(items)
    }

    /// The Freight that was promoted to a Stage, in that order.
    pub(crate) async fn promoted(&self, stage: &str) -> Result<Vec<String>> {
        let promotions = self.promotions(stage).await?;
        let freight = |it: &Value| it["spec"]["freight"].as_str().unwrap_or_default().to_owned();
        Ok(promotions.iter().map(freight).collect())
    }

    /// Waits until an event tells of an object, and returns the event.
    pub(crate) async fn told(&self, reason: &str, about: &str) -> Result<Value> {
        let path = format!("/api/v1/namespaces/{}/events", self.name);
        let find = async || {
            let events = self.read(&path).await?["items"].take();
            let is_it = |event: &Value| {
                event["reason"] == reason && event["involvedObject"]["name"] == about
            };
            let events = events.as_array().cloned().unwrap_or_default();
            anyhow::Ok(events.into_iter().find(is_it))
        };
        found(PATIENCE, &format!("{reason} is told of {about}"), find).await
    }

    /// The AnalysisRuns of the Project, oldest first.
    pub(crate) async fn runs(&self) -> Result<Vec<Value>> {
        let list = self.read(&self.argo("analysisruns")).await?;
        let mut items = list["items"].as_array().cloned().unwrap_or_default();
        items.sort_by_key(|it| it["metadata"]["name"].to_string());
        Ok(items)
    }

    /// All that a person would look at first: conditions of Stages, and Promotions.
    async fn account(&self) -> Result<String> {
        let mut lines = vec![format!("in Project {}:", self.name)];
        for stage in self.get("stages").await?["items"].as_array().into_iter().flatten() {
            let name = &stage["metadata"]["name"];
            for it in stage["status"]["conditions"].as_array().into_iter().flatten() {
                let [kind, status, reason, message] =
                    ["type", "status", "reason", "message"].map(|field| words(&it[field]));
                lines.push(format!("  Stage {name}: {kind}={status} {reason} {message}"));
            }
        }
        for promotion in self.get("promotions").await?["items"].as_array().into_iter().flatten() {
            let (name, status) = (&promotion["metadata"]["name"], &promotion["status"]);
            let message = words(&status["message"]);
            lines.push(format!("  Promotion {name}: {} {message}", words(&status["phase"])));
        }
        Ok(lines.join("\n"))
    }
}

/// The beginning of a text.
fn words(value: &Value) -> String {
    value.as_str().unwrap_or_default().chars().take(200).collect()
}

/// The phase of a Promotion.
pub(crate) fn phase_of(promotion: &Value) -> &str {
    promotion["status"]["phase"].as_str().unwrap_or_default()
}

/// The status of a condition, its reason and its message; empty when it is not there.
pub(crate) fn condition(object: &Value, kind: &str) -> [String; 3] {
    let conditions = object["status"]["conditions"].as_array();
    let found = conditions.and_then(|all| all.iter().find(|one| one["type"] == kind));
    ["status", "reason", "message"]
        .map(|field| found.and_then(|it| it[field].as_str()).unwrap_or_default().to_owned())
}

/// Whether a Stage is ready.
pub(crate) fn is_ready(stage: &Value) -> bool {
    condition(stage, "Ready").starts_with(&["True".to_owned()])
}

/// What a Stage holds of a Warehouse.
pub(crate) fn holds<'a>(stage: &'a Value, warehouse: &str) -> &'a str {
    let items = &stage["status"]["freightHistory"][0]["items"];
    items[format!("Warehouse/{warehouse}")]["name"].as_str().unwrap_or_default()
}

/// The newest verification of what a Stage holds.
pub(crate) fn verification(stage: &Value) -> &Value {
    &stage["status"]["freightHistory"][0]["verificationHistory"][0]
}
