//! The options of a watch, and the combinations that are refused.

use std::time::Duration;

use core_clock::Entropy;
use emb_meta::{FieldError, Status};
use serde_json::json;

use super::super::list::invalid_options;
use crate::request::query::{Query, resource_version};

/// Watches without a timeout of their own end after 30 to 60 minutes, at random so that clients do not return together.
const MIN_TIMEOUT_SECONDS: u64 = 1800;

/// Where a watch starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// With the current state, which must have reached a revision.
    Initial(u64),
    /// With the first event after a revision.
    After(u64),
    /// With the first event from now on.
    Now,
}

/// How a watch goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) start: Start,
    /// Whether a marker follows the initial state.
    pub(super) marks_initial_end: bool,
    /// Whether idle clients learn how far they have come.
    pub(super) bookmarks: bool,
    pub(super) timeout: Duration,
}

impl Options {
    pub(super) fn read(query: &Query, entropy: &dyn Entropy) -> Result<Self, Status> {
        let initial = query.find("sendInitialEvents").map(|_| query.flag("sendInitialEvents"));
        check_match(query.get("resourceVersionMatch"), initial)?;
        let bookmarks = query.flag("allowWatchBookmarks");
        let revision = resource_version(query.get("resourceVersion"))?;
        let start = match (initial, revision) {
            (Some(true), revision) => Start::Initial(revision.unwrap_or(0)),
            (None, None | Some(0)) => Start::Initial(0),
            (Some(false), None | Some(0)) => Start::Now,
            (_, Some(revision)) => Start::After(revision),
        };
        let marks_initial_end = bookmarks && matches!(start, Start::Initial(_));
        let timeout = query
            .number("timeoutSeconds")?
            .and_then(|seconds| u64::try_from(seconds).ok())
            .filter(|&seconds| seconds > 0)
            .unwrap_or_else(|| MIN_TIMEOUT_SECONDS + entropy.below(MIN_TIMEOUT_SECONDS));
        Ok(Self { start, marks_initial_end, bookmarks, timeout: Duration::from_secs(timeout) })
    }
}

fn check_match(text: &str, initial: Option<bool>) -> Result<(), Status> {
    let field = "resourceVersionMatch";
    let mut errors = Vec::new();
    if initial.is_some() && text != "NotOlderThan" {
        let detail = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
        errors.push(FieldError::forbidden(field, detail));
    }
    if initial.is_none() && !text.is_empty() {
        let detail =
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
        errors.push(FieldError::forbidden(field, detail));
    } else if !matches!(text, "" | "NotOlderThan") {
        errors.push(FieldError::not_supported(field, &json!(text), ["NotOlderThan"]));
    }
    if errors.is_empty() { Ok(()) } else { Err(invalid_options(&errors)) }
}

#[cfg(test)]
mod tests {
    use core_clock::SeededEntropy;

    use super::*;

    fn read(text: &str) -> Result<Options, Status> {
        Options::read(&Query::parse(text), &SeededEntropy::new(1))
    }

    #[test]
    fn the_start_follows_version_and_initial_events() {
        let start = |text: &str| read(text).unwrap().start;
        assert_eq!(start(""), Start::Initial(0));
        assert_eq!(start("resourceVersion=0"), Start::Initial(0));
        assert_eq!(start("resourceVersion=7"), Start::After(7));
        let watch_list = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
        assert_eq!(start(watch_list), Start::Initial(0));
        assert_eq!(start(&watch_list.replace("true", "false")), Start::Now);
        assert_eq!(start(&format!("{watch_list}&resourceVersion=7")), Start::Initial(7));
    }

    #[test]
    fn the_end_of_the_initial_state_is_marked_when_bookmarks_are_allowed() {
        let marks = |text: &str| read(text).unwrap().marks_initial_end;
        assert!(marks("allowWatchBookmarks=true&resourceVersion=0"));
        assert!(marks("allowWatchBookmarks=true"));
        assert!(!marks("allowWatchBookmarks=true&resourceVersion=7"));
        assert!(!marks("sendInitialEvents=true&resourceVersionMatch=NotOlderThan"));
    }

    #[test]
    fn initial_events_and_the_version_match_need_each_other() {
        for bad in [
            "sendInitialEvents=true",
            "sendInitialEvents=true&resourceVersionMatch=Exact",
            "resourceVersionMatch=NotOlderThan",
        ] {
            assert_eq!(read(bad).unwrap_err().code, 422, "{bad}");
        }
        assert_eq!(read("resourceVersion=abc").unwrap_err().code, 400);
    }

    #[test]
    fn the_timeout_is_the_clients_or_half_an_hour_to_an_hour() {
        assert_eq!(read("timeoutSeconds=5").unwrap().timeout, Duration::from_secs(5));
        let chosen = read("").unwrap().timeout.as_secs();
        assert!((1800..3600).contains(&chosen), "{chosen}");
    }
}
