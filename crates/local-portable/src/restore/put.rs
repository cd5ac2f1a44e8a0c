//! One object on its way into the target.
//!
//! What is there is read first, so that running it again writes only what is missing. The status follows the object at
//! once; in the end what the server keeps is compared with what it should, and a difference is told.

use io_kube::{is_already_exists, is_conflict};
use serde_json::{Value, json};

use super::{marker::Existing, owners::Owners};
use crate::{
    Error, Resource,
    content::{self, content, difference, without_owners, without_status},
    object::{self, Key},
    requests::{Requests, failure, is_fatal, is_full, said},
};

/// How often somebody else may come between our look and our write.
const TRIES: usize = 4;
/// The mark of what an installation on the target looks after itself.
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
const HELM: &str = "Helm";

/// What became of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was not there.
    Created,
    /// It was there and said something else, or not all.
    Changed,
    /// It was there as it should be.
    Unchanged,
    /// The target's own stays, as it must.
    Kept,
    /// It is not there as it should be, and why.
    Refused(String),
}

/// Puts objects in place.
pub(super) struct Put<'a> {
    pub(super) requests: &'a Requests<'a>,
    pub(super) existing: Existing,
    pub(super) owners: Owners,
}

/// Why an object is not put in place.
enum Stop {
    Refused(String),
    Fatal(Error),
    Again,
}

impl Put<'_> {
    /// Puts one object in place, with its status and owners.
    pub(super) async fn put(&self, resource: &Resource, object: &Value) -> Result<Outcome, Error> {
        for _ in 0..TRIES {
            match self.attempt(resource, object).await {
                Ok(outcome) => return Ok(outcome),
                Err(Stop::Refused(why)) => return Ok(Outcome::Refused(why)),
                Err(Stop::Fatal(error)) => return Err(error),
                Err(Stop::Again) => {}
            }
        }
        Ok(Outcome::Refused("somebody else changes it all the time".to_owned()))
    }

    async fn attempt(&self, resource: &Resource, object: &Value) -> Result<Outcome, Stop> {
        let key = Key::of(resource, object);
        let found = self.requests.get(resource, &key.namespace, &key.name).await;
        let (mut live, mut outcome) = match found.map_err(|error| stop(&key, error))? {
            Some(live) => (live, Outcome::Unchanged),
            None => (self.create(resource, object, &key).await?, Outcome::Created),
        };
        self.owners.learn(object, &live);
        if outcome == Outcome::Unchanged {
            match self.align(resource, object, &live).await? {
                Aligned::Same => {}
                Aligned::Changed(changed) => (live, outcome) = (changed, Outcome::Changed),
                Aligned::Left(left) => return Ok(left),
            }
        }
        let status = self.write_status(resource, object, &live).await?;
        let owners = self.write_owners(resource, object, &live, &key).await?;
        if let Some(written) = owners.or(status) {
            live = written;
            outcome = if outcome == Outcome::Created { outcome } else { Outcome::Changed };
        }
        Ok(lost(resource, object, &live).map_or(outcome, Outcome::Refused))
    }

    async fn create(&self, resource: &Resource, object: &Value, key: &Key) -> Result<Value, Stop> {
        let body = self.body(resource, object);
        let created = self.requests.create(resource, &body).await;
        created
            .map_err(|error| if is_already_exists(&error) { Stop::Again } else { stop(key, error) })
    }

    /// What is sent: with owners if all are there. A dangling one would let the server delete it.
    fn body(&self, resource: &Resource, object: &Value) -> Value {
        let mut body = content::portable(resource, object);
        let owners = self.owners.references(object).unwrap_or_default();
        if let Some(metadata) = object::metadata_mut(&mut body).filter(|_| !owners.is_empty()) {
            metadata.insert("ownerReferences".to_owned(), owners.into());
        }
        body
    }

    /// Brings an object that was there into line, or leaves it.
    async fn align(
        &self,
        resource: &Resource,
        object: &Value,
        live: &Value,
    ) -> Result<Aligned, Stop> {
        let [wanted, there] = [object, live].map(|one| without_owners(content(resource, one)));
        if wanted == there {
            return Ok(Aligned::Same);
        }
        let [bare_wanted, bare_there] = [&wanted, &there].map(|one| without_status(one.clone()));
        if bare_wanted == bare_there && (resource.is_ours() && is_without_status(&there)) {
            return Ok(Aligned::Same);
        }
        if is_adopted(resource) {
            return self.adopt(resource, object, live).await;
        }
        if object::label(live, MANAGED_BY) == HELM && !resource.is_ours() {
            return Ok(Aligned::Left(Outcome::Kept));
        }
        if self.existing == Existing::Kept {
            let place = difference(&wanted, &there).unwrap_or_default();
            let why = format!("the target has another one, which differs in {place}");
            return Ok(Aligned::Left(Outcome::Refused(why)));
        }
        if bare_wanted == bare_there && resource.is_ours() {
            return Ok(Aligned::Same);
        }
        let mut body = self.body(resource, object);
        if let Some(metadata) = object::metadata_mut(&mut body) {
            metadata.insert("resourceVersion".to_owned(), object::resource_version(live).into());
        }
        let replaced = self.requests.replace(resource, &body).await;
        replaced.map(Aligned::Changed).map_err(|error| stop(&Key::of(resource, object), error))
    }

    /// Adds labels, annotations and finalizers to something that an installation makes too.
    async fn adopt(
        &self,
        resource: &Resource,
        object: &Value,
        live: &Value,
    ) -> Result<Aligned, Stop> {
        let patch = addition(object, live);
        if covers(live, &patch) {
            return Ok(Aligned::Same);
        }
        let patched = self.requests.patch(resource, live, &patch).await;
        patched.map(Aligned::Changed).map_err(|error| stop(&Key::of(resource, object), error))
    }

    async fn write_status(
        &self,
        resource: &Resource,
        object: &Value,
        live: &Value,
    ) -> Result<Option<Value>, Stop> {
        let status = content::status(object, object::generation(live));
        let [wanted, there] =
            [object, live].map(|one| content(resource, one).get("status").cloned());
        if !resource.is_ours() || wanted.is_none() || wanted == there {
            return Ok(None);
        }
        let mut body = live.clone();
        if let Value::Object(members) = &mut body {
            members.insert("status".to_owned(), status);
        }
        let written = self.requests.replace_status(resource, &body).await;
        written.map(Some).map_err(|error| stop(&Key::of(resource, object), error))
    }

    async fn write_owners(
        &self,
        resource: &Resource,
        object: &Value,
        live: &Value,
        key: &Key,
    ) -> Result<Option<Value>, Stop> {
        let Some(owners) = self.owners.references(object) else {
            self.owners.postpone(key.clone());
            return Ok(None);
        };
        if owners == object::owners(live) || owners.is_empty() {
            return Ok(None);
        }
        let patch = json!({"metadata": {"ownerReferences": owners}});
        let patched = self.requests.patch(resource, live, &patch).await;
        patched.map(Some).map_err(|error| stop(key, error))
    }
}

