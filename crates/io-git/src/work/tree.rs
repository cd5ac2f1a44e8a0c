//! A work tree, found by its path alone, and how `git` is run in it.
//!
//! `git` is told explicitly where the repository and the files are, reads no configuration but ours, and runs no hook, no
//! filter and no file-system monitor. Commands that change something hold the clone's lock through their own output: one
//! that outlived a killed controller is noticed and waited for before its leftovers are cleared away.

use std::{
    ffi::OsString,
    fs::{File, OpenOptions},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use core_rules::credential::Credential;
use gix_hash::ObjectId;
use io_exec::{Command, FileKind, Finished, Input, Limits, Output};
use io_http::outbound::Tls;
use rustix::fs::{FlockOperation, flock};

use super::{
    cone::Cone,
    error::WorkError,
    identity::Identity,
    layout::{self, Head},
    objects::Objects,
    record::{Desk, Home, Place, Record},
};
use crate::{
    blocking::blocking,
    context::Context,
    remote::{Remote, Target},
    repository::Repository,
    session,
    store::{Shared, Store},
};

/// How long a command that needs no network may take.
const DEADLINE: Duration = Duration::from_mins(10);
/// How long to wait for a git of an earlier attempt, and how often to look.
const LOCK_PATIENCE: Duration = Duration::from_mins(1);
const LOCK_INTERVAL: Duration = Duration::from_millis(50);
const MAX_OUTPUT: usize = 16 << 20;

/// A work tree that `git-clone` made. Cheap to clone.
#[derive(Clone)]
pub struct WorkTree {
    pub(super) shared: Arc<Shared>,
    pub(super) home: Home,
    pub(super) record: Arc<Record>,
    pub(super) number: usize,
    /// The directory of its files.
    pub(super) files: PathBuf,
    /// The directory that commands work on: the same, or one inside.
    pub(super) scope: PathBuf,
    /// Other work trees among its files, by their paths from its root: not for it to commit or to clear.
    pub(super) nested: Vec<PathBuf>,
}

impl Store {
    /// The work tree that the user's `path` is, or is inside of.
    pub fn work_tree(&self, desk: Desk<'_>, path: &str) -> Result<WorkTree, WorkError> {
        let located = desk.files.locate(path)?;
        let not_a_tree = || WorkError::NotAWorkTree { path: path.to_owned() };
        let is_directory =
            desk.files.metadata(&located).is_ok_and(|found| found.kind == FileKind::Directory);
        let clones = Home::all(desk).into_iter().filter_map(|home| Some((home.read()?, home)));
        let trees: Vec<_> = clones
            .flat_map(|(record, home)| {
                let record = Arc::new(record);
                let places = record.trees.clone().into_iter().enumerate();
                places.map(move |(number, place)| (record.clone(), home.clone(), number, place))
            })
            .filter(|(.., place)| place.ready)
            .collect();
        let found = trees
            .iter()
            .filter(|(.., place)| is_directory && located.starts_with(&place.path))
            .max_by_key(|(.., place)| place.path.components().count());
        let (record, home, number, place) = found.cloned().ok_or_else(not_a_tree)?;
        let below =
            trees.iter().filter_map(|(.., other)| other.path.strip_prefix(&place.path).ok());
        let nested =
            below.filter(|path| !path.as_os_str().is_empty()).map(Path::to_owned).collect();
        let (files, scope) =
            (desk.files.path().join(&place.path), desk.files.path().join(&located));
        Ok(WorkTree { shared: self.shared.clone(), home, record, number, files, scope, nested })
    }
}

impl WorkTree {
    /// The repository's URL as the user wrote it. It may hold a password: never show it.
    pub fn url(&self) -> &str {
        &self.record.url
    }

    /// The repository's address without user name and password.
    pub fn address(&self) -> String {
        Target::of(&self.remote(None)).map(|target| target.to_string()).unwrap_or_default()
    }

    /// The repository it was cloned from, to be reached with this credential.
    pub fn remote(&self, credential: Option<Credential>) -> Remote {
        let insecure_skip_verify = self.record.insecure_skip_tls_verify;
        let tls = Tls { insecure_skip_verify, ..Tls::default() };
        Remote { url: self.record.url.clone(), credential, tls }
    }

    /// The same, ready to be dialled.
    pub fn repository(&self, credential: Option<Credential>) -> Result<Repository, WorkError> {
        let store = Store { shared: self.shared.clone() };
        Ok(store.repository(&self.remote(credential))?)
    }

    /// The name of the branch it is on; `None` when it is on none.
    pub fn branch(&self) -> Result<Option<String>, WorkError> {
        Ok(match self.stands()? {
            Head::Branch(name) => Some(name.trim_start_matches("refs/heads/").to_owned()),
            Head::Detached(_) => None,
        })
    }

    /// The commit it stands at.
    pub fn head(&self) -> Result<ObjectId, WorkError> {
        let id = match self.stands()? {
            Head::Branch(name) => layout::read_ref(&self.home.repository(), &name),
            Head::Detached(id) => Some(id),
        };
        id.ok_or_else(|| self.unreadable())
    }

    /// Who makes its commits.
    pub(super) fn identity(&self) -> Result<Identity, WorkError> {
        self.home.identity(&self.record)
    }

    /// Name and e-mail address of who signs its commits; `None` when nobody does.
    pub fn signer(&self) -> Result<Option<(String, String)>, WorkError> {
        let identity = self.identity()?;
        Ok(identity.signing_key.is_some().then_some((identity.name, identity.email)))
    }

    pub(super) fn cx(&self) -> &Context {
        &self.shared.cx
    }

    pub(super) fn format(&self) -> gix_hash::Kind {
        if self.record.sha256 { gix_hash::Kind::Sha256 } else { gix_hash::Kind::Sha1 }
    }

    /// The part of the repository that is this work tree's own.
    pub(super) fn git_dir(&self) -> PathBuf {
        self.home.tree(self.number)
    }

    pub(super) fn cone(&self) -> Result<Cone, WorkError> {
        let sparse =
            self.record.trees.get(self.number).map(|Place { sparse, .. }| sparse.as_slice());
        Cone::of(sparse.unwrap_or_default())
    }

    pub(super) fn stands(&self) -> Result<Head, WorkError> {
        layout::read_head(&self.git_dir()).ok_or_else(|| self.unreadable())
    }

    /// Moves the branch, or the work tree when it is on none, to a commit, without touching files.
    pub(super) fn advance(&self, id: ObjectId) -> Result<(), WorkError> {
        let moved = match self.stands()? {
            Head::Branch(name) => layout::write_ref(&self.home.repository(), &name, id),
            Head::Detached(_) => layout::write_head(&self.git_dir(), &Head::Detached(id)),
        };
        moved.map_err(|error| WorkError::local("the branch could not be moved", &error))
    }

    /// Reads objects on a thread that may wait for the disk.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Objects) -> Result<T, WorkError> + Send + 'static,
    ) -> Result<T, WorkError> {
        let (repository, format) = (self.home.repository(), self.format());
        let done = blocking(move || read(&Objects::open(&repository, format)?)).await;
        done.unwrap_or_else(|| Err(self.unreadable()))
    }

    /// `git` for work that needs no network.
    pub(super) fn git(&self, name: &'static str) -> Command {
        let command = session::harmless(self.cx().command(name, "git"))
            .env("HOME", self.home.path())
            .env("GIT_ALLOW_PROTOCOL", "none")
            .limits(Limits { deadline: Some(DEADLINE), idle: None });
        self.equip(command)
    }

    /// Tells a `git` where it works, and what it must not run.
    pub(super) fn equip(&self, command: Command) -> Command {
        equip(command, &self.git_dir(), &self.files).directory(&self.scope)
    }

    /// Everything that commands work on: the scope, without other work trees inside.
    pub(super) fn pathspecs(&self) -> Vec<OsString> {
        let all = OsString::from(".");
        let others = self.nested.iter().map(|path| {
            let mut pathspec = OsString::from(":(exclude,top,literal)");
            pathspec.push(path);
            pathspec
        });
        std::iter::once(all).chain(others).collect()
    }

    /// Runs a command that changes the repository or the files.
    pub(super) async fn change(
        &self,
        claim: &Claim,
        what: &'static str,
        command: Command,
    ) -> Result<(), WorkError> {
        let done = self.cx().exec.run(claim.held_by(command)).await;
        done.map(drop).map_err(|error| WorkError::git(what, &error))
    }

    /// Runs a command and returns what it printed.
    pub(super) async fn ask(
        &self,
        what: &'static str,
        command: Command,
    ) -> Result<String, WorkError> {
        let done = self.cx().exec.run(command.output(Output::Capture(MAX_OUTPUT))).await;
        let Finished { stdout, .. } = done.map_err(|error| WorkError::git(what, &error))?;
        Ok(String::from_utf8_lossy(&stdout).into_owned())
    }

    /// Makes the clone ours: waits for a git of a killed attempt, and clears what it left.
    pub(super) async fn claim(&self) -> Result<Claim, WorkError> {
        let claim = Claim::take(self.cx(), &self.home).await?;
        layout::clear_locks(&self.home.repository());
        Ok(claim)
    }

    fn unreadable(&self) -> WorkError {
        WorkError::Local {
            what: "the clone cannot be read",
            reason: format!("{} is damaged", self.home.repository().display()),
        }
    }
}

