//! Projects: what must be there before one is.

use api_kinds::{Project, annotations, labels};
use k8s_openapi::api::core::v1::Namespace;

use super::{
    caller::Caller,
    field::FieldError,
    metadata::{is_being_deleted, is_dns_label, label, name, restore_annotations, set_annotation},
    refusal::Refusal,
};

/// Writes down who creates the Project, because default roles are made for them. Upstream believes
/// the annotation of anyone.
pub fn default(project: &mut Project, old: Option<&Project>, caller: &Caller<'_>) {
    if caller.is_control_plane() {
        return;
    }
    match old {
        None => {
            let actor = Some(caller.actor());
            set_annotation(&mut project.metadata, annotations::CREATE_ACTOR, actor);
        }
        Some(old) => {
            let frozen = [annotations::CREATE_ACTOR];
            restore_annotations(&mut project.metadata, &old.metadata, &frozen);
        }
    }
}

/// What to do about the namespace of a new Project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamespacePlan {
    /// Create it, marked as a Project's.
    Create,
    /// It is there and marked.
    Adopt,
}

/// A namespace that exists must be meant for a Project and must not be on its way out; one that does
/// not must be able to exist.
pub fn plan_namespace(
    project: &Project,
    namespace: Option<&Namespace>,
) -> Result<NamespacePlan, Refusal> {
    let name = name(&project.metadata);
    let Some(namespace) = namespace else {
        return if is_dns_label(name) {
            Ok(NamespacePlan::Create)
        } else {
            let detail = "must be the name of a namespace: at most 63 lower case letters, digits \
                          and '-', beginning and ending with a letter or digit";
            let error = FieldError::invalid("metadata.name", name, detail);
            Err(Refusal::invalid::<Project>(name, vec![error]))
        };
    };
    let refuse = |why: &str| {
        let why = format!("failed to initialize Project {name:?} because namespace {name:?} {why}");
        Err(Refusal::conflict::<Project>(name, &why))
    };
    if label(&namespace.metadata, labels::PROJECT) != Some(labels::TRUE) {
        return refuse("already exists and is not labeled as a Project namespace");
    }
    if is_being_deleted(&namespace.metadata) {
        return refuse(
            "is still being terminated; please try again after the namespace has been fully deleted",
        );
    }
    Ok(NamespacePlan::Adopt)
}

#[cfg(test)]
mod tests {
    use api_kinds::{Kind as _, Project, annotations};
    use k8s_openapi::api::core::v1::Namespace;
    use serde_json::json;

    use super::{NamespacePlan, default, plan_namespace};
    use crate::admission::{fixture, metadata::annotation};

    fn namespace(labels: serde_json::Value) -> Namespace {
        serde_json::from_value(json!({"metadata": {"name": "demo", "labels": labels}})).unwrap()
    }

    #[test]
    fn the_namespace_is_created_or_adopted() {
        let project = Project::named("demo");
        assert_eq!(plan_namespace(&project, None), Ok(NamespacePlan::Create));
        let marked = namespace(json!({"kargo.akuity.io/project": "true"}));
        assert_eq!(plan_namespace(&project, Some(&marked)), Ok(NamespacePlan::Adopt));
    }

    #[test]
    fn a_name_that_no_namespace_can_have_is_refused() {
        let long = "a".repeat(64);
        for name in ["shop.window", "-a", long.as_str()] {
            let refusal = plan_namespace(&Project::named(name), None).unwrap_err();
            assert_eq!(refusal.code(), 422, "{name}");
            assert!(refusal.message.contains("metadata.name: Invalid value"), "{refusal}");
        }
    }

    #[test]
    fn a_foreign_or_ending_namespace_is_a_conflict() {
        let project = Project::named("demo");
        for labels in [json!({}), json!({"kargo.akuity.io/project": "yes"})] {
            let refusal = plan_namespace(&project, Some(&namespace(labels))).unwrap_err();
            assert_eq!(refusal.code(), 409);
            assert!(refusal.message.ends_with(
                r#"failed to initialize Project "demo" because namespace "demo" already exists and is not labeled as a Project namespace"#
            ));
        }
        let mut ending = namespace(json!({"kargo.akuity.io/project": "true"}));
        fixture::delete(&mut ending.metadata);
        let refusal = plan_namespace(&project, Some(&ending)).unwrap_err();
        assert!(refusal.message.contains(r#"namespace "demo" is still being terminated"#));
    }

    #[test]
    fn only_the_control_plane_speaks_for_others() {
        let creator = |user: &str, old: Option<&str>| {
            let project = |actor: &str| {
                let mut project = Project::named("demo");
                super::set_annotation(
                    &mut project.metadata,
                    annotations::CREATE_ACTOR,
                    Some(actor.to_owned()),
                );
                project
            };
            let mut new = project("email:forged@example.com");
            let user = fixture::user(user);
            default(&mut new, old.map(project).as_ref(), &fixture::identities().caller(&user));
            annotation(&new.metadata, annotations::CREATE_ACTOR).unwrap_or_default().to_owned()
        };
        assert_eq!(creator("alice", None), "kubernetes:alice");
        assert_eq!(creator("alice", Some("kubernetes:bob")), "kubernetes:bob");
        assert_eq!(creator(fixture::API, None), "email:forged@example.com");
    }
}
