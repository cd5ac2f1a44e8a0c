//! Gitea's pull requests. Its list knows no branches, and its labels go by number.

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    State,
    pull_request::{PullRequest, Status, has_commits, has_conflict, tip},
    wire::{Answer, Received, linked},
};

pub(super) fn answer(request: &Received, state: &mut State) -> Result<Answer> {
    let segments = request.segments();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let ["repos", "Acme", "App", rest @ ..] = segments.as_slice() else {
        return Ok(Answer::saying(404, "The target couldn't be found."));
    };
    state.pull_requests.follow(&state.repository);
    match (request.method.as_str(), rest) {
        ("GET", ["pulls"]) => Ok(list(request, state)),
        ("POST", ["pulls"]) => create(request, state),
        ("GET", ["pulls", number]) => Ok(one(state, number)),
        ("POST", ["pulls", number, "merge"]) => merge(request, state, number),
        ("GET", ["labels"]) => Ok(labels(request, state)),
        ("POST", ["issues", number, "labels"]) => Ok(label(request, state, number)),
        _ => Ok(Answer::saying(404, "The target couldn't be found.")),
    }
}

fn list(request: &Received, state: &State) -> Answer {
    let wants_open = request.parameter("state") == "open";
    let wanted = state.pull_requests.all().iter().rev();
    let wanted = wanted.filter(|found| (found.status == Status::Open) == wants_open);
    let entries = wanted.map(|found| shown(state, found)).collect();
    linked(request, entries, "limit", state.page_size.min(50))
}

fn create(request: &Received, state: &mut State) -> Result<Answer> {
    let (source, target) = (request.text("head"), request.text("base"));
    if tip(&state.repository, source).is_err() || tip(&state.repository, target).is_err() {
        return Ok(Answer::saying(404, "The target couldn't be found."));
    }
    if let Some(open) = state.pull_requests.open_between(source, target) {
        let message =
            format!("pull request already exists for these targets [id: {}]", open.number);
        return Ok(Answer::saying(409, &message));
    }
    if !has_commits(&state.repository, source, target) {
        return Ok(Answer::saying(422, "There are no changes between the head and the base"));
    }
    let mut new = PullRequest {
        title: request.text("title").to_owned(),
        description: request.text("body").to_owned(),
        ..PullRequest::new(source, target)
    };
    new.add_labels(chosen(request, state));
    let number = state.pull_requests.open(&state.repository, new)?;
    Ok(one(state, &number.to_string()).status(201))
}

/// Numbers are those of the list, from 1.
fn chosen(request: &Received, state: &State) -> Vec<String> {
    let ids: Vec<usize> = serde_json::from_value(request.part("/labels")).unwrap_or_default();
    ids.iter().filter_map(|id| state.labels.get(id.checked_sub(1)?).cloned()).collect()
}

fn labels(request: &Received, state: &State) -> Answer {
    let entries = state.labels.iter().enumerate();
    let entries = entries.map(|(index, name)| json!({ "id": index + 1, "name": name })).collect();
    linked(request, entries, "limit", state.page_size.min(50))
}

fn label(request: &Received, state: &mut State, number: &str) -> Answer {
    let labels = chosen(request, state);
    match number.parse().ok().and_then(|number| state.pull_requests.find(number)) {
        Some(found) => {
            found.add_labels(labels);
            Answer::json(200, &json!([]))
        }
        None => Answer::saying(404, "The target couldn't be found."),
    }
}

fn one(state: &State, number: &str) -> Answer {
    match state.pull_requests.get(number) {
        Some(found) => Answer::json(200, &shown(state, found)),
        None => Answer::saying(404, "The target couldn't be found."),
    }
}

fn merge(request: &Received, state: &mut State, number: &str) -> Result<Answer> {
    let Some(found) = state.pull_requests.get(number).cloned() else {
        return Ok(Answer::saying(404, "The target couldn't be found."));
    };
    if found.status != Status::Open || found.is_draft || !is_mergeable(state, &found) {
        return Ok(Answer::saying(405, "The pull request is not mergeable"));
    }
    let method = match request.text("Do") {
        "merge" | "manually-merged" => "merge",
        "squash" => "squash",
        "rebase" | "rebase-merge" | "fast-forward-only" => "fast-forward",
        _ => return Ok(Answer::saying(422, "[Do]: Required")),
    };
    state.pull_requests.merge(&state.repository, found.number, method)?;
    Ok(Answer::empty(200))
}

fn is_mergeable(state: &State, found: &PullRequest) -> bool {
    match &found.merge_state {
        Some(told) => told == "mergeable",
        None => !found.is_draft && !has_conflict(&state.repository, found),
    }
}

fn shown(state: &State, found: &PullRequest) -> Value {
    json!({
        "number": found.number,
        "html_url": format!("{}/pulls/{}", state.web, found.number),
        "state": if found.status == Status::Open { "open" } else { "closed" },
        "title": found.title,
        "body": found.description,
        "created_at": found.created_at(),
        "merged": found.status == Status::Merged,
        "merge_commit_sha": found.merge_commit,
        "mergeable": is_mergeable(state, found),
        "draft": found.is_draft,
        "head": {
            "ref": found.source, "sha": found.head,
            "repo_id": if found.is_from_fork { 99 } else { 7 },
        },
        "base": {"ref": found.target, "sha": found.head, "repo_id": 7},
    })
}
