//! Listing collections, whole or in pages, as they are or as they were.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use emb_meta::{FieldError, GroupKind, ObjectExt, Reason, Status};
use emb_store::{Entry, Listing, Range};
use serde_json::{Value, json};

use super::selection::Selection;
use crate::{
    call::{Call, Reply},
    request::query::{Query, resource_version},
};

/// Objects to be written as a list.
pub(crate) struct List {
    pub(crate) entries: Vec<Arc<Entry>>,
    pub(crate) revision: u64,
    pub(crate) continue_token: Option<String>,
    pub(crate) remaining: Option<usize>,
}

/// Where the next page of a list starts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Continue {
    /// The revision of the first page; `None` resumes on current data.
    revision: Option<u64>,
    namespace: String,
    name: String,
}

/// Which state of the collection is asked for.
enum At {
    /// The current one, which must have reached a revision.
    Current(u64),
    /// The state at a revision.
    Exactly(u64),
}

/// Answers a GET of a collection.
pub(super) async fn list(call: &mut Call) -> Result<Reply, Status> {
    if call.info.query.find("sendInitialEvents").is_some() {
        let detail = "sendInitialEvents is forbidden for list";
        return Err(invalid_options(&[FieldError::forbidden("sendInitialEvents", detail)]));
    }
    select(call).await.map(Reply::List)
}

/// The objects that the request means, or a page of them.
pub(super) async fn select(call: &Call) -> Result<List, Status> {
    let selection = Selection::read(call)?;
    let query = &call.info.query;
    let mut limit = query.number("limit")?.and_then(|n| usize::try_from(n).ok()).filter(|&n| n > 0);
    let resume = read_continue(query)?;
    let at = match &resume {
        Some(token) => token.revision.map_or(At::Current(0), At::Exactly),
        None => read_version(query, limit.is_some())?,
    };
    if query.get("resourceVersion") == "0" {
        limit = None;
    }
    let mut listing = match at {
        At::Current(revision) => {
            call.state.reach(revision).await?;
            match &resume {
                None => selection.list(call),
                Some(token) => {
                    let after = Some((token.namespace.as_str(), token.name.as_str()));
                    let range = Range { after, ..selection.range() };
                    call.state.store.list(&call.served.storage, range)
                }
            }
        }
        At::Exactly(revision) => list_at(call, &selection, resume.as_ref(), revision).await?,
    };
    selection.retain(call, &mut listing);
    Ok(page(listing, limit, selection.is_everything()))
}

async fn list_at(
    call: &Call,
    selection: &Selection,
    resume: Option<&Continue>,
    revision: u64,
) -> Result<Listing, Status> {
    call.state.reach(revision).await?;
    let after = resume.map(|token| (token.namespace.as_str(), token.name.as_str()));
    let range = Range { after, ..selection.range() };
    call.state.store.list_at(&call.served.storage, range, revision).map_err(|_| {
        let message = if resume.is_some() {
            "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list."
        } else {
            "The resourceVersion for the provided list is too old."
        };
        let mut status = Status::new(Reason::Expired, message);
        status.continue_token =
            resume.map(|token| Continue { revision: None, ..token.clone() }.encode());
        status
    })
}

fn page(listing: Listing, limit: Option<usize>, everything: bool) -> List {
    let Listing { revision, mut entries, .. } = listing;
    let rest = entries.len().saturating_sub(limit.unwrap_or(usize::MAX));
    if let (Some(limit), true) = (limit, rest > 0) {
        entries.truncate(limit);
    }
    let last = entries.last().filter(|_| rest > 0);
    let continue_token = last.map(|entry| {
        Continue {
            revision: Some(revision),
            namespace: entry.key.namespace.to_string(),
            name: entry.key.name.to_string(),
        }
        .encode()
    });
    let remaining = (rest > 0 && everything).then_some(rest);
    List { entries, revision, continue_token, remaining }
}