/// The lock of one clone.
pub(super) struct Claim(File);

impl Claim {
    pub(super) async fn take(cx: &Context, home: &Home) -> Result<Self, WorkError> {
        let local = |error| WorkError::local("the clone could not be locked", &error);
        let file = OpenOptions::new().create(true).append(true).open(home.lock()).map_err(local)?;
        let start = cx.clock.monotonic();
        while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            if cx.clock.monotonic().saturating_sub(start) > LOCK_PATIENCE {
                return Err(WorkError::Local {
                    what: "the clone could not be locked",
                    reason: "a git of an earlier attempt still works in it".to_owned(),
                });
            }
            cx.clock.sleep(LOCK_INTERVAL).await;
        }
        Ok(Self(file))
    }

    /// The command keeps the lock until its last process ends, whatever becomes of us.
    pub(super) fn held_by(&self, command: Command) -> Command {
        match self.0.try_clone() {
            Ok(lock) => command.output(Output::File(lock)),
            Err(_) => command,
        }
    }
}

/// A `git` that works on the repository part `git_dir` and the files at `files`, and runs nothing else.
pub(super) fn equip(command: Command, git_dir: &Path, files: &Path) -> Command {
    command
        .args(["-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never"])
        .args(["-c", "core.untrackedCache=false", "-c", "advice.detachedHead=false"])
        .env("GIT_DIR", git_dir)
        .env("GIT_WORK_TREE", files)
        .env("GIT_EDITOR", ":")
        .env("GIT_SEQUENCE_EDITOR", ":")
        .env("GIT_MERGE_AUTOEDIT", "no")
        .input(Input::Null)
}
