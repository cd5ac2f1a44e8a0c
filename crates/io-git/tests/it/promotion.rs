//! A Promotion's directories, and short words for what tests do with its work trees.

use std::{
    fs,
    path::{Path, PathBuf},
};

use core_rules::credential::{Credential, Secret};
use io_exec::Jail;
use io_git::{
    At, CheckedOut, Checkout, CloneRequest, CommitRequest, Committed, Desk, Identity, Publication,
    PushIntegration, Remote, Store, WorkError, WorkTree,
};
use jiff::Timestamp;

use crate::world::remote;

/// When every Promotion of the tests started.
pub(crate) fn date() -> Timestamp {
    Timestamp::from_second(1_750_000_000).unwrap()
}

pub(crate) struct Promotion {
    root: PathBuf,
    // Removed with the Promotion, unless it is somebody else's.
    owned: Option<tempfile::TempDir>,
    pub(crate) files: Jail,
    pub(crate) store: Store,
    pub(crate) signing_key: Option<Secret>,
}

impl Promotion {
    pub(crate) fn new(store: &Store) -> Self {
        let owned = tempfile::tempdir().unwrap();
        let mut promotion = Self::existing(owned.path(), store);
        promotion.owned = Some(owned);
        promotion
    }

    /// The Promotion at `root`, perhaps one that was begun before.
    pub(crate) fn existing(root: &Path, store: &Store) -> Self {
        for name in ["files", "private"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        let files = Jail::open(&root.join("files")).unwrap();
        Self { root: root.to_owned(), owned: None, files, store: store.clone(), signing_key: None }
    }

    pub(crate) fn private(&self) -> PathBuf {
        self.root.join("private")
    }

    pub(crate) fn request(&self, remote: Remote, checkouts: Vec<Checkout>) -> CloneRequest {
        CloneRequest {
            remote,
            identity: Identity {
                name: "Kargo".to_owned(),
                email: "no-reply@kargo.io".to_owned(),
                signing_key: self.signing_key.clone(),
            },
            checkouts,
            submodules: false,
            date: date(),
            publish: true,
        }
    }

    pub(crate) async fn run(&self, request: &CloneRequest) -> Result<Vec<CheckedOut>, WorkError> {
        let private = self.private();
        let desk = Desk { private: &private, files: &self.files };
        self.store.clone_into(desk, "clone", request).await
    }

    pub(crate) async fn clone(
        &self,
        url: &str,
        checkouts: Vec<Checkout>,
    ) -> Result<Vec<CheckedOut>, WorkError> {
        self.run(&self.request(remote(url, None), checkouts)).await
    }

    /// Checks out a branch to `out`.
    pub(crate) async fn on_branch(&self, url: &str, branch: &str) -> WorkTree {
        self.clone(url, vec![checkout("out", on(branch))]).await.unwrap();
        self.tree("out")
    }

    pub(crate) fn tree(&self, path: &str) -> WorkTree {
        self.try_tree(path).unwrap()
    }

    pub(crate) fn try_tree(&self, path: &str) -> Result<WorkTree, WorkError> {
        let private = self.private();
        self.store.work_tree(Desk { private: &private, files: &self.files }, path)
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        self.files.write(path, content.as_bytes()).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        self.files.read_text(path, 1 << 20).unwrap()
    }

    /// Everything that is checked out below `path`, sorted.
    pub(crate) fn listing(&self, path: &str) -> Vec<String> {
        let mut found = Vec::new();
        list(&self.files.path().join(path), "", &mut found);
        found.sort();
        found
    }
}

fn list(directory: &Path, prefix: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            list(&entry.path(), &format!("{name}/"), found);
        } else {
            found.push(name);
        }
    }
}

pub(crate) fn on(branch: &str) -> At {
    At::Branch { name: branch.to_owned(), create: false }
}

pub(crate) fn checkout(path: &str, at: At) -> Checkout {
    Checkout { path: path.to_owned(), at, sparse: Vec::new() }
}

pub(crate) async fn commit(tree: &WorkTree, message: &str) -> Result<Committed, WorkError> {
    tree.commit(CommitRequest { message, author: None, date: date(), key: message }).await
}

pub(crate) async fn publish(
    tree: &WorkTree,
    branch: &str,
    policy: PushIntegration,
) -> Result<(), WorkError> {
    publish_as(tree, None, branch, Some(policy), false).await
}

pub(crate) async fn publish_as(
    tree: &WorkTree,
    credential: Option<Credential>,
    branch: &str,
    policy: Option<PushIntegration>,
    force: bool,
) -> Result<(), WorkError> {
    let repository = tree.repository(credential)?;
    tree.publish(&repository, Publication { branch, policy, force, date: date() }).await
}
