//! Makes the work trees of one `git-clone` step.
//!
//! What is wanted comes from the store's mirror, which is fetched only where something is missing; the clone's repository
//! borrows its objects. A second attempt removes what the first one left and starts over, because nothing that a user did
//! can be in there: later steps run only after this one ended.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use gix_hash::ObjectId;
use gix_object::Kind;
use io_exec::FileKind;

use super::{
    error::WorkError,
    keyring::Keyring,
    layout::{self, Head},
    objects::{Draft, Objects},
    plan::{self, Plan, Start},
    push::Push,
    record::{Desk, Home, Place, Record},
    request::{CheckedOut, CloneRequest},
    submodules,
    tree::{Claim, WorkTree},
};
use crate::{
    blocking::blocking,
    history::Snapshot,
    mirror::{self, Want},
    refs::Refs,
    repository::Repository,
    store::Store,
};

/// The message of a branch's first commit.
const FIRST_MESSAGE: &str = "Initial commit";

impl Store {
    /// Clones a repository into work trees. `key` names the step: a second call with the same key replaces what the first
    /// one made. Cancel safety: what an abandoned call left is replaced by the next one.
    pub async fn clone_into(
        &self,
        desk: Desk<'_>,
        key: &str,
        request: &CloneRequest,
    ) -> Result<Vec<CheckedOut>, WorkError> {
        let repository = self.repository(&request.remote)?;
        let prefixes = plan::prefixes(&request.checkouts)?;
        let prefixes: Vec<&str> = prefixes.iter().map(String::as_str).collect();
        let refs = repository.list_refs(&prefixes).await?;
        let home = Home::of(desk, key);
        start_over(self, desk, &home).await?;
        let plans = make_plans(desk, request, &refs, &repository.address())?;
        let clone = Clone { store: self, desk, home, request, repository, refs };
        let made = clone.make(plans).await;
        if made.is_err() {
            // The error matters more than what is left; another attempt removes it.
            let _ = start_over(self, desk, &clone.home).await;
        }
        made
    }
}

/// Removes what an earlier attempt left.
async fn start_over(store: &Store, desk: Desk<'_>, home: &Home) -> Result<(), WorkError> {
    if !home.path().exists() {
        return Ok(());
    }
    let _claim = Claim::take(&store.shared.cx, home).await?;
    for place in home.read().unwrap_or_default().trees {
        empty(desk, &place.path)?;
    }
    home.remove()
}

fn empty(desk: Desk<'_>, path: &Path) -> Result<(), WorkError> {
    if !path.as_os_str().is_empty() {
        desk.files.remove(path)?;
        return Ok(());
    }
    for entry in desk.files.read_dir("")? {
        desk.files.remove(entry.name())?;
    }
    Ok(())
}

fn make_plans(
    desk: Desk<'_>,
    request: &CloneRequest,
    refs: &Refs,
    repository: &str,
) -> Result<Vec<Plan>, WorkError> {
    let mut plans = Vec::new();
    for checkout in &request.checkouts {
        let path = desk.files.locate(&checkout.path)?;
        let is_free = match desk.files.find(&path)? {
            None => true,
            Some(found) => {
                found.kind == FileKind::Directory && desk.files.read_dir(&path)?.is_empty()
            }
        };
        if !is_free {
            return Err(WorkError::Occupied { path: checkout.path.clone() });
        }
        plans.push(plan::plan(checkout, path, refs, repository)?);
    }
    plan::check(&plans)?;
    Ok(plans)
}

struct Clone<'a> {
    store: &'a Store,
    desk: Desk<'a>,
    home: Home,
    request: &'a CloneRequest,
    repository: Repository,
    refs: Arc<Refs>,
}

/// A work tree whose commit is known and in the mirror.
struct Ready {
    plan: Plan,
    commit: ObjectId,
    submodules: Vec<(String, ObjectId)>,
}