fn read_version(query: &Query, limited: bool) -> Result<At, Status> {
    let text = query.get("resourceVersion");
    let forbidden = |detail: &str| {
        let error = FieldError::forbidden("resourceVersionMatch", detail);
        invalid_options(&[error])
    };
    match query.get("resourceVersionMatch") {
        "" => {
            let revision = resource_version(text)?.unwrap_or(0);
            // With a limit the pages must fit together, so the first one shows the state that was named.
            Ok(if limited && revision > 0 { At::Exactly(revision) } else { At::Current(revision) })
        }
        _ if text.is_empty() => {
            Err(forbidden("resourceVersionMatch is forbidden unless resourceVersion is provided"))
        }
        "Exact" if text == "0" => {
            Err(forbidden("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""))
        }
        "Exact" => Ok(At::Exactly(resource_version(text)?.unwrap_or(0))),
        "NotOlderThan" => Ok(At::Current(resource_version(text)?.unwrap_or(0))),
        other => {
            let supported = ["Exact", "NotOlderThan", ""];
            let error = FieldError::not_supported("resourceVersionMatch", &json!(other), supported);
            Err(invalid_options(&[error]))
        }
    }
}

/// 422 for the options of a list or watch.
pub(super) fn invalid_options(errors: &[FieldError]) -> Status {
    Status::invalid(&GroupKind::new("meta.k8s.io", "ListOptions"), "", errors)
}

fn read_continue(query: &Query) -> Result<Option<Continue>, Status> {
    let token = query.get("continue");
    if token.is_empty() {
        return Ok(None);
    }
    let bad = |message: &str| Status::new(Reason::BadRequest, message);
    if !query.get("resourceVersionMatch").is_empty() {
        let detail = "resourceVersionMatch is forbidden when continue is provided";
        return Err(invalid_options(&[FieldError::forbidden("resourceVersionMatch", detail)]));
    }
    if !matches!(query.get("resourceVersion"), "" | "0") {
        return Err(bad("specifying resource version is not allowed when using continue"));
    }
    Continue::decode(token)
        .map(Some)
        .ok_or_else(|| bad("invalid continue token: continue key is not valid"))
}

impl Continue {
    fn encode(&self) -> String {
        let revision = self.revision.map_or(json!(-1), |revision| json!(revision));
        let start = format!("{}/{}\0", self.namespace, self.name);
        let token = json!({ "v": "meta.k8s.io/v1", "rv": revision, "start": start });
        URL_SAFE_NO_PAD.encode(token.to_string())
    }

    fn decode(token: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let value: Value = serde_json::from_slice(&bytes).ok()?;
        if value.text(&["v"]) != "meta.k8s.io/v1" {
            return None;
        }
        let (namespace, name) = value.text(&["start"]).strip_suffix('\0')?.split_once('/')?;
        let revision = value.get("rv")?;
        Some(Self {
            revision: if revision.as_i64() == Some(-1) { None } else { Some(revision.as_u64()?) },
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_version_match_needs_a_version_and_a_known_name() {
        let read = |text: &str| read_version(&Query::parse(text), false).err().map(|s| s.code);
        assert_eq!(read("resourceVersionMatch=Exact"), Some(422));
        assert_eq!(read("resourceVersionMatch=Exact&resourceVersion=0"), Some(422));
        assert_eq!(read("resourceVersionMatch=Odd&resourceVersion=1"), Some(422));
        assert_eq!(read("resourceVersion=abc"), Some(400));
        assert_eq!(read("resourceVersionMatch=NotOlderThan&resourceVersion=1"), None);
    }

    proptest! {
        #[test]
        fn continue_tokens_round_trip(revision in proptest::option::of(1..u64::from(u32::MAX)), namespace in "[a-z]{0,5}", name in "[a-z:.]{1,5}") {
            let token = Continue { revision, namespace, name };
            prop_assert_eq!(Continue::decode(&token.encode()), Some(token));
        }

        #[test]
        fn no_token_panics(text in ".{0,60}") {
            let _ = Continue::decode(&text);
        }
    }
}
