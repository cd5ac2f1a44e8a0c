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

/// Who manages the fields of objects that the server merges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldManager {
    /// Its name.
    pub name: String,
    /// Whether it takes fields over from others.
    pub takes_over: bool,
}

/// What would come of the objects, in the order in which the server took them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// What is stored, if anything is, and what would be.
    pub pairs: Vec<(Option<Object>, Object)>,
    /// What went wrong for the others.
    pub errors: Vec<String>,
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
    stored_resource_manifest: Option<Value>,
    deleted_resource_manifest: Option<Value>,
    error: String,
    kind: String,
    namespace: String,
    name: String,
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

    /// Creates or replaces the objects of a stream of YAML documents; for a manager of fields, merges them.
    pub async fn apply_resources(
        &self,
        manifests: String,
        manager: Option<&FieldManager>,
        effect: Effect,
    ) -> Result<BatchResult, Error> {
        self.batch(Method::PUT, apply_route(manager), manifests, effect).await
    }

    /// What an apply of the objects of a stream of YAML documents would change.
    pub async fn compare_resources(
        &self,
        manifests: String,
        manager: Option<&FieldManager>,
    ) -> Result<Comparison, Error> {
        let route = apply_route(manager);
        let entries = self.entries(Method::PUT, route, manifests, Effect::DryRun).await?;
        let mut comparison = Comparison::default();
        for entry in entries {
            comparison.add(entry);
        }
        Ok(comparison)
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
        let mut result = BatchResult::default();
        for entry in self.entries(method, route, manifests, effect).await? {
            result.add(entry);
        }
        Ok(result)
    }

    async fn entries(
        &self,
        method: Method,
        route: Route,
        manifests: String,
        effect: Effect,
    ) -> Result<Vec<Entry>, Error> {
        let route = match effect {
            Effect::Real => route,
            Effect::DryRun => route.query("dryRun", "All"),
        };
        let content = Content::Manifests(manifests);
        let answer: Answer = self.exchange(method, &route, content).await?;
        Ok(answer.results.unwrap_or_default())
    }
}

fn apply_route(manager: Option<&FieldManager>) -> Route {
    let route = Route::of(&["resources"]);
    match manager {
        None => route.query("upsert", "true"),
        Some(FieldManager { name, takes_over: false }) => route.query("fieldManager", name),
        Some(FieldManager { name, takes_over: true }) => {
            route.query("fieldManager", name).query("force", "true")
        }
    }
}

impl Entry {
    /// What went wrong, and with which object where the server says so.
    fn told(self) -> String {
        let Self { error, kind, namespace, name, .. } = self;
        if name.is_empty() || error.contains(&format!("{name:?}")) {
            return error;
        }
        let place = if namespace.is_empty() { name } else { format!("{namespace}/{name}") };
        format!("{kind} {place}: {error}")
    }
}

impl Comparison {
    fn add(&mut self, mut entry: Entry) {
        let created = entry.created_resource_manifest.take();
        match created.or_else(|| entry.updated_resource_manifest.take()) {
            Some(after) => {
                let before = entry.stored_resource_manifest.map(Object::new);
                self.pairs.push((before, Object::new(after)));
            }
            None => self.errors.push(entry.told()),
        }
    }
}

impl BatchResult {
    fn add(&mut self, mut entry: Entry) {
        let outcomes = [
            (Outcome::Created, entry.created_resource_manifest.take()),
            (Outcome::Updated, entry.updated_resource_manifest.take()),
            (Outcome::Deleted, entry.deleted_resource_manifest.take()),
        ];
        let done = outcomes.into_iter().find_map(|(outcome, object)| Some((outcome, object?)));
        match done {
            Some((outcome, object)) => self.done.push((outcome, Object::new(object))),
            None => self.errors.push(entry.told()),
        }
    }
}
