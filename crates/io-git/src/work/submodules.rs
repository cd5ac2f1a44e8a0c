//! The files of submodules.
//!
//! Each is a repository like any other: its objects come from a mirror of the store, over the same checked ways. Only its
//! files are checked out, without a `.git` of their own: the repository around them records which commit belongs there,
//! and steps cannot change that by changing the files.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use futures::{FutureExt as _, future::BoxFuture};
use gix_hash::ObjectId;
use io_exec::{Input, Limits, Output, WorkDir};

use super::{
    cone::Cone,
    error::WorkError,
    layout::{self, Head},
    objects::Objects,
    tree::{WorkTree, equip},
};
use crate::{
    blocking::blocking,
    mirror::Want,
    remote::{Address, Remote, Target},
    repository::Repository,
    session,
    store::Store,
};

/// Submodules of submodules end here.
const MAX_DEPTH: usize = 10;
/// The largest `.gitmodules`.
const MAX_DECLARATIONS: usize = 1 << 20;
const DEADLINE: std::time::Duration = std::time::Duration::from_mins(10);

/// Checks out the submodules of `commit`, which the work tree stands at.
pub(super) async fn check_out(
    tree: &WorkTree,
    repository: &Repository,
    commit: ObjectId,
    submodules: Vec<(String, ObjectId)>,
) -> Result<(), WorkError> {
    let url = tree.url().to_owned();
    let objects = tree.home.repository();
    let around =
        Around { tree, repository: repository.clone(), url, objects, files: tree.files.clone() };
    around.check_out(commit, submodules, 0).await
}

/// A repository with submodules.
struct Around<'a> {
    tree: &'a WorkTree,
    repository: Repository,
    url: String,
    /// Where its objects are.
    objects: PathBuf,
    /// Where its files are.
    files: PathBuf,
}

impl Around<'_> {
    fn check_out(
        &self,
        commit: ObjectId,
        submodules: Vec<(String, ObjectId)>,
        depth: usize,
    ) -> BoxFuture<'_, Result<(), WorkError>> {
        async move {
            let urls = self.declared(commit).await?;
            for (path, id) in submodules {
                let Some(url) = urls.get(&path) else { continue };
                self.one(&path, url, id, depth).await?;
            }
            Ok(())
        }
        .boxed()
    }

    async fn one(
        &self,
        path: &str,
        url: &str,
        id: ObjectId,
        depth: usize,
    ) -> Result<(), WorkError> {
        if depth >= MAX_DEPTH {
            return Err(failed(path, format!("submodules are nested deeper than {MAX_DEPTH}")));
        }
        let url = absolute(&self.url, url)
            .ok_or_else(|| failed(path, "its URL cannot be understood".to_owned()))?;
        let remote = self.remote(&url);
        let store = Store { shared: self.tree.shared.clone() };
        let repository = store.repository(&remote)?;
        let refs = repository.list_refs(&["HEAD"]).await?;
        let want = Want { name: id.to_string(), id };
        let snapshot = repository.borrow(&refs, vec![want]).await?;
        let (git_dir, format) = (snapshot.git_dir(), id.kind());
        let surveyed = git_dir.clone();
        let survey =
            blocking(move || Objects::open(&surveyed, format)?.survey(id, &Cone::default()));
        let lost = || failed(path, "its thread was lost".to_owned());
        let survey = survey.await.ok_or_else(lost)??;
        repository.fetch_contents(&refs, &snapshot, survey.missing).await?;
        let files = self.files.join(path);
        self.write_files(&git_dir, id, &files).await?;
        let inner = Around { tree: self.tree, repository, url, objects: git_dir, files };
        inner.check_out(id, survey.submodules, depth + 1).await
    }

    /// The same account where it is the same server; another one must not learn of it.
    fn remote(&self, url: &str) -> Remote {
        let own = &self.repository.target;
        let mut remote = Remote { url: url.to_owned(), credential: None, tls: own.tls.clone() };
        if Target::of(&remote).is_ok_and(|other| is_same_server(&own.address, &other.address)) {
            remote.credential.clone_from(&own.credential);
        }
        remote
    }

    /// The URL of each submodule, by its path, as `.gitmodules` declares it.
    async fn declared(&self, commit: ObjectId) -> Result<HashMap<String, String>, WorkError> {
        let (objects, format) = (self.objects.clone(), commit.kind());
        let read = blocking(move || {
            Objects::open(&objects, format)?.file(commit, ".gitmodules", MAX_DECLARATIONS)
        });
        let Some(text) = read.await.transpose()?.flatten() else { return Ok(HashMap::new()) };
        let cx = self.tree.cx();
        let command = session::harmless(cx.command("git config", "git"))
            .args(["config", "--file", "-", "--list", "-z", "--no-includes"])
            .env("HOME", self.tree.home.path())
            .directory(self.tree.home.path())
            .input(Input::Bytes(text))
            .output(Output::Capture(2 * MAX_DECLARATIONS))
            .limits(Limits { deadline: Some(DEADLINE), idle: None });
        let listed =
            cx.exec.run(command).await.map_err(|error| WorkError::git(".gitmodules", &error))?;
        Ok(declarations(&String::from_utf8_lossy(&listed.stdout)))
    }

    /// Checks out the files of a commit with a repository that is there only for that.
    async fn write_files(
        &self,
        mirror: &Path,
        id: ObjectId,
        files: &Path,
    ) -> Result<(), WorkError> {
        let cx = self.tree.cx();
        let local = |error| WorkError::local("the submodule could not be checked out", &error);
        std::fs::create_dir_all(files).map_err(local)?;
        let work = WorkDir::create(self.tree.home.path(), "submodule-").map_err(local)?;
        let repository = work.path().join("repository.git");
        layout::write_repository(&repository, mirror, id.kind()).map_err(local)?;
        layout::write_head(&repository, &Head::Detached(id)).map_err(local)?;
        let command = session::harmless(cx.command("git read-tree", "git"))
            .env("HOME", work.path())
            .env("GIT_ALLOW_PROTOCOL", "none")
            .limits(Limits { deadline: Some(DEADLINE), idle: None });
        let command = equip(command, &repository, files)
            .args(["read-tree", "--reset", "-u", &id.to_string()])
            .directory(files);
        let done = cx.exec.run(command).await;
        done.map(drop).map_err(|error| WorkError::git("the check-out of a submodule", &error))
    }
}