impl Clone<'_> {
    async fn make(&self, plans: Vec<Plan>) -> Result<Vec<CheckedOut>, WorkError> {
        let snapshot = self.borrow(&plans).await?;
        let mut record = self.write_down(&plans, &snapshot)?;
        let mut made = Vec::new();
        for (number, ready) in self.ready(plans, &snapshot, &record).await?.into_iter().enumerate()
        {
            made.push(self.check_out(&mut record, number, ready).await?);
        }
        Ok(made)
    }

    /// Brings everything that the plans start at into the mirror, and holds on to it.
    async fn borrow(&self, plans: &[Plan]) -> Result<Snapshot, WorkError> {
        let wants: Vec<Want> = plans.iter().filter_map(|plan| plan.start.want().cloned()).collect();
        let by_id = |want: &Want| ObjectId::from_hex(want.name.as_bytes()).is_ok();
        let is_abbreviated = |plan: &Plan| matches!(plan.start, Start::Abbreviated(_));
        if !plans.iter().any(is_abbreviated) {
            let tried = self.repository.borrow(&self.refs, wants.clone()).await;
            match tried {
                Err(error) if !error.is_temporary() && wants.iter().any(by_id) => {}
                tried => return Ok(tried?),
            }
        }
        // A server that does not hand out commits by their ids has them behind its branches and tags.
        let all = self.repository.list_refs(&["refs/heads/", "refs/tags/"]).await?;
        let names: Vec<&str> = all.iter().map(|found| found.name.as_str()).collect();
        let mut everything = self.repository.wants(&all, &names)?;
        everything.extend(wants.into_iter().filter(|want| !by_id(want)));
        Ok(self.repository.borrow(&all, everything).await?)
    }

    /// Writes the repository and the record of what will be made.
    fn write_down(&self, plans: &[Plan], snapshot: &Snapshot) -> Result<Record, WorkError> {
        let format = self.refs.server.object_format;
        let trees = plans.iter().map(|plan| Place {
            path: plan.path.clone(),
            sparse: plan.sparse.clone(),
            ready: false,
        });
        let record = Record {
            url: self.request.remote.url.clone(),
            insecure_skip_tls_verify: self.request.remote.tls.insecure_skip_verify,
            name: self.request.identity.name.clone(),
            email: self.request.identity.email.clone(),
            sha256: format == gix_hash::Kind::Sha256,
            trees: trees.collect(),
        };
        self.home.create()?;
        self.home.write(&record)?;
        if let Some(key) = &self.request.identity.signing_key {
            self.home.write_signing_key(key)?;
        }
        let local = |error| WorkError::local("the clone could not be made", &error);
        // In this order: the directory exists, the mirror knows of it, and only then is anything borrowed.
        let directory = self.home.repository();
        fs::create_dir(&directory).map_err(local)?;
        mirror::register(snapshot.mirror().place.directory(), &directory).map_err(local)?;
        layout::write_repository(&directory, &snapshot.git_dir(), format).map_err(local)?;
        self.forget_former(plans)?;
        Ok(record)
    }

    /// A path that another clone had, and that was deleted since, is ours now.
    fn forget_former(&self, plans: &[Plan]) -> Result<(), WorkError> {
        for home in Home::all(self.desk).into_iter().filter(|home| *home != self.home) {
            let Some(mut record) = home.read() else { continue };
            let ours = |place: &Place| plans.iter().any(|plan| plan.path == place.path);
            if record.trees.iter().any(ours) {
                record
                    .trees
                    .iter_mut()
                    .filter(|place| ours(place))
                    .for_each(|place| place.ready = false);
                home.write(&record)?;
            }
        }
        Ok(())
    }

    /// Finds the commits, and brings the files that are missing.
    async fn ready(
        &self,
        plans: Vec<Plan>,
        snapshot: &Snapshot,
        record: &Record,
    ) -> Result<Vec<Ready>, WorkError> {
        let mut ready = Vec::new();
        let mut missing = BTreeSet::new();
        for plan in plans {
            let commit = match &plan.start {
                Start::Empty => self.first_commit(&plan, record).await?,
                start => self.commit_of(start, snapshot).await?,
            };
            let cone = plan.cone.clone();
            let survey = self.read(move |objects| objects.survey(commit, &cone)).await?;
            missing.extend(survey.missing);
            ready.push(Ready { plan, commit, submodules: survey.submodules });
        }
        let missing = missing.into_iter().collect();
        self.repository.fetch_contents(&self.refs, snapshot, missing).await?;
        Ok(ready)
    }

    async fn commit_of(&self, start: &Start, snapshot: &Snapshot) -> Result<ObjectId, WorkError> {
        let repository = self.repository.address();
        let (id, what) = match start {
            Start::Abbreviated(part) => {
                let (short, what) = (part.clone(), format!("commit {part}"));
                (self.read(move |objects| objects.find_abbreviated(&short)).await?, what)
            }
            start => {
                let want = start.want();
                let id =
                    want.map(|want| snapshot.tips().get(&want.name).copied().unwrap_or(want.id));
                (id, want.map(|want| want.name.clone()).unwrap_or_default())
            }
        };
        let missing = || plan::missing(&repository, &what);
        let id = id.ok_or_else(missing)?;
        let found =
            self.read(move |objects| if objects.has(id) { objects.peel(id) } else { Ok(None) });
        found.await?.ok_or_else(missing)
    }

    /// The first commit of a new branch, without files; published at once, as the reference does.
    async fn first_commit(&self, plan: &Plan, record: &Record) -> Result<ObjectId, WorkError> {
        let person = self.request.identity.line(self.request.date);
        let tree = ObjectId::empty_tree(self.refs.server.object_format);
        let draft = Draft { tree, parents: &[], person: &person, message: FIRST_MESSAGE };
        let signature = match &self.request.identity.signing_key {
            Some(key) => {
                let cx = &self.store.shared.cx;
                let ring = Keyring::open(cx, key).await?;
                let signature = ring.sign(cx, &draft.text(None)).await;
                ring.close(cx).await;
                Some(signature?)
            }
            None => None,
        };
        let text = draft.text(signature.as_deref());
        let id = self.read(move |objects| {
            objects.write_empty_tree()?;
            objects.write(Kind::Commit, &text)
        });
        let id = id.await?;
        if let Some(branch) = plan.branch.as_deref().filter(|_| self.request.publish) {
            let short = branch.trim_start_matches("refs/heads/");
            let _lock = self.store.lock_branch(&self.request.remote.url, short).await;
            let push = Push { from: id.to_string(), to: branch.to_owned(), force: false };
            self.tree(0, record).push_with(&self.repository, &self.refs, &push).await?;
        }
        Ok(id)
    }

    async fn check_out(
        &self,
        record: &mut Record,
        number: usize,
        ready: Ready,
    ) -> Result<CheckedOut, WorkError> {
        let Ready { plan, commit, submodules } = ready;
        let local = |error| WorkError::local("the work tree could not be made", &error);
        let head = match &plan.branch {
            Some(branch) => {
                layout::write_ref(&self.home.repository(), branch, commit).map_err(local)?;
                Head::Branch(branch.clone())
            }
            None => Head::Detached(commit),
        };
        layout::write_tree(&self.home.tree(number), &head, &plan.cone).map_err(local)?;
        self.desk.files.create_dirs(&plan.path)?;
        let tree = self.tree(number, record);
        let claim = tree.claim().await?;
        let read =
            tree.git("git read-tree").args(["read-tree", "--reset", "-u", &commit.to_string()]);
        tree.change(&claim, "the check-out", read).await?;
        if self.request.submodules && !submodules.is_empty() {
            submodules::check_out(&tree, &self.repository, commit, submodules).await?;
        }
        if let Some(place) = record.trees.get_mut(number) {
            place.ready = true;
        }
        self.home.write(record)?;
        let created = plan.branch.filter(|_| plan.start == Start::Empty);
        let created = created.map(|full| full.trim_start_matches("refs/heads/").to_owned());
        Ok(CheckedOut { commit, created })
    }

    fn tree(&self, number: usize, record: &Record) -> WorkTree {
        let path = record.trees.get(number).map(|place| place.path.clone()).unwrap_or_default();
        let files = self.desk.files.path().join(path);
        WorkTree {
            shared: self.store.shared.clone(),
            home: self.home.clone(),
            record: Arc::new(record.clone()),
            number,
            scope: files.clone(),
            files,
            nested: Vec::new(),
        }
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Objects) -> Result<T, WorkError> + Send + 'static,
    ) -> Result<T, WorkError> {
        let (repository, format) = (self.home.repository(), self.refs.server.object_format);
        let done = blocking(move || read(&Objects::open(&repository, format)?)).await;
        done.unwrap_or_else(|| {
            let reason = "its thread was lost".to_owned();
            Err(WorkError::Local { what: "the clone cannot be read", reason })
        })
    }
}
