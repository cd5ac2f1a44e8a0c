//! One scene on its way: its Project and what is in it, and the rows one after the other.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use dev_testkit::Reply;
use http::Method;
use serde_json::{Value, json};

use crate::{
    actor::Actor,
    expect::{differences, judge},
    names::Names,
    object::locate,
    patience::soon,
    report::Verdict,
    suite::Suite,
    table::{Row, Scene},
};

/// How long an Event that must not come is waited for.
const SILENCE: Duration = Duration::from_millis(300);
/// What kube-apiserver says when roles do not allow a request.
const NOT_ALLOWED: &str = "is forbidden: User ";

/// One scene on its way.
pub(crate) struct Play<'s> {
    suite: &'s Suite,
    /// The namespace of its Project.
    home: String,
    names: Names,
}

impl<'s> Play<'s> {
    /// Puts the Project and what is given in place.
    pub(crate) async fn set(suite: &'s Suite, place: &str, scene: &Scene) -> Result<Self> {
        let home = format!("adm-{}-{}", suite.run, place.replace('_', "-"));
        let mut names = Names::default();
        names.put("project", &home);
        let mut play = Self { suite, home, names };
        if scene.project {
            play.give(&json!({"kind": "Project", "name": "$project"})).await?;
        }
        for short in &scene.given {
            play.give(short).await?;
        }
        Ok(play)
    }

    /// Creates an object as the administrator, then its status.
    async fn give(&mut self, short: &Value) -> Result<()> {
        let short = self.names.fill_value(short)?;
        let created = self.suite.create(&locate(&short, &self.home)?).await?;
        if let Some(status) = short.get("status") {
            let mut named = short.clone();
            named["name"] = created["metadata"]["name"].clone();
            named["sub"] = json!("status");
            let path = locate(&named, &self.home)?.path;
            let headers = [("content-type", "application/merge-patch+json")];
            let patch = json!({"status": status}).to_string();
            let reply = self.suite.client().send(Method::PATCH, &path, &headers, patch).await?;
            ensure!(reply.status.is_success(), "status of {path}: {}", reply.text());
        }
        if let Some(word) = short["keep"].as_str() {
            self.names.keep(word, &created);
        }
        Ok(())
    }

    /// How a row ends.
    pub(crate) async fn settle(&mut self, row: &Value) -> Verdict {
        match self.check(row).await {
            Ok(None) => Verdict::Passed,
            Ok(Some(why)) => Verdict::Skipped(why),
            Err(error) => Verdict::Failed(error),
        }
    }

    /// Runs one row; says why when it does not count on this engine.
    async fn check(&mut self, raw: &Value) -> Result<Option<String>> {
        let row = Row::read(raw)?;
        if let (Some(only), Some(because)) = (row.only, row.because)
            && only != self.suite.engine
        {
            return Ok(Some(because));
        }
        let actor = self.suite.actor(&self.names.fill(&row.actor)?).await?;
        self.names.put("user", &actor.user);
        let row = Row::read(&self.names.fill_value(raw)?)?;
        let reply = if row.eventually {
            soon(async || self.ask(&row, &actor).await).await?
        } else {
            self.ask_with_roles(&row, &actor).await?
        };
        let answer = reply.json();
        if let Some(events) = &row.events {
            self.check_events(&answer, events).await?;
        }
        if let Some(word) = &row.keep {
            self.names.keep(word, &answer);
        }
        Ok(None)
    }

    async fn ask(&self, row: &Row, actor: &Actor) -> Result<Reply> {
        let reply = self.suite.send(row, actor, &self.home).await?;
        let wrong = judge(row, &reply);
        ensure!(wrong.is_empty(), "{}", wrong.join("\n    "));
        Ok(reply)
    }

    /// Asks again while roles that were just bound are not yet known to the server.
    async fn ask_with_roles(&self, row: &Row, actor: &Actor) -> Result<Reply> {
        let reply = self.suite.send(row, actor, &self.home).await?;
        let wrong = judge(row, &reply);
        if wrong.is_empty() {
            return Ok(reply);
        }
        if reply.status.as_u16() == 403 && reply.text().contains(NOT_ALLOWED) {
            return soon(async || self.ask(row, actor).await).await;
        }
        bail!("{}", wrong.join("\n    "))
    }

    /// The Events about an object must be those that are wanted.
    async fn check_events(&self, answer: &Value, want: &[Value]) -> Result<()> {
        let name = answer["metadata"]["name"].as_str().context("no object to have Events")?;
        if want.is_empty() {
            tokio::time::sleep(SILENCE).await;
            let events = self.events(name).await?;
            ensure!(events.is_empty(), "Events {events:?}, want none");
            return Ok(());
        }
        soon(async || {
            let events = self.events(name).await?;
            for want in want {
                let is_met = |event: &Value| {
                    let mut wrong = Vec::new();
                    differences("", event, want, &mut wrong);
                    wrong.is_empty()
                };
                ensure!(events.iter().any(is_met), "no Event like {want} among {events:?}");
            }
            Ok(())
        })
        .await
    }

    async fn events(&self, name: &str) -> Result<Vec<Value>> {
        let path = format!("/api/v1/namespaces/{}/events", self.home);
        let list = self.suite.client().get(&path).await?.json();
        let events = list["items"].as_array().cloned().unwrap_or_default();
        Ok(events.into_iter().filter(|event| event["involvedObject"]["name"] == *name).collect())
    }
}
