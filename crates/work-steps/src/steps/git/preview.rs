//! What a push would bring, for a preview: its commits, and each file before and after.

use io_exec::Redactor;
use io_git::{Change, ObjectId, Repository, Side, WorkError, WorkTree};
use serde_json::{Value, json};

use crate::StepCx;

/// A push to a branch that is not made.
pub(crate) struct PushPreview<'a> {
    pub(crate) tree: &'a WorkTree,
    pub(crate) repository: &'a Repository,
    pub(crate) branch: &'a str,
    pub(crate) force: bool,
}

impl PushPreview<'_> {
    /// The detail of the effect. Secrets that a step wrote into a file are blanked.
    pub(crate) async fn detail(&self, cx: &StepCx<'_>) -> Result<Value, WorkError> {
        let head = self.tree.head()?;
        let base = self.base().await?;
        let commits = match base {
            Some(base) => self.tree.commits_between(base, head).await?,
            None => Vec::new(),
        };
        let redactor = cx.redactor();
        let changes = self.tree.changes(base, head).await?;
        let files: Vec<Value> = changes.iter().map(|change| file(change, &redactor)).collect();
        let subjects: Vec<String> =
            commits.iter().map(|commit| redactor.clean(&commit.subject)).collect();
        Ok(json!({
            "branch": self.branch,
            "force": self.force,
            "commit": head.to_string(),
            "commits": subjects,
            "files": files,
        }))
    }

    /// What the branch holds now. One that is not there yet begins where the branch of the work tree is.
    async fn base(&self) -> Result<Option<ObjectId>, WorkError> {
        let current = self.tree.branch()?;
        for branch in [Some(self.branch), current.as_deref()].into_iter().flatten() {
            let full = format!("refs/heads/{branch}");
            if let Some(tip) = self.tree.remote_head(self.repository, &full).await?
                && self.tree.has(tip).await?
            {
                return Ok(Some(tip));
            }
        }
        Ok(None)
    }
}

fn file(Change { path, before, after }: &Change, redactor: &Redactor) -> Value {
    let text = |side: &Side| match side {
        Side::Text(text) => Some(redactor.clean(text)),
        Side::Absent | Side::Opaque => None,
    };
    let opaque = [before, after].into_iter().any(|side| *side == Side::Opaque);
    json!({ "path": path, "before": text(before), "after": text(after), "opaque": opaque })
}
