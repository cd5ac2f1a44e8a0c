//! The table of grants, and that only differences are written.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;

fn project(actor: Option<&str>) -> Project {
    let annotations = actor.map(|actor| json!({"kargo.akuity.io/create-actor": actor}));
    serde_json::from_value(json!({"metadata": {"name": "demo", "annotations": annotations}}))
        .unwrap()
}

fn controller(name: &str) -> ControllerAccount {
    ControllerAccount { name: name.into(), shard: None, additional_subjects: vec![] }
}

fn plan(existing: &Existing, controllers: &[&ControllerAccount]) -> Vec<Step> {
    let cfg = Granting { installation: "kargo", controllers: Some(controllers) };
    plan_grants(&project(None), existing, &cfg)
}

/// The state after the writes.
fn applied(mut existing: Existing, steps: Vec<Step>) -> Existing {
    fn apply<T>(objects: &mut Vec<Arc<T>>, change: Change<T>)
    where
        T: k8s_openapi::Metadata<Ty = ObjectMeta>,
    {
        let (Change::Create(object) | Change::Replace(object) | Change::Delete(object)) = &change
        else {
            let Change::Update(update) = change else { unreachable!() };
            objects.retain(|o| o.metadata().name != update.to.metadata().name);
            objects.push(Arc::new(update.to));
            return;
        };
        objects.retain(|o| o.metadata().name != object.metadata().name);
        if let Change::Create(object) | Change::Replace(object) = change {
            objects.push(Arc::from(object));
        }
    }
    for write in steps.into_iter().flat_map(|step| step.writes) {
        match write {
            Write::ServiceAccount(change) => apply(&mut existing.service_accounts, change),
            Write::Role(change) => apply(&mut existing.roles, change),
            Write::RoleBinding(change) => apply(&mut existing.role_bindings, change),
            Write::ClusterRole(change) => {
                let mut all: Vec<_> = existing.cluster_role.take().into_iter().collect();
                apply(&mut all, change);
                existing.cluster_role = all.pop();
            }
            Write::ClusterRoleBinding(change) => {
                let mut all: Vec<_> = existing.cluster_role_binding.take().into_iter().collect();
                apply(&mut all, change);
                existing.cluster_role_binding = all.pop();
            }
        }
    }
    existing
}

fn complete(controllers: &[&ControllerAccount]) -> Existing {
    applied(Existing::default(), plan(&Existing::default(), controllers))
}

fn binding<'a>(existing: &'a Existing, name: &str) -> &'a RoleBinding {
    named(&existing.role_bindings, name).unwrap_or_else(|| panic!("{name} is missing"))
}

fn edit(existing: &mut Existing, name: &str, change: impl FnOnce(&mut RoleBinding)) {
    let all = &mut existing.role_bindings;
    let found = all.iter_mut().find(|b| b.metadata.name.as_deref() == Some(name)).unwrap();
    change(Arc::make_mut(found));
}

#[test]
fn a_new_project_gets_every_row_of_the_table() {
    let account = controller("kargo-controller");
    let done = complete(&[&account]);
    let rows = [
        (
            "kargo-project-admin",
            "ClusterRole",
            "kargo-project-admin",
            "kargo:kargo-api kargo:kargo-admin",
        ),
        (
            "kargo-project-secrets-reader",
            "ClusterRole",
            "kargo-project-secrets-reader",
            "kargo:kargo-external-webhooks-server",
        ),
        (
            "kargo-project-analysis",
            "ClusterRole",
            "kargo-project-analysis",
            "kargo:kargo-analysis-controller",
        ),
        (
            "kargo-controller-read-secrets",
            "ClusterRole",
            "kargo-controller-read-secrets",
            "kargo:kargo-controller",
        ),
        ("kargo-admin", "Role", "kargo-admin", "demo:kargo-admin"),
        ("kargo-viewer", "Role", "kargo-viewer", "demo:kargo-viewer"),
        ("kargo-promoter", "Role", "kargo-promoter", "demo:kargo-promoter"),
    ];
    assert_eq!(done.role_bindings.len(), rows.len());
    for (name, kind, role, subjects) in rows {
        let binding = binding(&done, name);
        assert_eq!(binding.metadata.namespace.as_deref(), Some("demo"));
        assert_eq!((binding.role_ref.kind.as_str(), binding.role_ref.name.as_str()), (kind, role));
        let shown: Vec<_> = binding.subjects.iter().flatten().map(show).collect();
        assert_eq!(shown.join(" "), subjects, "{name}");
    }
    let role = done.cluster_role.unwrap();
    assert_eq!(role.metadata.name.as_deref(), Some("kargo-project-admin-demo"));
    let rule = &role.rules.as_ref().unwrap()[0];
    assert_eq!(rule.resource_names, Some(vec!["demo".to_owned()]));
    assert_eq!(rule.verbs, ["delete", "update"]);
    let binding = done.cluster_role_binding.unwrap();
    assert_eq!(show(&binding.subjects.as_ref().unwrap()[0]), "demo:kargo-admin");
    let managed = |metadata: &ObjectMeta| {
        metadata.annotations.as_ref().and_then(|a| a.get("rbac.kargo.akuity.io/managed")).cloned()
    };
    assert!(done.roles.iter().all(|role| managed(&role.metadata).as_deref() == Some("true")));
    assert!(done.service_accounts.iter().all(|a| managed(&a.metadata).as_deref() == Some("true")));
}

