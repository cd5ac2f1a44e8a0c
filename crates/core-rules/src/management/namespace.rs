//! Namespaces of Projects: made, adopted, and given up in either direction.
//!
//! A namespace has the name of its Project and no owner reference to it: a cascading delete must
//! not take a namespace that is to be kept. The label is consent: a namespace without it is
//! somebody else's and stays untouched.

use std::collections::BTreeMap;

use api_kinds::{ObjectMeta, Project, annotations, finalizer::FINALIZER, labels};
use k8s_openapi::{api::core::v1::Namespace, apimachinery::pkg::apis::meta::v1::OwnerReference};

/// What is next for the namespace of a living Project.
#[derive(Clone, Debug, PartialEq)]
pub enum NamespaceStep {
    /// There is none: make it.
    Create(Box<Namespace>),
    /// It is there for Projects but does not hold back its deletion for us yet.
    Adopt,
    /// It is as it should be.
    Keep,
    /// It exists and is not for Projects.
    Unlabeled,
    /// It is on its way out.
    Terminating,
}

/// What a namespace itself needs, whatever its Project.
#[derive(Clone, Debug, PartialEq)]
pub enum NamespaceDuty {
    /// Nothing.
    None,
    /// It names a Project as its owner, as former versions did: only these owners remain.
    Disown(Vec<OwnerReference>),
    /// It is being deleted: the Project goes too, then the namespace is released.
    DeleteProject,
}

/// What is next for the namespace of a living Project.
pub fn plan_namespace(project: &str, existing: Option<&Namespace>) -> NamespaceStep {
    let Some(existing) = existing else {
        return NamespaceStep::Create(Box::new(new_namespace(project)));
    };
    if !is_project_namespace(existing) {
        NamespaceStep::Unlabeled
    } else if existing.metadata.deletion_timestamp.is_some() {
        NamespaceStep::Terminating
    } else if has_finalizer(&existing.metadata) {
        NamespaceStep::Keep
    } else {
        NamespaceStep::Adopt
    }
}

/// What a namespace itself needs.
pub fn plan_duty(namespace: &Namespace) -> NamespaceDuty {
    let owners = namespace.metadata.owner_references.as_deref().unwrap_or_default();
    let others: Vec<_> = owners.iter().filter(|owner| !is_project_owner(owner)).cloned().collect();
    if others.len() < owners.len() {
        return NamespaceDuty::Disown(others);
    }
    if namespace.metadata.deletion_timestamp.is_some() && has_finalizer(&namespace.metadata) {
        return NamespaceDuty::DeleteProject;
    }
    NamespaceDuty::None
}

/// The namespace of a new Project.
pub fn new_namespace(project: &str) -> Namespace {
    Namespace {
        metadata: ObjectMeta {
            name: Some(project.to_owned()),
            labels: Some(BTreeMap::from([(labels::PROJECT.to_owned(), labels::TRUE.to_owned())])),
            finalizers: Some(vec![FINALIZER.to_owned()]),
            ..ObjectMeta::default()
        },
        ..Namespace::default()
    }
}

/// Whether a namespace is for a Project.
pub fn is_project_namespace(namespace: &Namespace) -> bool {
    is_flag_set(namespace.metadata.labels.as_ref(), labels::PROJECT)
}

/// Whether the namespace outlives its Project.
pub fn is_kept(project: Option<&Project>, namespace: &Namespace) -> bool {
    let asks = |metadata: &ObjectMeta| {
        is_flag_set(metadata.annotations.as_ref(), annotations::KEEP_NAMESPACE)
    };
    project.is_some_and(|project| asks(&project.metadata)) || asks(&namespace.metadata)
}

/// Whether an object holds back its deletion for us.
pub fn has_finalizer(metadata: &ObjectMeta) -> bool {
    metadata.finalizers.iter().flatten().any(|finalizer| finalizer == FINALIZER)
}

fn is_flag_set(entries: Option<&BTreeMap<String, String>>, key: &str) -> bool {
    entries.and_then(|entries| entries.get(key)).is_some_and(|value| value == labels::TRUE)
}

fn is_project_owner(owner: &OwnerReference) -> bool {
    let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
    owner.kind == "Project" && group == api_kinds::GROUP
}

#[cfg(test)]
mod tests {
    use super::*;

    fn namespace(label: Option<&str>, is_held: bool, is_deleted: bool) -> Namespace {
        let mut namespace = new_namespace("demo");
        let label = label.map(|value| (labels::PROJECT.to_owned(), value.to_owned()));
        namespace.metadata.labels = Some(label.into_iter().collect());
        if !is_held {
            namespace.metadata.finalizers = Some(vec!["other".to_owned()]);
        }
        namespace.metadata.deletion_timestamp =
            is_deleted.then(|| crate::wire_time::to_wire(core_clock::Time::default()));
        namespace
    }

    #[test]
    fn namespaces_are_made_adopted_or_left_alone() {
        let create = NamespaceStep::Create(Box::new(new_namespace("demo")));
        let table = [
            (None, create),
            (Some(namespace(None, false, false)), NamespaceStep::Unlabeled),
            (Some(namespace(Some("false"), true, false)), NamespaceStep::Unlabeled),
            (Some(namespace(None, false, true)), NamespaceStep::Unlabeled),
            (Some(namespace(Some("true"), false, false)), NamespaceStep::Adopt),
            (Some(namespace(Some("true"), true, false)), NamespaceStep::Keep),
            (Some(namespace(Some("true"), true, true)), NamespaceStep::Terminating),
        ];
        for (existing, expected) in table {
            assert_eq!(plan_namespace("demo", existing.as_ref()), expected, "{existing:?}");
        }
    }

    #[test]
    fn new_namespaces_are_labeled_held_and_owned_by_nobody() {
        let new = new_namespace("demo");
        assert!(is_project_namespace(&new) && has_finalizer(&new.metadata));
        assert_eq!(new.metadata.owner_references, None);
    }

    #[test]
    fn deleting_a_namespace_takes_its_project_along() {
        let duty = |held, deleted| plan_duty(&namespace(Some("true"), held, deleted));
        assert_eq!(duty(true, true), NamespaceDuty::DeleteProject);
        assert_eq!(duty(false, true), NamespaceDuty::None);
        assert_eq!(duty(true, false), NamespaceDuty::None);
    }

    #[test]
    fn projects_cease_to_own_namespaces_before_anything_else() {
        let owner = |api_version: &str, kind: &str| OwnerReference {
            api_version: api_version.into(),
            kind: kind.into(),
            ..OwnerReference::default()
        };
        let mut owned = namespace(Some("true"), true, true);
        let other = owner("v1", "Project");
        let project = owner("kargo.akuity.io/v1alpha1", "Project");
        owned.metadata.owner_references = Some(vec![project, other.clone()]);
        assert_eq!(plan_duty(&owned), NamespaceDuty::Disown(vec![other]));
    }

    #[test]
    fn either_annotation_keeps_the_namespace() {
        let marked = |value: &str| {
            Some(BTreeMap::from([(annotations::KEEP_NAMESPACE.to_owned(), value.to_owned())]))
        };
        let (mut project, mut plain) = (Project::default(), namespace(Some("true"), true, false));
        assert!(!is_kept(Some(&project), &plain));
        project.metadata.annotations = marked("true");
        assert!(is_kept(Some(&project), &plain));
        plain.metadata.annotations = marked("true");
        assert!(is_kept(None, &plain));
        plain.metadata.annotations = marked("yes");
        assert!(!is_kept(None, &plain));
    }
}
