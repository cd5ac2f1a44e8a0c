//! Commits, tags, and emptying a work tree.

use gix_hash::ObjectId;
use gix_object::Kind;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::{
    error::WorkError,
    identity::Identity,
    keyring::Keyring,
    layout, name,
    objects::{Draft, with_last_line},
    tree::WorkTree,
};
use crate::remote::short_hex;

/// A commit to make of everything that changed.
#[derive(Clone, Copy, Debug)]
pub struct CommitRequest<'a> {
    /// The user's words.
    pub message: &'a str,
    /// Who makes it; the clone's identity when nobody is named.
    pub author: Option<&'a Identity>,
    /// When. The same time makes the same commit.
    pub date: Timestamp,
    /// The name of the step: a second attempt of it finds the commit of the first.
    pub key: &'a str,
}

/// What came of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The commit that the work tree stands at now.
    pub id: ObjectId,
    /// Whether this step made it; otherwise nothing had changed.
    pub is_new: bool,
}

/// An annotated tag to make.
#[derive(Clone, Copy, Debug)]
pub struct TagRequest<'a> {
    /// Its name.
    pub name: &'a str,
    /// The user's words.
    pub message: &'a str,
    /// Whether it may replace another one.
    pub force: bool,
    /// When.
    pub date: Timestamp,
    /// The name of the step: a second attempt of it finds the tag of the first.
    pub key: &'a str,
}

impl WorkTree {
    /// Removes all files but those that are ignored. The change is committed with the next commit.
    pub async fn clear(&self) -> Result<(), WorkError> {
        let claim = self.claim().await?;
        let add = self.git("git add").args(["add", "--all"]).args(self.pathspecs());
        self.change(&claim, "git add", add).await?;
        let remove = self
            .git("git rm")
            .args(["rm", "-r", "-f", "-q", "--ignore-unmatch"])
            .args(self.pathspecs());
        self.change(&claim, "git rm", remove).await
    }

    /// Commits everything that changed.
    pub async fn commit(&self, request: CommitRequest<'_>) -> Result<Committed, WorkError> {
        let claim = self.claim().await?;
        let add = self.git("git add").args(["add", "--all", "--sparse"]).args(self.pathspecs());
        self.change(&claim, "git add", add).await?;
        let written = self.ask("git write-tree", self.git("git write-tree").args(["write-tree"]));
        let written = written.await?;
        let tree = ObjectId::from_hex(written.trim().as_bytes()).map_err(|error| {
            WorkError::Git { what: "git write-tree", reason: error.to_string() }
        })?;
        let head = self.head()?;
        let before = self.read(move |objects| objects.commit(head)).await?;
        let note = note("commit", request.key);
        if before.tree == tree {
            return Ok(Committed { id: head, is_new: self.noted(&note) == Some(head) });
        }
        let own = self.identity()?;
        let identity = request.author.unwrap_or(&own);
        let person = identity.line(request.date);
        let draft = Draft { tree, parents: &[head], person: &person, message: request.message };
        let signature = self.signature(identity, &draft.text(None)).await?;
        let text = draft.text(signature.as_deref());
        let id = self.read(move |objects| objects.write(Kind::Commit, &text)).await?;
        self.note(&note, id)?;
        self.advance(id)?;
        Ok(Committed { id, is_new: true })
    }

    /// Makes an annotated tag of the commit that the work tree stands at, and returns that commit.
    pub async fn tag(&self, request: TagRequest<'_>) -> Result<ObjectId, WorkError> {
        let full = name::tag(request.name)?;
        let _claim = self.claim().await?;
        let head = self.head()?;
        let note = note("tag", request.key);
        let existing = layout::read_ref(&self.home.repository(), &full);
        if existing.is_some() && existing == self.noted(&note) {
            return Ok(head);
        }
        if existing.is_some() && !request.force {
            return Err(WorkError::TagExists { name: request.name.to_owned() });
        }
        let identity = self.identity()?;
        let mut text = format!(
            "object {head}\ntype commit\ntag {}\ntagger {}\n\n{}",
            request.name,
            identity.line(request.date),
            with_last_line(request.message)
        );
        if let Some(signature) = self.signature(&identity, &text).await? {
            text.push_str(&signature);
        }
        let id = self.read(move |objects| objects.write(Kind::Tag, &text)).await?;
        self.note(&note, id)?;
        let written = layout::write_ref(&self.home.repository(), &full, id);
        written.map_err(|error| WorkError::local("the tag could not be written", &error))?;
        Ok(head)
    }

    async fn signature(&self, who: &Identity, text: &str) -> Result<Option<String>, WorkError> {
        let Some(key) = &who.signing_key else { return Ok(None) };
        let ring = Keyring::open(self.cx(), key).await?;
        let signature = ring.sign(self.cx(), text).await;
        ring.close(self.cx()).await;
        signature.map(Some)
    }

    /// What a step made is noted before it shows: a killed step finds out whether it was done.
    fn note(&self, name: &str, id: ObjectId) -> Result<(), WorkError> {
        let noted = self.home.replace(name, id.to_string().as_bytes());
        noted.map_err(|error| WorkError::local("the commit could not be noted", &error))
    }

    fn noted(&self, name: &str) -> Option<ObjectId> {
        let text = std::fs::read(self.home.path().join(name)).ok()?;
        ObjectId::from_hex(&text).ok()
    }
}

fn note(what: &str, key: &str) -> String {
    format!("{what}-{}", short_hex(&Sha256::digest(key)))
}