fn show(subject: &Subject) -> String {
    assert_eq!(subject.kind, "ServiceAccount");
    format!("{}:{}", subject.namespace.as_deref().unwrap_or_default(), subject.name)
}

#[test]
fn what_is_as_it_should_be_costs_no_write() {
    let account = controller("kargo-controller");
    assert_eq!(plan(&complete(&[&account]), &[&account]), []);
}

#[test]
fn phases_come_in_the_order_of_their_conditions() {
    let account = controller("c");
    let phases: Vec<_> =
        plan(&Existing::default(), &[&account]).into_iter().map(|step| step.phase).collect();
    assert_eq!(
        phases,
        [Phase::SystemPermissions, Phase::ControllerPermissions, Phase::DefaultRoles]
    );
}

#[test]
fn bindings_of_controllers_grow_and_shrink() {
    let (first, second) = (controller("first"), controller("second"));
    let one = complete(&[&first]);
    let steps = plan(&one, &[&first, &second]);
    assert_eq!(steps.len(), 1);
    let both = applied(one, steps);
    binding(&both, "second-read-secrets");
    let steps = plan(&both, &[&second]);
    let [Write::RoleBinding(Change::Delete(gone))] = steps[0].writes.as_slice() else {
        panic!("{steps:?}")
    };
    assert_eq!(gone.metadata.name.as_deref(), Some("first-read-secrets"));
}

#[test]
fn bindings_of_controllers_are_left_alone_when_somebody_else_sees_to_them() {
    let account = controller("first");
    let cfg = Granting { installation: "kargo", controllers: None };
    assert_eq!(plan_grants(&project(None), &complete(&[&account]), &cfg), []);
}

#[test]
fn peoples_own_bindings_of_like_names_are_not_taken_for_ours() {
    let mut own = complete(&[&controller("first")]);
    edit(&mut own, "first-read-secrets", |b| b.role_ref.name = "something-else".into());
    assert!(!account::is_controller_binding(binding(&own, "first-read-secrets")));
    assert_eq!(plan(&own, &[]), []);
}

#[test]
fn changed_subjects_are_put_right_and_a_wrong_role_is_bound_anew() {
    let mut done = complete(&[]);
    edit(&mut done, "kargo-project-admin", |b| b.subjects = None);
    edit(&mut done, "kargo-project-secrets-reader", |b| b.role_ref.name = "cluster-admin".into());
    edit(&mut done, "kargo-viewer", |b| {
        b.metadata.labels = Some(BTreeMap::from([("mine".to_owned(), "x".to_owned())]));
    });
    let steps = plan(&done, &[]);
    let [Write::RoleBinding(Change::Update(update)), Write::RoleBinding(Change::Replace(made))] =
        steps[0].writes.as_slice()
    else {
        panic!("{steps:?}")
    };
    assert_eq!(update.to.subjects.as_ref().unwrap().len(), 2);
    assert_eq!(made.role_ref.name, "kargo-project-secrets-reader");
    assert_eq!(steps.len(), 1, "labels of people are no difference");
}

#[test]
fn rules_are_put_right_and_accounts_never_touched() {
    let mut done = complete(&[]);
    Arc::make_mut(&mut done.roles[0]).rules = None;
    Arc::make_mut(&mut done.service_accounts[0]).metadata.annotations = None;
    let steps = plan(&done, &[]);
    assert_eq!(steps.len(), 1);
    assert!(matches!(steps[0].writes.as_slice(), [Write::Role(Change::Update(_))]), "{steps:?}");
}

#[test]
fn the_creator_gets_the_default_roles_by_claims() {
    let table: [(Option<&str>, Option<Value>); 9] = [
        (Some("email:a@b.c"), Some(json!({"email": ["a@b.c"]}))),
        (Some("subject:xyz"), Some(json!({"sub": ["xyz"]}))),
        (Some("oid:a:b"), Some(json!({"oid": ["a:b"]}))),
        (Some("admin"), None),
        (Some("kubernetes:system:serviceaccount:a:b"), None),
        (Some("controller:management"), None),
        (Some("email:"), None),
        (Some(":x"), None),
        (None, None),
    ];
    for (actor, expected) in table {
        for role in DefaultRole::EVERY {
            let account = default_account(&project(actor), role);
            let claims = account.metadata.annotations.unwrap();
            let claims = claims.get("rbac.kargo.akuity.io/claims");
            let claims: Option<Value> = claims.map(|text| serde_json::from_str(text).unwrap());
            assert_eq!(claims, expected, "{actor:?}");
        }
    }
}

#[test]
fn only_the_systems_bindings_go_with_the_project() {
    let account = controller("first");
    let done = complete(&[&account]);
    let names: Vec<_> = system_bindings(&done.role_bindings)
        .iter()
        .filter_map(|binding| binding.metadata.name.as_deref())
        .collect();
    let expected = [
        "kargo-project-admin",
        "kargo-project-secrets-reader",
        "kargo-project-analysis",
        "first-read-secrets",
    ];
    assert_eq!(names, expected);
}

#[test]
fn long_project_names_still_make_names_of_roles() {
    assert_eq!(project_role_name(&"p".repeat(250)).len(), 253);
}
