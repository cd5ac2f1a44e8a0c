//! The commits of a work tree that the remote does not have, and who signed them.

use std::collections::HashMap;

use gix_hash::ObjectId;

use super::{error::WorkError, keyring::Keyring, tree::WorkTree};
use crate::history::Commit;

/// Most commits that are looked at one by one.
const MAX_COMMITS: usize = 10_000;

/// What a commit's signature is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// Signed with the key of the clone.
    Trusted,
    /// Not signed.
    Unsigned,
    /// Signed by somebody else, or not as it should be.
    Untrusted,
}

impl Signature {
    /// The word for messages.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Trusted => "signed with our key",
            Self::Unsigned => "not signed",
            Self::Untrusted => "signed with another key",
        }
    }
}

impl WorkTree {
    /// The commits behind `tip` that are not behind `base`, oldest first.
    pub async fn commits_between(
        &self,
        base: ObjectId,
        tip: ObjectId,
    ) -> Result<Vec<Commit>, WorkError> {
        let command = self
            .git("git rev-list")
            .args(["rev-list", "--topo-order", "--reverse"])
            .args([tip.to_string(), format!("^{base}"), "--".to_owned()]);
        let listed = self.ask("git rev-list", command).await?;
        let ids: Vec<ObjectId> =
            listed.lines().filter_map(|line| ObjectId::from_hex(line.as_bytes()).ok()).collect();
        if ids.len() > MAX_COMMITS {
            let reason = format!("there are more than {MAX_COMMITS} commits");
            return Err(WorkError::Git { what: "git rev-list", reason });
        }
        self.read(move |objects| ids.into_iter().map(|id| objects.commit(id)).collect()).await
    }

    /// What the signatures of `commits` are worth, in their order.
    pub async fn signatures(&self, commits: &[Commit]) -> Result<Vec<Signature>, WorkError> {
        let signed: Vec<ObjectId> =
            commits.iter().filter(|commit| commit.signed).map(|commit| commit.id).collect();
        let verified = match &self.identity()?.signing_key {
            Some(key) if !signed.is_empty() => {
                let ring = Keyring::open(self.cx(), key).await?;
                let verified = self.verify(&ring, &signed).await;
                ring.close(self.cx()).await;
                verified?
            }
            _ => HashMap::new(),
        };
        let worth = |commit: &Commit| match verified.get(&commit.id) {
            _ if !commit.signed => Signature::Unsigned,
            Some(true) => Signature::Trusted,
            _ => Signature::Untrusted,
        };
        Ok(commits.iter().map(worth).collect())
    }

    async fn verify(
        &self,
        ring: &Keyring,
        ids: &[ObjectId],
    ) -> Result<HashMap<ObjectId, bool>, WorkError> {
        let command = ring
            .equip(self.git("git log"))
            .args(["log", "--no-walk=unsorted", "--format=%H %G?"])
            .args(ids.iter().map(ToString::to_string))
            .args(["--"]);
        let listed = self.ask("git log", command).await?;
        let lines = listed.lines().filter_map(|line| {
            let (id, state) = line.split_once(' ')?;
            Some((ObjectId::from_hex(id.as_bytes()).ok()?, state == "G"))
        });
        Ok(lines.collect())
    }
}
