//! Controllers as we know them: ServiceAccounts in the installation's namespace that carry a label.
//!
//! The label and the namespace are the whole contract by which a controller, here or in another
//! cluster, gets to read the Secrets of Projects, and by whose removal it loses them.

use std::collections::BTreeSet;

use api_kinds::{finalizer::FINALIZER, labels};
use k8s_openapi::api::{
    core::v1::ServiceAccount,
    rbac::v1::{RoleBinding, Subject},
};

use super::names;
use crate::shorten;

/// ServiceAccount of a controller: further subjects that act for it, as `User:name` or
/// `Group:name`, separated by commas. Identities from other clusters are not ServiceAccounts here.
pub const ADDITIONAL_SUBJECTS: &str = "kargo.akuity.io/additional-subjects";

/// More would not be read by anybody, and each is copied into every Project.
const MAX_ADDITIONAL_SUBJECTS: usize = 16;

const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

/// A controller that may read Secrets of Projects.
#[derive(Clone, Debug, PartialEq)]
pub struct ControllerAccount {
    /// The name of the ServiceAccount.
    pub name: String,
    /// The shard the controller serves, when its ServiceAccount says so.
    pub shard: Option<String>,
    /// Who else acts for it.
    pub additional_subjects: Vec<Subject>,
}

/// What is next for a ServiceAccount in the installation's namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountStep {
    /// It is no concern of ours, or all is done.
    Nothing,
    /// It is a controller: hold back its deletion until its grants are gone.
    Enrol,
    /// It is no controller any more, and grants of it remain.
    AwaitGrants,
    /// It is no controller any more, and nothing remains of its grants.
    Release,
}

/// Whether a ServiceAccount is that of a controller.
pub fn is_controller(account: &ServiceAccount) -> bool {
    let component = account.metadata.labels.as_ref().and_then(|all| all.get(names::COMPONENT));
    let is_labeled = component.is_some_and(|component| component == names::CONTROLLER_COMPONENT);
    is_labeled && account.metadata.deletion_timestamp.is_none()
}

/// The controller whose ServiceAccount this is; `None` when it is that of something else.
pub fn controller_account(account: &ServiceAccount) -> Option<ControllerAccount> {
    if !is_controller(account) {
        return None;
    }
    let label = |key: &str| account.metadata.labels.as_ref()?.get(key).cloned();
    let annotation = account.metadata.annotations.as_ref().and_then(|a| a.get(ADDITIONAL_SUBJECTS));
    Some(ControllerAccount {
        name: account.metadata.name.clone()?,
        shard: label(labels::SHARD).filter(|shard| !shard.is_empty()),
        additional_subjects: annotation.map(|text| parse_subjects(text)).unwrap_or_default(),
    })
}

/// What is next for a ServiceAccount of which `remaining_grants` are left in Project namespaces.
pub fn plan_account(account: &ServiceAccount, remaining_grants: usize) -> AccountStep {
    let finalizers = account.metadata.finalizers.as_deref().unwrap_or_default();
    let is_held = finalizers.iter().any(|finalizer| finalizer == FINALIZER);
    match (is_controller(account), is_held) {
        (true, false) => AccountStep::Enrol,
        (false, true) if remaining_grants > 0 => AccountStep::AwaitGrants,
        (false, true) => AccountStep::Release,
        (true, true) | (false, false) => AccountStep::Nothing,
    }
}

/// The name of the RoleBinding by which a controller reads the Secrets of a Project.
pub fn binding_name(account: &str) -> String {
    shorten::resource_name(&format!("{account}{}", names::READ_SECRETS_SUFFIX))
}

/// Whether a RoleBinding lets a controller, any controller, read the Secrets of a Project.
pub fn is_controller_binding(binding: &RoleBinding) -> bool {
    let refers = binding.role_ref.kind == names::CLUSTER_ROLE
        && binding.role_ref.name == names::CONTROLLER_READ_SECRETS;
    refers && binding_owner(binding).is_some()
}

/// The controller a RoleBinding was made for.
pub fn binding_owner(binding: &RoleBinding) -> Option<&str> {
    let subject = binding.subjects.as_ref()?.first()?;
    let is_ours = binding.metadata.name.as_deref() == Some(&binding_name(&subject.name));
    is_ours.then_some(subject.name.as_str())
}

