//! What a step knows of the Promotion it belongs to.

use api_kinds::{collection::FreightReference, stage::FreightRequest};
use core_rules::credential::Secret;
use io_exec::{Jail, Redactor};
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::effect::Effects;

/// The Promotion that steps belong to.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// Name of the Project.
    pub project: String,
    /// Name of the Stage.
    pub stage: String,
    /// Name of the Promotion.
    pub promotion: String,
    /// Who asked for it, without the prefix that says how they are known; empty when nobody did.
    pub actor: String,
    /// Whether it goes back to earlier Freight.
    pub is_rollback: bool,
    /// When it started. Commits carry this time, so that a repeated step makes the same commit.
    pub started_at: Timestamp,
    /// Address of the user interface; empty when there is none.
    pub ui_base_url: String,
    /// The Freight that the Stage requests.
    pub requests: Vec<FreightRequest>,
    /// The Freight that the Stage will hold, one piece per origin.
    pub freight: Vec<FreightReference>,
    /// Name of the Freight being promoted.
    pub target_freight: FreightReference,
    /// Its alias.
    pub target_freight_alias: String,
}

/// What one attempt of a step gets beside its configuration and its needs.
pub struct StepCx<'a> {
    /// The Promotion.
    pub subject: &'a Subject,
    /// Alias of the step, with that of its task before it.
    pub alias: &'a str,
    /// Outputs of the steps so far, by alias; also the output of this step's earlier attempts.
    pub state: &'a Map<String, Value>,
    /// Files of the Promotion, as users' paths see them.
    pub files: &'a Jail,
    /// A directory of this Promotion that no user path reaches: homes, keys, bare repositories.
    pub private: &'a std::path::Path,
    /// Outside effects, or their record in a preview.
    pub effects: &'a Effects,
    /// Where the attempt tells what it does, line by line.
    pub log: &'a (dyn Fn(&str) + Send + Sync),
    /// Blanks secrets; credentials that a step uses are added with [`StepCx::hide`].
    pub secrets: &'a parking_lot::Mutex<Vec<Secret>>,
}

impl StepCx<'_> {
    /// The output of this step's former attempt. `null` counts as none.
    pub fn former_output(&self) -> Option<&Map<String, Value>> {
        self.state.get(self.alias)?.as_object()
    }

    /// Tells what the attempt does.
    pub fn say(&self, line: impl AsRef<str>) {
        (self.log)(line.as_ref());
    }

    /// Blanks a secret in everything that leaves the Promotion from now on.
    pub fn hide(&self, secret: &Secret) {
        self.secrets.lock().push(secret.clone());
    }

    /// What blanks the secrets known so far, for the output of programs.
    pub fn redactor(&self) -> Redactor {
        Redactor::new(self.secrets.lock().iter())
    }
}
