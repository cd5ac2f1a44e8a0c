//! GitHub's commits and refs, made in the real repository.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::{
    GitRepository, State,
    wire::{Answer, Received},
};

pub(super) fn answer(
    method: &str,
    rest: &[&str],
    request: &Received,
    state: &State,
) -> Result<Answer> {
    let repository = &state.repository;
    match (method, rest) {
        ("GET", ["git", "ref", name @ ..]) => Ok(read(repository, &name.join("/"))),
        ("GET", ["compare", range]) => compare(request, repository, range, state.page_size),
        ("POST", ["git", "commits"]) => commit(request, repository),
        ("POST", ["git", "refs"]) => create(request, repository),
        ("PATCH", ["git", "refs", name @ ..]) => update(request, repository, &name.join("/")),
        ("DELETE", ["git", "refs", name @ ..]) => Ok(delete(repository, &name.join("/"))),
        _ => Ok(Answer::saying(404, "Not Found")),
    }
}

fn id(repository: &GitRepository, name: &str) -> Option<String> {
    repository.git(&["rev-parse", "--verify", "--quiet", &format!("refs/{name}")]).ok()
}

fn shown(name: &str, id: &str) -> Value {
    json!({ "ref": format!("refs/{name}"), "object": { "type": "commit", "sha": id } })
}

fn read(repository: &GitRepository, name: &str) -> Answer {
    match id(repository, name) {
        Some(id) => Answer::json(200, &shown(name, &id)),
        None => Answer::saying(404, "Not Found"),
    }
}

fn compare(
    request: &Received,
    repository: &GitRepository,
    range: &str,
    page_size: usize,
) -> Result<Answer> {
    let (base, head) = range.split_once("...").context("no range")?;
    let Ok(merge_base) = repository.git(&["merge-base", base, head]) else {
        return Ok(Answer::saying(404, "No common ancestor"));
    };
    let count = |range: String| repository.git(&["rev-list", "--count", &range]);
    let ahead: usize = count(format!("{base}..{head}"))?.parse()?;
    let behind: usize = count(format!("{head}..{base}"))?.parse()?;
    let status = match (ahead, behind) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        _ => "diverged",
    };
    let range = format!("{base}..{head}");
    let list = repository.git(&["rev-list", "--reverse", "--topo-order", &range])?;
    let size: usize = request.parameter("per_page").parse().unwrap_or(250).min(page_size);
    let page: usize = request.parameter("page").parse().unwrap_or(1);
    let commits = list.lines().skip((page - 1) * size).take(size);
    let commits = commits.map(|id| described(repository, id)).collect::<Result<Vec<_>>>()?;
    Ok(Answer::json(
        200,
        &json!({
            "status": status, "ahead_by": ahead, "behind_by": behind, "total_commits": ahead,
            "merge_base_commit": { "sha": merge_base }, "commits": commits,
        }),
    ))
}

fn described(repository: &GitRepository, id: &str) -> Result<Value> {
    let format = "--format=%T%n%P%n%an%n%ae%n%aI%n%cn%n%ce%n%cI%n%B";
    let text = repository.git(&["show", "--no-patch", format, id])?;
    let mut lines = text.splitn(9, '\n');
    let mut next = || lines.next().unwrap_or_default();
    let (tree, parents) = (next(), next());
    let mut person = || json!({ "name": next(), "email": next(), "date": next() });
    let (author, committer) = (person(), person());
    let parents: Vec<Value> =
        parents.split_whitespace().map(|parent| json!({ "sha": parent })).collect();
    Ok(json!({
        "sha": id,
        "parents": parents,
        "commit": {
            "message": lines.next().unwrap_or_default().trim_end(),
            "tree": { "sha": tree },
            "author": author,
            "committer": committer,
        },
    }))
}

/// Without an author the service takes the identity of the token, and signs.
fn commit(request: &Received, repository: &GitRepository) -> Result<Answer> {
    let mut command = Command::new("git");
    command.arg("-C").arg(repository.path()).args(["commit-tree", request.text("tree")]);
    let parents: Vec<String> = serde_json::from_value(request.part("/parents"))?;
    for parent in &parents {
        command.args(["-p", parent]);
    }
    let (author, committer) = (request.part("/author"), request.part("/committer"));
    for (role, person) in [("AUTHOR", &author), ("COMMITTER", &committer)] {
        let text = |name: &str, other: &str| {
            person.get(name).and_then(Value::as_str).unwrap_or(other).to_owned()
        };
        command
            .env(format!("GIT_{role}_NAME"), text("name", "the-token[bot]"))
            .env(format!("GIT_{role}_EMAIL"), text("email", "bot@users.noreply.example.com"))
            .env(format!("GIT_{role}_DATE"), text("date", "2026-01-01T00:00:00Z"));
    }
    let output = command.args(["-m", request.text("message")]).output()?;
    if !output.status.success() {
        return Ok(Answer::saying(422, "Tree SHA does not exist"));
    }
    let id = String::from_utf8(output.stdout)?.trim().to_owned();
    let id = if author.is_null() { signed(repository, &id)? } else { id };
    Ok(Answer::json(201, &json!({ "sha": id })))
}

/// The same commit with a signature, which nobody can check here.
fn signed(repository: &GitRepository, id: &str) -> Result<String> {
    const SIGNATURE: &str =
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n aGVsbG8=\n -----END PGP SIGNATURE-----";
    let text = repository.git(&["cat-file", "commit", id])?;
    let (head, message) = text.split_once("\n\n").context("a commit without a message")?;
    ensure!(!head.contains("gpgsig"), "it is signed already");
    let text = format!("{head}\n{SIGNATURE}\n\n{message}\n");
    repository.git_with(&["hash-object", "-t", "commit", "-w", "--stdin"], &text)
}

fn create(request: &Received, repository: &GitRepository) -> Result<Answer> {
    let Some(name) = request.text("ref").strip_prefix("refs/") else {
        return Ok(Answer::saying(422, "Reference name must start with 'refs/'"));
    };
    if id(repository, name).is_some() {
        return Ok(Answer::saying(422, "Reference already exists"));
    }
    repository.git(&["update-ref", &format!("refs/{name}"), request.text("sha")])?;
    Ok(Answer::json(201, &shown(name, request.text("sha"))))
}

fn update(request: &Received, repository: &GitRepository, name: &str) -> Result<Answer> {
    let Some(old) = id(repository, name) else {
        return Ok(Answer::saying(422, "Reference does not exist"));
    };
    let (new, force) = (request.text("sha"), request.part("/force").as_bool().unwrap_or(false));
    let is_ahead = repository.git(&["merge-base", "--is-ancestor", &old, new]).is_ok();
    if !is_ahead && !force {
        return Ok(Answer::saying(422, "Update is not a fast forward"));
    }
    repository.git(&["update-ref", &format!("refs/{name}"), new, &old])?;
    Ok(Answer::json(200, &shown(name, new)))
}

fn delete(repository: &GitRepository, name: &str) -> Answer {
    match id(repository, name) {
        Some(_) if repository.git(&["update-ref", "-d", &format!("refs/{name}")]).is_ok() => {
            Answer::empty(204)
        }
        _ => Answer::saying(422, "Reference does not exist"),
    }
}
