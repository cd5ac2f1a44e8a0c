//! Outside effects of steps: done, or in a preview only written down.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;

/// Something a step does to the world outside the work directory.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Effect {
    /// Alias of the step.
    pub step: String,
    /// What is done, for example `push`, `open pull request`, `sync`.
    pub action: &'static str,
    /// To what: an address, a name.
    pub target: String,
    /// What a reader wants to know beside it, for example the branch, or the method and body.
    pub detail: Value,
}

/// How outside effects are treated.
#[derive(Clone, Debug, Default)]
pub enum Effects {
    /// They are done.
    #[default]
    Real,
    /// They are written down instead.
    Recorded(Arc<Mutex<Vec<Effect>>>),
}

impl Effects {
    /// Effects that are only written down.
    pub fn recorded() -> Self {
        Self::Recorded(Arc::default())
    }

    /// Writes the effect down if that is all that is wanted; `false` asks the step to go ahead.
    pub fn intercepts(&self, effect: impl FnOnce() -> Effect) -> bool {
        match self {
            Self::Real => false,
            Self::Recorded(list) => {
                list.lock().push(effect());
                true
            }
        }
    }

    /// Whether effects are only written down.
    pub fn are_recorded(&self) -> bool {
        matches!(self, Self::Recorded(_))
    }

    /// The commit of the last push that was written down: as near as a preview comes to what a merge would give.
    pub fn pushed_commit(&self) -> Option<String> {
        let commit = |effect: &Effect| effect.detail.get("commit")?.as_str().map(str::to_owned);
        self.list().iter().rev().filter(|effect| effect.action == "push").find_map(commit)
    }

    /// What was written down so far.
    pub fn list(&self) -> Vec<Effect> {
        match self {
            Self::Real => Vec::new(),
            Self::Recorded(list) => list.lock().clone(),
        }
    }
}