/// How an object that was there is by now.
enum Aligned {
    Same,
    Changed(Value),
    Left(Outcome),
}

/// Namespaces and accounts are made by installations too; what ours add is added, what theirs have stays.
fn is_adopted(resource: &Resource) -> bool {
    ["Namespace", "ServiceAccount"].contains(&resource.kind)
}

/// What an object has beside what is there.
fn addition(object: &Value, live: &Value) -> Value {
    let of = |path: &str| object.pointer(path).cloned().unwrap_or_else(|| json!({}));
    let mut addition = json!({"metadata": {
        "labels": of("/metadata/labels"),
        "annotations": of("/metadata/annotations"),
        "finalizers": union(object, live, "/metadata/finalizers"),
    }});
    if let Value::Object(members) = &mut addition {
        for list in ["imagePullSecrets", "secrets"] {
            let entries = union(object, live, &format!("/{list}"));
            members.extend((!entries.is_empty()).then(|| (list.to_owned(), entries.into())));
        }
    }
    addition
}

/// The entries of a list, those that are there first.
fn union(object: &Value, live: &Value, path: &str) -> Vec<Value> {
    let list = |object: &Value| object.pointer(path).and_then(Value::as_array).cloned();
    let mut entries = list(live).unwrap_or_default();
    for entry in list(object).unwrap_or_default() {
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    entries
}

/// Whether everything of a patch is there.
fn covers(live: &Value, patch: &Value) -> bool {
    match patch {
        Value::Object(members) => members.iter().all(|(name, patch)| match live.get(name) {
            Some(live) => covers(live, patch),
            None => object::is_empty(patch),
        }),
        patch => live == patch,
    }
}

fn is_without_status(content: &Value) -> bool {
    content.get("status").is_none()
}

/// What the server keeps otherwise than it was told, if anything.
fn lost(resource: &Resource, object: &Value, live: &Value) -> Option<String> {
    let place = if is_adopted(resource) {
        let is_whole = covers(live, &addition(object, live));
        (!is_whole).then(|| "metadata".to_owned())?
    } else {
        let [wanted, there] = [object, live].map(|one| without_owners(content(resource, one)));
        difference(&wanted, &there)?
    };
    Some(format!("the target keeps something else in {place}; is its kind of another version?"))
}

fn stop(key: &Key, error: kube::Error) -> Stop {
    if is_conflict(&error) {
        return Stop::Again;
    }
    if is_full(&error) || is_fatal(&error) {
        return Stop::Fatal(failure(format!("write {key}"), error));
    }
    Stop::Refused(said(&error))
}
