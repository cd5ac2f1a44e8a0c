//! Merging at GitHub, which tells by several fields and phrases whether and why not.

use http::Method;
use serde::Deserialize;
use serde_json::json;

use super::{Github, Pull};
use crate::{
    api::{Call, given},
    decision::{CLOSED, CONFLICT, DRAFT, Decision},
    error::Error,
    pull_request::{Merge, State},
};

#[derive(Deserialize)]
struct Merged {
    merged: bool,
    #[serde(default)]
    message: String,
}

pub(super) async fn merge(
    github: &Github,
    number: u64,
    method: Option<&str>,
) -> Result<Merge, Error> {
    let pull = github.read(number).await?;
    let decision = decide(&pull);
    match decision {
        Decision::Merged => {
            return Ok(Merge::Done(github.normalized("read a pull request", &pull)?));
        }
        Decision::NotReady(reason) => return Ok(Merge::NotReady(reason)),
        Decision::Refused(reason) => return Err(github.api.not_mergeable(number, reason)),
        Decision::Merge | Decision::MergeDespitePolicy => {}
    }
    let is_policy_blocked = decision == Decision::MergeDespitePolicy;
    if let Some(reason) = ask(github, number, method, is_policy_blocked).await? {
        return Ok(Merge::NotReady(reason));
    }
    let merged = github.read(number).await?;
    Ok(Merge::Done(github.normalized("read a pull request", &merged)?))
}

/// Asks for the merge; `Some` tells why it is not ready.
async fn ask(
    github: &Github,
    number: u64,
    method: Option<&str>,
    is_policy_blocked: bool,
) -> Result<Option<String>, Error> {
    let action = format!("merge pull request {number}");
    let body = given(json!({ "merge_method": method }));
    let path = format!("{}/pulls/{number}/merge", github.root);
    let call = Call::send(&action, Method::PUT, path, body);
    let answer: Result<Merged, Error> = github.api.json(call).await;
    match answer {
        Ok(Merged { merged: true, .. }) => Ok(None),
        Ok(Merged { message, .. }) => {
            let reason = format!("GitHub did not merge it ({})", message.trim());
            Err(github.api.not_mergeable(number, reason))
        }
        Err(error) => match error.refusal() {
            Some((405, said)) if may_be_ready_later(said, is_policy_blocked) => {
                Ok(Some(said.to_owned()))
            }
            _ => Err(error),
        },
    }
}

/// Whether a refused merge (HTTP 405) may be allowed later.
fn may_be_ready_later(said: &str, is_policy_blocked: bool) -> bool {
    if said.contains("not allowed") {
        return false;
    }
    said.contains("Base branch was modified")
        || said.contains("Pull Request is not mergeable")
        || is_policy_blocked
}

fn decide(pull: &Pull) -> Decision {
    match pull.state() {
        Some(State::Merged) => return Decision::Merged,
        Some(State::Open) => {}
        _ => return Decision::refused(CLOSED),
    }
    let is_draft = pull.draft.unwrap_or(false);
    match pull.mergeable_state.as_deref() {
        Some("clean" | "unstable" | "has_hooks") => Decision::Merge,
        Some("dirty") => Decision::refused(CONFLICT),
        Some("blocked" | "behind") => Decision::MergeDespitePolicy,
        Some("draft") => Decision::not_ready(DRAFT),
        Some("unknown") => {
            Decision::not_ready("GitHub has not yet found out whether it can be merged")
        }
        _ if is_draft => Decision::not_ready(DRAFT),
        _ if pull.mergeable == Some(true) => Decision::Merge,
        _ => Decision::not_ready("GitHub does not say that it can be merged"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn decide_on(change: Value) -> &'static str {
        let mut pull = json!({
            "number": 1, "html_url": "https://github.com/a/b/pull/1", "state": "open",
            "head": {"ref": "s", "sha": "0123456789"}, "base": {"ref": "t", "sha": "0123456789"},
        });
        pull.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        match decide(&serde_json::from_value(pull).unwrap()) {
            Decision::Merged => "merged",
            Decision::Merge => "merge",
            Decision::MergeDespitePolicy => "merge despite policy",
            Decision::NotReady(_) => "not ready",
            Decision::Refused(_) => "refused",
        }
    }

    #[test]
    fn every_mergeable_state_has_its_decision() {
        for (state, expected) in [
            ("clean", "merge"),
            ("unstable", "merge"),
            ("has_hooks", "merge"),
            ("dirty", "refused"),
            ("blocked", "merge despite policy"),
            ("behind", "merge despite policy"),
            ("draft", "not ready"),
            ("unknown", "not ready"),
            ("something new", "not ready"),
        ] {
            assert_eq!(decide_on(json!({"mergeable_state": state})), expected, "{state}");
        }
    }

    #[test]
    fn without_a_known_state_draft_and_mergeable_decide() {
        assert_eq!(decide_on(json!({"mergeable": true})), "merge");
        assert_eq!(decide_on(json!({"mergeable": true, "mergeable_state": "new"})), "merge");
        assert_eq!(decide_on(json!({"mergeable": true, "draft": true})), "not ready");
        assert_eq!(decide_on(json!({"mergeable": false})), "not ready");
        assert_eq!(decide_on(json!({"mergeable": null})), "not ready");
    }

    #[test]
    fn what_is_decided_stays_decided() {
        let merged = json!({"state": "closed", "merged_at": "2026-01-01T00:00:00Z"});
        assert_eq!(decide_on(merged), "merged");
        let closed = json!({"state": "closed", "mergeable_state": "clean"});
        assert_eq!(decide_on(closed), "refused");
    }

    #[test]
    fn a_refused_merge_is_told_apart_by_its_words() {
        for (said, blocked, later) in [
            ("Merge commits are not allowed on this repository.", true, false),
            ("Squash merges are not allowed on this repository.", false, false),
            ("Base branch was modified. Review and try the merge again.", false, true),
            ("Pull Request is not mergeable", false, true),
            ("At least 1 approving review is required.", true, true),
            ("At least 1 approving review is required.", false, false),
            ("", false, false),
        ] {
            assert_eq!(may_be_ready_later(said, blocked), later, "{said} {blocked}");
        }
    }
}
