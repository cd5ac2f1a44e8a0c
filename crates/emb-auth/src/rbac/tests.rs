use super::*;

fn index(objects: &[Value]) -> Rbac {
    let mut rbac = Rbac::default();
    for object in objects {
        feed(&mut rbac, object, true);
    }
    rbac
}

fn feed(rbac: &mut Rbac, object: &Value, present: bool) {
    use emb_meta::ObjectExt;
    let plural = format!("{}s", object["kind"].as_str().unwrap().to_lowercase());
    let resource = GroupResource::new("rbac.authorization.k8s.io", plural);
    rbac.apply(&resource, object.namespace(), object.name(), present.then_some(object));
}

fn role(namespace: &str, name: &str) -> Value {
    json!({"kind": "Role", "metadata": {"name": name, "namespace": namespace},
           "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"]}]})
}

fn binding(namespace: &str, name: &str, subject: &Value) -> Value {
    json!({"kind": "RoleBinding", "metadata": {"name": name, "namespace": namespace},
           "roleRef": {"kind": "Role", "name": name}, "subjects": [subject]})
}

fn may_get_secret(rbac: &Rbac, identity: &Identity, namespace: &str) -> Decision {
    let target = Target::Resource {
        group: "",
        version: "v1",
        resource: "secrets",
        subresource: "",
        namespace,
        name: "s",
    };
    rbac.authorize(&Attributes { identity, verb: "get", target })
}

#[test]
fn a_role_binding_grants_in_its_namespace_only() {
    let account = json!({"kind": "ServiceAccount", "name": "al"});
    let mut rbac = index(&[role("a", "al"), binding("a", "al", &account)]);
    let identity = Identity::service_account("a", "al", "u");
    assert_eq!(
        may_get_secret(&rbac, &identity, "a"),
        Decision::Allowed {
            reason:
                "RBAC: allowed by RoleBinding \"al/a\" of Role \"al\" to ServiceAccount \"al/a\""
                    .into()
        }
    );
    assert_eq!(may_get_secret(&rbac, &identity, "b"), Decision::Denied);
    assert_eq!(
        may_get_secret(&rbac, &Identity::service_account("b", "al", "u"), "a"),
        Decision::Denied
    );
    feed(&mut rbac, &binding("a", "al", &account), false);
    assert_eq!(may_get_secret(&rbac, &identity, "a"), Decision::Denied);
    assert!(rbac.by_subject.is_empty());
}

#[test]
fn a_cluster_binding_grants_everywhere_and_is_named_first() {
    let rbac = index(&[
        json!({"kind": "ClusterRole", "metadata": {"name": "reader"},
               "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"]}]}),
        json!({"kind": "ClusterRoleBinding", "metadata": {"name": "x"},
               "roleRef": {"kind": "ClusterRole", "name": "reader"},
               "subjects": [{"kind": "Group", "name": "system:authenticated"}]}),
        role("a", "al"),
        binding("a", "al", &json!({"kind": "ServiceAccount", "name": "al"})),
    ]);
    let Decision::Allowed { reason } =
        may_get_secret(&rbac, &Identity::service_account("a", "al", ""), "a")
    else {
        panic!("denied")
    };
    assert_eq!(
        reason,
        "RBAC: allowed by ClusterRoleBinding \"x\" of ClusterRole \"reader\" to Group \"system:authenticated\""
    );
    assert_eq!(may_get_secret(&rbac, &Identity::anonymous(), "a"), Decision::Denied);
}

#[test]
fn a_binding_to_a_missing_role_grants_nothing_until_the_role_appears() {
    let account = json!({"kind": "User", "name": "u"});
    let mut rbac = index(&[binding("a", "late", &account)]);
    let identity = Identity { user: "u".into(), ..Identity::default() };
    assert_eq!(may_get_secret(&rbac, &identity, "a"), Decision::Denied);
    feed(&mut rbac, &role("a", "late"), true);
    assert!(may_get_secret(&rbac, &identity, "a").is_allowed());
}

#[test]
fn masters_pass_without_a_reason() {
    let decision = may_get_secret(&Rbac::default(), &Identity::admin(), "a");
    assert_eq!(decision, Decision::Allowed { reason: String::new() });
}

#[test]
fn rules_are_listed_once() {
    let account = json!({"kind": "User", "name": "u"});
    let rbac = index(&[
        role("a", "one"),
        role("a", "two"),
        binding("a", "one", &account),
        binding("a", "two", &account),
    ]);
    let rules = rbac.rules_for(&Identity { user: "u".into(), ..Identity::default() }, "a");
    assert_eq!(rules.resource_rules.len(), 1);
    assert!(rules.non_resource_rules.is_empty());
}