fn is_same_server(one: &Address, other: &Address) -> bool {
    match (one, other) {
        (Address::Http(one), Address::Http(other)) => one.origin() == other.origin(),
        (Address::Ssh(one), Address::Ssh(other)) => {
            (&one.host, one.port) == (&other.host, other.port)
        }
        _ => false,
    }
}

fn failed(path: &str, reason: String) -> WorkError {
    WorkError::Git { what: "the check-out of a submodule", reason: format!("{path}: {reason}") }
}

/// Reads `submodule.<name>.path` and `.url`, as `git config --list -z` prints them.
fn declarations(listed: &str) -> HashMap<String, String> {
    let mut paths = HashMap::new();
    let mut urls = HashMap::new();
    for (key, value) in listed.split('\0').filter_map(|entry| entry.split_once('\n')) {
        let Some((name, field)) =
            key.strip_prefix("submodule.").and_then(|key| key.rsplit_once('.'))
        else {
            continue;
        };
        match field {
            "path" => paths.insert(name.to_owned(), value.trim_end_matches('/').to_owned()),
            "url" => urls.insert(name.to_owned(), value.to_owned()),
            _ => None,
        };
    }
    paths.into_iter().filter_map(|(name, path)| Some((path, urls.remove(&name)?))).collect()
}

/// A URL that may be relative to that of the repository around.
fn absolute(around: &str, url: &str) -> Option<String> {
    if !url.starts_with("./") && !url.starts_with("../") {
        return Some(url.to_owned());
    }
    let mut base = around.trim_end_matches('/').to_owned();
    let mut rest = url;
    loop {
        if let Some(after) = rest.strip_prefix("./") {
            rest = after;
        } else if let Some(after) = rest.strip_prefix("../") {
            let cut = base.rfind(['/', ':'])?;
            // The scheme and host stay.
            if base.get(..cut)?.ends_with('/') || base.get(cut..)?.starts_with("://") {
                return None;
            }
            let keep = if base.get(cut..)?.starts_with(':') { cut + 1 } else { cut };
            base.truncate(keep);
            rest = after;
        } else {
            let slash = if base.ends_with(':') { "" } else { "/" };
            return Some(format!("{base}{slash}{rest}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use io_http::outbound::Tls;

    use super::*;

    #[test]
    fn relative_urls_are_resolved_and_stay_on_their_host() {
        let around = "https://example.com/a/b.git";
        assert_eq!(absolute(around, "../c.git").unwrap(), "https://example.com/a/c.git");
        assert_eq!(absolute(around, "./c").unwrap(), "https://example.com/a/b.git/c");
        assert_eq!(absolute(around, "../../c").unwrap(), "https://example.com/c");
        assert_eq!(absolute(around, "../../../../c"), None);
        assert_eq!(absolute("git@example.com:a", "../c").unwrap(), "git@example.com:c");
        assert_eq!(absolute(around, "https://other/x").unwrap(), "https://other/x");
    }

    #[test]
    fn a_credential_stays_with_its_server() {
        let address = |url: &str| {
            let remote = Remote { url: url.to_owned(), credential: None, tls: Tls::default() };
            Target::of(&remote).unwrap().address
        };
        let is_same = |one, other| is_same_server(&address(one), &address(other));
        assert!(is_same("https://a.example/x", "https://me@A.example:443/y"));
        assert!(is_same("git@a.example:x", "ssh://other@a.example/y"));
        for other in ["https://b.example/a.example", "http://a.example/x", "git@a.example:x"] {
            assert!(!is_same("https://a.example/x", other), "{other}");
        }
        assert!(!is_same("git@a.example:x", "git@b.example:a.example/x"));
    }

    #[test]
    fn declarations_pair_paths_and_urls() {
        let listed = "core.x\ny\0submodule.a.b.path\nlib/a\0submodule.a.b.url\n../a.git\0submodule.c.path\nc\0";
        let found = declarations(listed);
        assert_eq!(found.len(), 1);
        assert_eq!(found["lib/a"], "../a.git");
    }
}
