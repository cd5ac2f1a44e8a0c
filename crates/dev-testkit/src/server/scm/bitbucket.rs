//! Bitbucket Cloud's pull requests. Ids of commits are cut to twelve digits.

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    State,
    pull_request::{PullRequest, Status, has_conflict, tip},
    wire::{Answer, Received, page},
};

pub(super) fn answer(request: &Received, state: &mut State) -> Result<Answer> {
    let segments = request.segments();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let ["repositories", "Acme", "App", rest @ ..] = segments.as_slice() else {
        return Ok(refused(404, "Repository not found"));
    };
    state.pull_requests.follow(&state.repository);
    match (request.method.as_str(), rest) {
        ("GET", ["pullrequests"]) => Ok(list(request, state)),
        ("POST", ["pullrequests"]) => create(request, state),
        ("GET", ["pullrequests", number]) => Ok(one(state, number)),
        ("POST", ["pullrequests", number, "merge"]) => merge(request, state, number),
        ("GET", ["commit", id]) => Ok(commit(state, id)),
        _ => Ok(refused(404, "Not found")),
    }
}

fn refused(status: u16, message: &str) -> Answer {
    Answer::json(status, &json!({ "type": "error", "error": { "message": message } }))
}

/// Understands `name="value"` joined by `AND`. Only open ones are told unless another state is asked for.
fn list(request: &Received, state: &State) -> Answer {
    let conditions: Vec<(&str, String)> = request
        .parameter("q")
        .split(" AND ")
        .filter_map(|condition| condition.split_once('='))
        .map(|(name, value)| (name, value.trim_matches('"').replace("\\\"", "\"")))
        .collect();
    let matches = |found: &PullRequest| {
        conditions.iter().all(|(name, value)| match *name {
            "source.branch.name" => *value == found.source,
            "destination.branch.name" => *value == found.target,
            _ => false,
        })
    };
    let asked = Some(request.parameter("state")).filter(|asked| !asked.is_empty());
    let in_state = |found: &PullRequest| word(found.status) == asked.unwrap_or("OPEN");
    let wanted = state.pull_requests.all().iter().rev();
    let wanted = wanted.filter(|found| in_state(found) && matches(found));
    let entries = wanted.map(|found| shown(state, found)).collect();
    let (values, has_more) = page(request, entries, "pagelen", state.page_size.min(50));
    let next = has_more.then_some("http://elsewhere.invalid/next");
    Answer::json(200, &json!({ "pagelen": values.len(), "values": values, "next": next }))
}

fn create(request: &Received, state: &mut State) -> Result<Answer> {
    let branch = |side: &str| request.part(&format!("/{side}/branch/name"));
    let (source, target) = (branch("source"), branch("destination"));
    let (source, target) =
        (source.as_str().unwrap_or_default(), target.as_str().unwrap_or_default());
    if tip(&state.repository, source).is_err() || tip(&state.repository, target).is_err() {
        return Ok(refused(400, "branch not found"));
    }
    if state.pull_requests.open_between(source, target).is_some() {
        return Ok(refused(409, "There is already an open pull request for these branches"));
    }
    let new = PullRequest {
        title: request.text("title").to_owned(),
        description: request.text("description").to_owned(),
        ..PullRequest::new(source, target)
    };
    let number = state.pull_requests.open(&state.repository, new)?;
    Ok(one(state, &number.to_string()).status(201))
}

fn one(state: &State, number: &str) -> Answer {
    match state.pull_requests.get(number) {
        Some(found) => Answer::json(200, &shown(state, found)),
        None => refused(404, "Pull request not found"),
    }
}

fn merge(request: &Received, state: &mut State, number: &str) -> Result<Answer> {
    let Some(found) = state.pull_requests.get(number).cloned() else {
        return Ok(refused(404, "Pull request not found"));
    };
    if found.status != Status::Open || has_conflict(&state.repository, &found) {
        return Ok(refused(409, "You can't merge until you resolve all merge conflicts."));
    }
    if found.merge_state.as_deref() == Some("asynchronous") {
        return Ok(Answer::empty(202));
    }
    let method = match request.text("merge_strategy") {
        "" | "merge_commit" => "merge",
        "squash" | "squash_fast_forward" => "squash",
        "fast_forward" | "rebase_fast_forward" | "rebase_merge" => "fast-forward",
        _ => return Ok(refused(400, "unknown merge strategy")),
    };
    state.pull_requests.merge(&state.repository, found.number, method)?;
    Ok(one(state, number))
}

fn commit(state: &State, id: &str) -> Answer {
    match state.repository.git(&["rev-parse", "--verify", &format!("{id}^{{commit}}")]) {
        Ok(whole) => Answer::json(200, &json!({ "type": "commit", "hash": whole })),
        Err(_) => refused(404, "Commit not found"),
    }
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Open => "OPEN",
        Status::Merged => "MERGED",
        Status::Closed => "DECLINED",
    }
}

fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

fn shown(state: &State, found: &PullRequest) -> Value {
    let fork = if found.is_from_fork { "Stranger/App" } else { "Acme/App" };
    json!({
        "id": found.number,
        "state": word(found.status),
        "title": found.title,
        "description": found.description,
        "created_on": found.created_at(),
        "draft": found.is_draft,
        "links": {"html": {"href": format!("{}/pull-requests/{}", state.web, found.number)}},
        "source": {
            "branch": {"name": found.source},
            "commit": {"hash": short(&found.head)},
            "repository": {"full_name": fork},
        },
        "destination": {
            "branch": {"name": found.target},
            "commit": {"hash": short(&found.head)},
            "repository": {"full_name": "Acme/App"},
        },
        "merge_commit": found.merge_commit.as_deref().map(|id| json!({"hash": short(id)})),
    })
}
