//! GitLab's merge requests.

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    State,
    pull_request::{PullRequest, Status, has_conflict, tip},
    wire::{Answer, Received, linked},
};

pub(super) fn answer(request: &Received, state: &mut State) -> Result<Answer> {
    let segments = request.segments();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let ["projects", "Acme/Platform/App", "merge_requests", rest @ ..] = segments.as_slice() else {
        return Ok(Answer::saying(404, "404 Project Not Found"));
    };
    state.pull_requests.follow(&state.repository);
    match (request.method.as_str(), rest) {
        ("GET", []) => Ok(list(request, state)),
        ("POST", []) => create(request, state),
        ("GET", [number]) => Ok(one(state, number)),
        ("PUT", [number]) => Ok(label(request, state, number)),
        ("PUT", [number, "merge"]) => merge(request, state, number),
        _ => Ok(Answer::saying(404, "404 Not Found")),
    }
}

fn list(request: &Received, state: &State) -> Answer {
    let wanted = |name: &str, value: &str| {
        let asked = request.parameter(name);
        asked.is_empty() || asked == "all" || asked == value
    };
    let entries = state.pull_requests.all().iter().rev().filter(|found| {
        wanted("state", word(found.status))
            && wanted("source_branch", &found.source)
            && wanted("target_branch", &found.target)
    });
    let entries = entries.map(|found| shown(state, found)).collect();
    linked(request, entries, "per_page", state.page_size)
}

fn create(request: &Received, state: &mut State) -> Result<Answer> {
    let (source, target) = (request.text("source_branch"), request.text("target_branch"));
    if tip(&state.repository, source).is_err() || tip(&state.repository, target).is_err() {
        let message = json!({ "message": ["Target branch or source branch does not exist"] });
        return Ok(Answer::json(400, &message));
    }
    if let Some(open) = state.pull_requests.open_between(source, target) {
        let number = open.number;
        let message =
            format!("Another open merge request already exists for this source branch: !{number}");
        return Ok(Answer::json(409, &json!({ "message": [message] })));
    }
    let mut new = PullRequest {
        title: request.text("title").to_owned(),
        description: request.text("description").to_owned(),
        ..PullRequest::new(source, target)
    };
    new.add_labels(names(request.text("labels")));
    let number = state.pull_requests.open(&state.repository, new)?;
    Ok(one(state, &number.to_string()).status(201))
}

fn names(list: &str) -> Vec<String> {
    list.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn one(state: &State, number: &str) -> Answer {
    match state.pull_requests.get(number) {
        Some(found) => Answer::json(200, &shown(state, found)),
        None => Answer::saying(404, "404 Not found"),
    }
}

fn label(request: &Received, state: &mut State, number: &str) -> Answer {
    if let Some(found) = number.parse().ok().and_then(|number| state.pull_requests.find(number)) {
        found.add_labels(names(request.text("add_labels")));
    }
    one(state, number)
}

fn merge(request: &Received, state: &mut State, number: &str) -> Result<Answer> {
    let Some(found) = state.pull_requests.get(number).cloned() else {
        return Ok(Answer::saying(404, "404 Not found"));
    };
    if found.status != Status::Open || found.is_draft {
        return Ok(Answer::saying(405, "405 Method Not Allowed"));
    }
    if has_conflict(&state.repository, &found) {
        return Ok(Answer::saying(422, "Branch cannot be merged"));
    }
    let method = if request.part("/squash") == true { "squash" } else { "merge" };
    state.pull_requests.merge(&state.repository, found.number, method)?;
    Ok(one(state, number))
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Open => "opened",
        Status::Merged => "merged",
        Status::Closed => "closed",
    }
}

fn shown(state: &State, found: &PullRequest) -> Value {
    let merge_status = match &found.merge_state {
        Some(told) => told.clone(),
        None if found.is_draft => "draft_status".to_owned(),
        None if has_conflict(&state.repository, found) => "conflict".to_owned(),
        None => "mergeable".to_owned(),
    };
    json!({
        "iid": found.number,
        "web_url": format!("{}/-/merge_requests/{}", state.web, found.number),
        "state": word(found.status),
        "title": found.title,
        "description": found.description,
        "labels": found.labels,
        "created_at": found.created_at(),
        "sha": found.head,
        "merge_commit_sha": found.merge_commit,
        "squash_commit_sha": null,
        "source_branch": found.source,
        "target_branch": found.target,
        "source_project_id": if found.is_from_fork { 99 } else { 7 },
        "target_project_id": 7,
        "draft": found.is_draft,
        "detailed_merge_status": merge_status,
    })
}
