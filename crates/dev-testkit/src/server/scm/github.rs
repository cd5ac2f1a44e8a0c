//! GitHub's pull requests.

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    State, github_git,
    pull_request::{PullRequest, Status, has_commits, has_conflict, tip},
    wire::{Answer, Received, linked},
};

pub(super) fn answer(request: &Received, state: &mut State) -> Result<Answer> {
    let segments = request.segments();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let ["repos", "Acme", "App", rest @ ..] = segments.as_slice() else {
        return Ok(Answer::saying(404, "Not Found"));
    };
    state.pull_requests.follow(&state.repository);
    match (request.method.as_str(), rest) {
        ("GET", ["pulls"]) => Ok(list(request, state)),
        ("POST", ["pulls"]) => create(request, state),
        ("GET", ["pulls", number]) => Ok(one(state, number)),
        ("PUT", ["pulls", number, "merge"]) => merge(request, state, number),
        ("POST", ["issues", number, "labels"]) => Ok(label(request, state, number)),
        (method, rest) => github_git::answer(method, rest, request, state),
    }
}

fn list(request: &Received, state: &State) -> Answer {
    let (wanted, head) = (request.parameter("state"), request.parameter("head"));
    let base = request.parameter("base");
    // A filter without the owner is ignored, as the service does.
    let source = head.strip_prefix("Acme:");
    let entries = state.pull_requests.all().iter().rev().filter(|found| {
        let is_open = found.status == Status::Open;
        (wanted == "all" || (wanted == "closed") != is_open)
            && source.is_none_or(|source| source == found.source && !found.is_from_fork)
            && (base.is_empty() || base == found.target)
    });
    let entries = entries.map(|found| shown(state, found)).collect();
    linked(request, entries, "per_page", state.page_size)
}

fn create(request: &Received, state: &mut State) -> Result<Answer> {
    let (source, target) = (request.text("head").to_owned(), request.text("base").to_owned());
    let refused = |message: &str| {
        let errors = json!([{ "resource": "PullRequest", "message": message }]);
        Ok(Answer::json(422, &json!({ "message": "Validation Failed", "errors": errors })))
    };
    let is_missing = |branch: &str| tip(&state.repository, branch).is_err();
    if is_missing(&source) || is_missing(&target) || request.text("title").is_empty() {
        return refused("a field is invalid");
    }
    if state.pull_requests.open_between(&source, &target).is_some() {
        return refused(&format!("A pull request already exists for Acme:{source}."));
    }
    if !has_commits(&state.repository, &source, &target) {
        return refused(&format!("No commits between {target} and {source}"));
    }
    let new = PullRequest {
        title: request.text("title").to_owned(),
        description: request.text("body").to_owned(),
        ..PullRequest::new(&source, &target)
    };
    let number = state.pull_requests.open(&state.repository, new)?;
    Ok(one(state, &number.to_string()).status(201))
}

fn one(state: &State, number: &str) -> Answer {
    match state.pull_requests.get(number) {
        Some(found) => Answer::json(200, &shown(state, found)),
        None => Answer::saying(404, "Not Found"),
    }
}

fn merge(request: &Received, state: &mut State, number: &str) -> Result<Answer> {
    let Some(found) = state.pull_requests.get(number).cloned() else {
        return Ok(Answer::saying(404, "Not Found"));
    };
    let merge_state = merge_state(state, &found);
    if found.status != Status::Open || merge_state == "dirty" || found.is_draft {
        return Ok(Answer::saying(405, "Pull Request is not mergeable"));
    }
    if merge_state == "blocked" {
        return Ok(Answer::saying(405, "At least 1 approving review is required by reviewers."));
    }
    let method = match request.text("merge_method") {
        "" | "merge" => "merge",
        "squash" => "squash",
        "rebase" => "fast-forward",
        _ => return Ok(Answer::saying(422, "Invalid merge method")),
    };
    let commit = state.pull_requests.merge(&state.repository, found.number, method)?;
    let done = "Pull Request successfully merged";
    Ok(Answer::json(200, &json!({ "sha": commit, "merged": true, "message": done })))
}

fn label(request: &Received, state: &mut State, number: &str) -> Answer {
    let labels: Vec<String> = serde_json::from_value(request.part("/labels")).unwrap_or_default();
    match number.parse().ok().and_then(|number| state.pull_requests.find(number)) {
        Some(found) => {
            found.add_labels(labels);
            let shown: Vec<Value> =
                found.labels.iter().map(|label| json!({ "name": label })).collect();
            Answer::json(200, &Value::Array(shown))
        }
        None => Answer::saying(404, "Not Found"),
    }
}

fn merge_state(state: &State, found: &PullRequest) -> String {
    match &found.merge_state {
        Some(told) => told.clone(),
        None if found.is_draft => "draft".to_owned(),
        None if has_conflict(&state.repository, found) => "dirty".to_owned(),
        None => "clean".to_owned(),
    }
}

fn shown(state: &State, found: &PullRequest) -> Value {
    let merge_state = merge_state(state, found);
    let is_merged = found.status == Status::Merged;
    let fork = if found.is_from_fork { "Stranger/App" } else { "Acme/App" };
    json!({
        "number": found.number,
        "html_url": format!("{}/pull/{}", state.web, found.number),
        "state": if found.status == Status::Open { "open" } else { "closed" },
        "title": found.title,
        "body": found.description,
        "created_at": found.created_at(),
        "merged_at": is_merged.then(|| found.created_at()),
        "merged": is_merged,
        "merge_commit_sha": found.merge_commit.clone().unwrap_or_else(|| found.head.clone()),
        "draft": found.is_draft,
        "mergeable": merge_state != "dirty",
        "mergeable_state": merge_state,
        "head": {"ref": found.source, "sha": found.head, "repo": {"full_name": fork}},
        "base": {"ref": found.target, "sha": found.head, "repo": {"full_name": "Acme/App"}},
    })
}
