//! A controller writes only the objects of its own shard.
//!
//! Upstream lets every controller write everything, so that a stolen token of one shard reaches all
//! of them. Which shard a controller serves is said by its ServiceAccount: the shard label, and
//! whether objects without one are its own as well. A ServiceAccount that names no shard is not held
//! to any.

use std::collections::BTreeMap;

use api_kinds::labels;

use super::refusal::Refusal;
use crate::shard::Shard;

/// Marks the ServiceAccounts of controllers.
pub const COMPONENT_LABEL: &str = "app.kubernetes.io/component";
/// The value of that mark.
pub const CONTROLLER_COMPONENT: &str = "controller";
/// On a controller's ServiceAccount: `true` when objects without a shard are its own.
pub const DEFAULT_CONTROLLER_LABEL: &str = "kargo.akuity.io/default-controller";

/// What a controller is responsible for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardScope(Shard);

impl ShardScope {
    /// What the labels of a ServiceAccount say; `None` when it is held to no shard.
    pub fn of_service_account(account: &BTreeMap<String, String>) -> Option<Self> {
        let value = |key: &str| account.get(key).map(String::as_str).unwrap_or_default();
        let shard = value(labels::SHARD);
        let is_held = value(COMPONENT_LABEL) == CONTROLLER_COMPONENT && !shard.is_empty();
        let takes_unlabeled = value(DEFAULT_CONTROLLER_LABEL) == labels::TRUE;
        is_held.then(|| Self(Shard::new(shard, takes_unlabeled)))
    }

    /// Refuses a write to an object of another shard, or one that would move it there. `shards` are
    /// the shards of the object before and after, as far as there is one.
    pub fn check(&self, caller: &str, resource: &str, shards: &[&str]) -> Result<(), Refusal> {
        match shards.iter().find(|shard| !self.0.covers(shard)) {
            None => Ok(()),
            Some(foreign) => Err(Refusal::denied(format!(
                "{caller:?} serves shard {:?} and may not write {resource} of shard {foreign:?}",
                self.0.name()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{COMPONENT_LABEL, DEFAULT_CONTROLLER_LABEL, ShardScope};

    fn scope(labels: &[(&str, &str)]) -> Option<ShardScope> {
        let labels: BTreeMap<String, String> =
            labels.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
        ShardScope::of_service_account(&labels)
    }

    #[test]
    fn a_controller_is_held_to_the_shard_it_names() {
        let shard = ("kargo.akuity.io/shard", "eu");
        let controller = (COMPONENT_LABEL, "controller");
        let eu = scope(&[controller, shard]).unwrap();
        assert!(eu.check("c", "stages", &["eu"]).is_ok());
        assert!(eu.check("c", "stages", &["us"]).is_err());
        assert!(eu.check("c", "stages", &["eu", "us"]).is_err());
        assert!(eu.check("c", "stages", &[""]).is_err());
        let default = scope(&[controller, shard, (DEFAULT_CONTROLLER_LABEL, "true")]).unwrap();
        assert!(default.check("c", "stages", &["", "eu"]).is_ok());
    }

    #[test]
    fn whoever_names_no_shard_is_not_held() {
        assert_eq!(scope(&[(COMPONENT_LABEL, "controller")]), None);
        assert_eq!(scope(&[("kargo.akuity.io/shard", "eu")]), None);
    }
}
