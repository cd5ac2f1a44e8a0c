//! Manifests of any kind, many at a time.

use http::Method;
use serde::Deserialize;
use serde_json::Value;

use crate::{Client, Error, Object, Route, client::Content};

/// Whether something is done, or only what would be done is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effect {
    /// It is done.
    #[default]
    Real,
    /// The server checks everything, and keeps nothing.
    DryRun,
}

/// What was done with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was not there before.
    Created,
    /// It was there and is different now.
    Updated,
    /// It is gone.
    Deleted,
}

/// What came of the objects, in the order in which the server took them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchResult {
    /// Objects, and what was done with them.
    pub done: Vec<(Outcome, Object)>,
    /// What went wrong for the others.
    pub errors: Vec<String>,
}

#[derive(Deserialize)]
struct Answer {
    results: Option<Vec<Entry>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Entry {
    created_resource_manifest: Option<Value>,
    updated_resource_manifest: Option<Value>,
    deleted_resource_manifest: Option<Value>,
    error: String,
}

impl Client {
    /// Creates the objects of a stream of YAML documents.
    pub async fn create_resources(
        &self,
        manifests: String,
        effect: Effect,
    ) -> Result<BatchResult, Error> {
        self.batch(Method::POST, Route::of(&["resources"]), manifests, effect).await
    }

    /// Creates or replaces the objects of a stream of YAML documents.
    pub async fn apply_resources(
        &self,
        manifests: String,
        effect: Effect,
    ) -> Result<BatchResult, Error> {
        let route = Route::of(&["resources"]).query("upsert", "true");
        self.batch(Method::PUT, route, manifests, effect).await
    }

    /// Deletes the objects of a stream of YAML documents.
    pub async fn delete_resources(
        &self,
        manifests: String,
        effect: Effect,
    ) -> Result<BatchResult, Error> {
        self.batch(Method::DELETE, Route::of(&["resources"]), manifests, effect).await
    }

    async fn batch(
        &self,
        method: Method,
        route: Route,
        manifests: String,
        effect: Effect,
    ) -> Result<BatchResult, Error> {
        let route = match effect {
            Effect::Real => route,
            Effect::DryRun => route.query("dryRun", "All"),
        };
        let content = Content::Manifests(manifests);
        let answer: Answer = self.exchange(method, &route, content).await?;
        let mut result = BatchResult::default();
        for entry in answer.results.unwrap_or_default() {
            result.add(entry);
        }
        Ok(result)
    }
}

impl BatchResult {
    fn add(&mut self, entry: Entry) {
        let outcomes = [
            (Outcome::Created, entry.created_resource_manifest),
            (Outcome::Updated, entry.updated_resource_manifest),
            (Outcome::Deleted, entry.deleted_resource_manifest),
        ];
        let done = outcomes.into_iter().find_map(|(outcome, object)| Some((outcome, object?)));
        match done {
            Some((outcome, object)) => self.done.push((outcome, Object::new(object))),
            None => self.errors.push(entry.error),
        }
    }
}
