//! Azure DevOps' pull requests. Branches go by their full names; a pull request is merged by completing it, which is
//! done only when somebody looks again.

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    State,
    pull_request::{PullRequest, Status, has_conflict, tip},
    wire::{Answer, Received},
};

const HEADS: &str = "refs/heads/";
const ID: &str = "5febef5a-833d-4e14-b9c0-14cb638f91e6";

pub(super) fn answer(request: &Received, state: &mut State) -> Result<Answer> {
    let segments = request.segments();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let ["Acme", "Shop", "_apis", "git", "repositories", "App" | ID, rest @ ..] =
        segments.as_slice()
    else {
        return Ok(Answer::saying(404, "TF401019: The Git repository does not exist"));
    };
    if request.parameter("api-version").is_empty() {
        return Ok(Answer::saying(400, "No api-version was supplied"));
    }
    state.pull_requests.follow(&state.repository);
    match (request.method.as_str(), rest) {
        ("GET", []) => Ok(Answer::json(200, &json!({ "id": ID, "webUrl": state.web }))),
        ("GET", ["pullrequests"]) => Ok(list(request, state)),
        ("POST", ["pullrequests"]) => create(request, state),
        ("GET", ["pullrequests", number]) => Ok(one(state, number)),
        ("PATCH", ["pullrequests", number]) => complete(request, state, number),
        ("POST", ["pullrequests", number, "labels"]) => Ok(label(request, state, number)),
        _ => Ok(Answer::saying(404, "no such page")),
    }
}

fn list(request: &Received, state: &State) -> Answer {
    let wanted = |name: &str, value: &str| {
        let asked = request.parameter(&format!("searchCriteria.{name}"));
        asked.is_empty() || asked == value
    };
    let number = |name: &str, other| request.parameter(name).parse::<usize>().unwrap_or(other);
    let entries = state.pull_requests.all().iter().rev().filter(|found| {
        wanted("status", word(found.status))
            && wanted("sourceRefName", &format!("{HEADS}{}", found.source))
            && wanted("targetRefName", &format!("{HEADS}{}", found.target))
    });
    let entries = entries.skip(number("$skip", 0)).take(number("$top", 101));
    let values: Vec<Value> = entries.map(|found| shown(state, found)).collect();
    Answer::json(200, &json!({ "count": values.len(), "value": values }))
}

fn create(request: &Received, state: &mut State) -> Result<Answer> {
    let branch = |name: &str| request.text(name).strip_prefix(HEADS);
    let (Some(source), Some(target)) = (branch("sourceRefName"), branch("targetRefName")) else {
        return Ok(Answer::saying(400, "The reference must begin with refs/heads/"));
    };
    if tip(&state.repository, source).is_err() || tip(&state.repository, target).is_err() {
        return Ok(Answer::saying(400, "TF401398: The source or target branch no longer exists"));
    }
    if state.pull_requests.open_between(source, target).is_some() {
        return Ok(Answer::saying(
            409,
            "TF401179: An active pull request for the source and target branch already exists.",
        ));
    }
    let mut new = PullRequest {
        title: request.text("title").to_owned(),
        description: request.text("description").to_owned(),
        ..PullRequest::new(source, target)
    };
    let labels = request.part("/labels").as_array().cloned().unwrap_or_default();
    new.add_labels(
        labels.iter().filter_map(|label| label.get("name")?.as_str()).map(str::to_owned),
    );
    let number = state.pull_requests.open(&state.repository, new)?;
    Ok(one(state, &number.to_string()).status(201))
}

fn one(state: &State, number: &str) -> Answer {
    match state.pull_requests.get(number) {
        Some(found) => Answer::json(200, &shown(state, found)),
        None => Answer::saying(404, "TF401180: The requested pull request was not found."),
    }
}

fn label(request: &Received, state: &mut State, number: &str) -> Answer {
    let name = request.text("name").to_owned();
    match number.parse().ok().and_then(|number| state.pull_requests.find(number)) {
        Some(found) => {
            found.add_labels([name]);
            Answer::json(200, &json!({}))
        }
        None => Answer::saying(404, "TF401180: The requested pull request was not found."),
    }
}

fn complete(request: &Received, state: &mut State, number: &str) -> Result<Answer> {
    let Some(found) = state.pull_requests.get(number).cloned() else {
        return Ok(one(state, number));
    };
    if request.part("/lastMergeSourceCommit/commitId") != found.head {
        return Ok(Answer::saying(409, "TF401192: The source branch has been modified"));
    }
    let strategy = request.part("/completionOptions/mergeStrategy");
    let method = match strategy.as_str().unwrap_or_default() {
        "" | "noFastForward" => "merge",
        "squash" => "squash",
        "rebase" | "rebaseMerge" => "fast-forward",
        _ => return Ok(Answer::saying(400, "unknown merge strategy")),
    };
    let before = one(state, number);
    if found.status == Status::Open && found.merge_state.as_deref() != Some("never") {
        state.pull_requests.merge(&state.repository, found.number, method)?;
    }
    Ok(before)
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Open => "active",
        Status::Merged => "completed",
        Status::Closed => "abandoned",
    }
}

fn shown(state: &State, found: &PullRequest) -> Value {
    let merge_status = match found.merge_state.as_deref() {
        // Says so and does not do it.
        Some("never") => "succeeded".to_owned(),
        Some(told) => told.to_owned(),
        None if has_conflict(&state.repository, found) => "conflicts".to_owned(),
        None => "succeeded".to_owned(),
    };
    let commit = |id: &str| json!({ "commitId": id });
    let fork = found.is_from_fork.then(|| json!({ "name": "refs/heads/main" }));
    json!({
        "pullRequestId": found.number,
        "status": word(found.status),
        "isDraft": found.is_draft,
        "title": found.title,
        "description": found.description,
        "creationDate": found.created_at(),
        "mergeStatus": merge_status,
        "sourceRefName": format!("{HEADS}{}", found.source),
        "targetRefName": format!("{HEADS}{}", found.target),
        "lastMergeSourceCommit": commit(&found.head),
        "lastMergeCommit": found.merge_commit.as_deref().map(commit),
        "repository": {"id": ID, "name": "App", "webUrl": state.web},
        "forkSource": fork,
    })
}
