//! What must be written so that an object is as it should be, and nothing more.

use k8s_openapi::api::{
    core::v1::ServiceAccount,
    rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject},
};

/// One write of one object.
#[derive(Clone, Debug, PartialEq)]
pub enum Change<T> {
    /// The object is not there.
    Create(Box<T>),
    /// Some fields differ: from the object as it is to the object as it should be. What we do not
    /// decide about is the same in both.
    Update(Box<Update<T>>),
    /// A field differs that cannot be changed: the object is deleted and made again.
    Replace(Box<T>),
    /// The object should not be there.
    Delete(Box<T>),
}

/// An object before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Update<T> {
    /// As it is.
    pub from: T,
    /// As it should be.
    pub to: T,
}

/// A write of any of the kinds that grants consist of.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// Of a ServiceAccount.
    ServiceAccount(Change<ServiceAccount>),
    /// Of a Role.
    Role(Change<Role>),
    /// Of a RoleBinding.
    RoleBinding(Change<RoleBinding>),
    /// Of a ClusterRole.
    ClusterRole(Change<ClusterRole>),
    /// Of a ClusterRoleBinding.
    ClusterRoleBinding(Change<ClusterRoleBinding>),
}

/// How an existing object becomes the one that should be.
pub enum Correction<T> {
    /// It is as it should be.
    None,
    /// By changing fields.
    Fields(T),
    /// By making it again.
    Remake,
}

/// A kind of which we decide some fields and leave the others to people.
pub trait Owned: Clone {
    /// What must happen to `self` so that the fields we decide about are those of `desired`.
    fn correction(&self, desired: &Self) -> Correction<Self>;
}

/// The write that makes `existing` what `desired` says; `None` when nothing differs.
pub fn plan_change<T: Owned>(existing: Option<&T>, desired: T) -> Option<Change<T>> {
    let Some(existing) = existing else {
        return Some(Change::Create(Box::new(desired)));
    };
    match existing.correction(&desired) {
        Correction::None => None,
        Correction::Fields(to) => {
            Some(Change::Update(Box::new(Update { from: existing.clone(), to })))
        }
        Correction::Remake => Some(Change::Replace(Box::new(desired))),
    }
}

/// ServiceAccounts belong to people once they exist: claims and tokens hang on them.
impl Owned for ServiceAccount {
    fn correction(&self, _: &Self) -> Correction<Self> {
        Correction::None
    }
}

impl Owned for Role {
    fn correction(&self, desired: &Self) -> Correction<Self> {
        if is_same_rules(self.rules.as_ref(), desired.rules.as_ref()) {
            return Correction::None;
        }
        Correction::Fields(Self { rules: desired.rules.clone(), ..self.clone() })
    }
}

impl Owned for ClusterRole {
    fn correction(&self, desired: &Self) -> Correction<Self> {
        if is_same_rules(self.rules.as_ref(), desired.rules.as_ref()) {
            return Correction::None;
        }
        Correction::Fields(Self { rules: desired.rules.clone(), ..self.clone() })
    }
}

impl Owned for RoleBinding {
    fn correction(&self, desired: &Self) -> Correction<Self> {
        if !is_same_role(&self.role_ref, &desired.role_ref) {
            return Correction::Remake;
        }
        if is_same_subjects(self.subjects.as_ref(), desired.subjects.as_ref()) {
            return Correction::None;
        }
        Correction::Fields(Self { subjects: desired.subjects.clone(), ..self.clone() })
    }
}

impl Owned for ClusterRoleBinding {
    fn correction(&self, desired: &Self) -> Correction<Self> {
        if !is_same_role(&self.role_ref, &desired.role_ref) {
            return Correction::Remake;
        }
        if is_same_subjects(self.subjects.as_ref(), desired.subjects.as_ref()) {
            return Correction::None;
        }
        Correction::Fields(Self { subjects: desired.subjects.clone(), ..self.clone() })
    }
}

fn is_same_rules(left: Option<&Vec<PolicyRule>>, right: Option<&Vec<PolicyRule>>) -> bool {
    let rules = |rules: Option<&Vec<PolicyRule>>| -> Vec<PolicyRule> {
        rules.into_iter().flatten().cloned().map(without_empty_lists).collect()
    };
    rules(left) == rules(right)
}

/// Empty and absent lists are the same on the wire.
fn without_empty_lists(mut rule: PolicyRule) -> PolicyRule {
    let lists = [
        &mut rule.api_groups,
        &mut rule.non_resource_urls,
        &mut rule.resource_names,
        &mut rule.resources,
    ];
    for list in lists {
        if list.as_ref().is_some_and(Vec::is_empty) {
            *list = None;
        }
    }
    rule
}

fn is_same_role(left: &RoleRef, right: &RoleRef) -> bool {
    left.kind == right.kind && left.name == right.name
}

fn is_same_subjects(left: Option<&Vec<Subject>>, right: Option<&Vec<Subject>>) -> bool {
    let keys = |subjects: Option<&Vec<Subject>>| -> Vec<[String; 4]> {
        subjects.into_iter().flatten().map(subject_key).collect()
    };
    keys(left) == keys(right)
}

/// Servers fill the group of ServiceAccounts with the empty text, or leave it out.
fn subject_key(subject: &Subject) -> [String; 4] {
    [
        subject.kind.clone(),
        subject.api_group.clone().unwrap_or_default(),
        subject.namespace.clone().unwrap_or_default(),
        subject.name.clone(),
    ]
}
