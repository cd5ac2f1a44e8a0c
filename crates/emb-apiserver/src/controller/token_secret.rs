//! Token Secrets live and die with their ServiceAccount. Their token is filled in when they are created; this controller
//! removes those without an account and fills in what was taken out.

use std::sync::Arc;

use emb_meta::{GroupResource, ObjectExt, Reason, Status};
use emb_store::{Change, Entry, Key, Range};
use serde_json::{Value, json};

use super::{Queue, again};
use crate::{
    internal::Internal,
    object::kind::{self, ACCOUNT_NAME, ACCOUNT_UID, is_token_secret},
    state::State,
};

/// Secrets to look at.
#[derive(Default)]
pub(super) struct Feed {
    queue: Queue<Work>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// A ServiceAccount is gone: namespace and name.
    Account(Arc<str>, Arc<str>),
    /// A Secret was written.
    Secret(Key),
}

impl super::Feed for Feed {
    fn note(&self, change: Change, entry: &Entry) {
        let key = &entry.key;
        if !key.resource.group.is_empty() {
            return;
        }
        match (&*key.resource.resource, change) {
            ("serviceaccounts", Change::Deleted) => {
                self.queue.push(Work::Account(key.namespace.clone(), key.name.clone()));
            }
            ("secrets", Change::Created | Change::Updated) if is_token_secret(&entry.value()) => {
                self.queue.push(Work::Secret(key.clone()));
            }
            _ => {}
        }
    }
}

/// Runs until the server stops.
pub(super) async fn run(state: Arc<State>, feed: Arc<Feed>) {
    let internal = Internal::new(&state, "tokens-controller");
    loop {
        let work = feed.queue.pop().await;
        let result = match &work {
            Work::Secret(key) => check(&internal, key).await,
            Work::Account(namespace, name) => check_all(&internal, namespace, name).await,
        };
        if let Err(status) = result {
            tracing::warn!(%status, "token Secret cannot be kept in order");
            let feed = feed.clone();
            again(&state, move || feed.queue.push(work));
        }
    }
}

async fn check_all(internal: &Internal, namespace: &str, account: &str) -> Result<(), Status> {
    let secrets = GroupResource::new("", "secrets");
    let range = Range { namespace: Some(namespace), ..Range::default() };
    for entry in internal.state.store.list(&secrets, range).entries {
        let object = entry.value();
        if is_token_secret(&object) && object.annotation(ACCOUNT_NAME) == Some(account) {
            check(internal, &entry.key).await?;
        }
    }
    Ok(())
}

async fn check(internal: &Internal, key: &Key) -> Result<(), Status> {
    let state = &internal.state;
    let Some(entry) = state.store.get(key) else { return Ok(()) };
    let secret = entry.value();
    let accounts = GroupResource::new("", "serviceaccounts");
    let name = secret.annotation(ACCOUNT_NAME).unwrap_or_default();
    let account = state.store.get(&Key::new(&accounts, key.namespace.clone(), name));
    let snapshot = state.registry.snapshot();
    let Some(served) = snapshot.find("", "v1", "secrets") else { return Ok(()) };
    let known_uid = secret.annotation(ACCOUNT_UID);
    let result = match account {
        Some(account) if known_uid.is_none_or(|uid| uid == &*account.uid) => {
            if is_filled(&secret) {
                return Ok(());
            }
            let mut filled = secret.clone();
            kind::fill_token(state, &mut filled, &account.uid);
            let patch = json!({
                "metadata": {
                    "annotations": { ACCOUNT_UID: &*account.uid },
                    "resourceVersion": entry.revision.to_string(),
                },
                "data": filled.get("data").cloned().unwrap_or_default(),
            });
            internal.merge(served, key, "", &patch).await
        }
        _ => internal.delete(served, key, &entry.uid, "Background").await,
    };
    match result {
        Err(status) if !matches!(status.reason, Reason::NotFound | Reason::Conflict) => Err(status),
        _ => Ok(()),
    }
}

fn is_filled(secret: &Value) -> bool {
    secret.annotation(ACCOUNT_UID).is_some()
        && ["token", "namespace"].iter().all(|key| !secret.text(&["data", key]).is_empty())
}