/// The controllers that get to read the Secrets of a Project.
///
/// With `shards`, a controller that names its shard gets only the Projects with objects of it.
pub fn select_controllers<'a>(
    accounts: &'a [ControllerAccount],
    shards: Option<&BTreeSet<String>>,
) -> Vec<&'a ControllerAccount> {
    let is_selected = |account: &&ControllerAccount| match (shards, &account.shard) {
        (Some(present), Some(shard)) => present.contains(shard),
        _ => true,
    };
    accounts.iter().filter(is_selected).collect()
}

/// Reads the additional subjects. Entries that are none are skipped: a typing error must not cost
/// the controller the grants it has.
fn parse_subjects(text: &str) -> Vec<Subject> {
    let entries = text.split(',').filter_map(|entry| {
        let (kind, name) = entry.trim().split_once(':')?;
        let is_known = matches!(kind, "User" | "Group") && !name.is_empty();
        is_known.then(|| Subject {
            api_group: Some(RBAC_GROUP.to_owned()),
            kind: kind.to_owned(),
            name: name.to_owned(),
            namespace: None,
        })
    });
    entries.take(MAX_ADDITIONAL_SUBJECTS).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use api_kinds::ObjectMeta;

    use super::*;

    fn account(label: Option<&str>, is_held: bool, is_deleted: bool) -> ServiceAccount {
        let label = label.map(|value| (names::COMPONENT.to_owned(), value.to_owned()));
        ServiceAccount {
            metadata: ObjectMeta {
                name: Some("shard-a".into()),
                labels: Some(BTreeMap::from_iter(label)),
                finalizers: is_held.then(|| vec![FINALIZER.to_owned()]),
                deletion_timestamp: is_deleted
                    .then(|| crate::wire_time::to_wire(core_clock::Time::default())),
                ..ObjectMeta::default()
            },
            ..ServiceAccount::default()
        }
    }

    #[test]
    fn accounts_are_enrolled_and_released_as_the_label_comes_and_goes() {
        let controller = Some("controller");
        let table = [
            (account(controller, false, false), 0, AccountStep::Enrol),
            (account(controller, true, false), 5, AccountStep::Nothing),
            (account(controller, true, true), 5, AccountStep::AwaitGrants),
            (account(controller, true, true), 0, AccountStep::Release),
            (account(controller, false, true), 0, AccountStep::Nothing),
            (account(None, true, false), 1, AccountStep::AwaitGrants),
            (account(None, true, false), 0, AccountStep::Release),
            (account(None, false, false), 0, AccountStep::Nothing),
            (account(Some("api"), false, false), 0, AccountStep::Nothing),
        ];
        for (account, grants, expected) in table {
            assert_eq!(plan_account(&account, grants), expected, "{account:?} {grants}");
        }
    }

    #[test]
    fn subjects_from_elsewhere_are_read_and_nonsense_is_skipped() {
        let mut account = account(Some("controller"), true, false);
        let text = "User:arn:aws:x, Group:controllers,ServiceAccount:a,User:,junk";
        let annotations = BTreeMap::from([(ADDITIONAL_SUBJECTS.to_owned(), text.to_owned())]);
        account.metadata.annotations = Some(annotations);
        let subjects = controller_account(&account).unwrap().additional_subjects;
        let names: Vec<_> = subjects.iter().map(|s| (s.kind.as_str(), s.name.as_str())).collect();
        assert_eq!(names, [("User", "arn:aws:x"), ("Group", "controllers")]);
    }

    #[test]
    fn a_controller_that_names_its_shard_is_kept_to_it_when_asked() {
        let account = |name: &str, shard: Option<&str>| ControllerAccount {
            name: name.into(),
            shard: shard.map(Into::into),
            additional_subjects: vec![],
        };
        let accounts = [account("any", None), account("a", Some("a")), account("b", Some("b"))];
        let names = |shards: Option<&BTreeSet<String>>| -> Vec<String> {
            select_controllers(&accounts, shards).iter().map(|a| a.name.clone()).collect()
        };
        assert_eq!(names(None), ["any", "a", "b"]);
        assert_eq!(names(Some(&BTreeSet::from(["b".to_owned()]))), ["any", "b"]);
    }

    #[test]
    fn long_names_of_accounts_still_make_names_of_bindings() {
        let name = binding_name(&"a".repeat(253));
        assert_eq!(name.len(), 253);
        assert_eq!(binding_name("kargo-controller"), "kargo-controller-read-secrets");
    }
}
