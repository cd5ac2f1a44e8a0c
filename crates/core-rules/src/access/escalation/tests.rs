use k8s_openapi::api::rbac::v1::{ClusterRoleBinding, PolicyRule, RoleBinding};
use serde_json::{Value, json};

use super::{Concern, EscalationError, NotHeld, concern, permissions, permissions_of_account};
use crate::access::binding::{Bindings, RoleReference};
use crate::fault::Fault;

const RBAC: &str = "rbac.authorization.k8s.io/v1";

fn rules(rules: Value) -> Vec<PolicyRule> {
    serde_json::from_value(rules).unwrap()
}

fn asked(list: Value, namespace: &str) -> Vec<String> {
    let asked = permissions(&rules(list), namespace).unwrap();
    let show = |a: &super::Attributes| {
        format!(
            "{} {}/{}/{} {}:{}",
            a.verb, a.group, a.resource, a.subresource, a.namespace, a.name
        )
    };
    asked.iter().map(show).collect()
}

#[test]
fn every_verb_on_every_resource_is_asked_for() {
    let list = json!([{
        "apiGroups": ["kargo.akuity.io"], "resources": ["stages", "freights/status"],
        "verbs": ["patch", "get"],
    }]);
    assert_eq!(
        asked(list, "demo"),
        [
            "get kargo.akuity.io/freights/status demo:",
            "patch kargo.akuity.io/freights/status demo:",
            "get kargo.akuity.io/stages/ demo:",
            "patch kargo.akuity.io/stages/ demo:",
        ]
    );
    let named = json!([{"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["a"], "verbs": ["get"]}]);
    assert_eq!(asked(named, ""), ["get /secrets/ :a"]);
}

#[test]
fn a_star_is_held_by_who_holds_a_star() {
    let list = json!([{"apiGroups": ["*"], "resources": ["roles"], "verbs": ["*"]}]);
    assert_eq!(asked(list, "demo"), ["* */roles/ demo:"]);
    let every_resource = json!([{"apiGroups": [""], "resources": ["*"], "verbs": ["get"]}]);
    assert_eq!(permissions(&rules(every_resource), "").unwrap_err().class().code(), 400);
}

#[test]
fn a_denial_names_verb_and_resource() {
    let list = json!([{"resources": ["freights/status"], "verbs": ["patch"]}]);
    let asked = permissions(&rules(list), "demo").unwrap();
    let denial = NotHeld::of(&asked[0]);
    assert_eq!(denial.class().code(), 403);
    assert_eq!(
        denial.to_string(),
        "requester may not grant permissions it does not hold: verb \"patch\" on resource \
         \"freights/status\""
    );
}

#[test]
fn roles_and_bindings_concern_where_they_hold() {
    let role = json!({"apiVersion": RBAC, "kind": "Role", "metadata": {"namespace": "demo"},
        "rules": [{"resources": ["secrets"], "verbs": ["get"]}]});
    assert!(matches!(concern(&role), Ok(Concern::Rules { namespace, .. }) if namespace == "demo"));
    let binding = |kind: &str, refers: &str| {
        concern(&json!({"apiVersion": RBAC, "kind": kind, "metadata": {"namespace": "demo"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": refers, "name": "r"}}))
    };
    let cluster_role = || RoleReference::ClusterRole { name: "r".to_owned() };
    assert_eq!(
        binding("RoleBinding", "ClusterRole").unwrap(),
        Concern::Role { role: cluster_role(), namespace: "demo".to_owned() }
    );
    assert_eq!(
        binding("ClusterRoleBinding", "ClusterRole").unwrap(),
        Concern::Role { role: cluster_role(), namespace: String::new() }
    );
    for (kind, refers) in [("ClusterRoleBinding", "Role"), ("RoleBinding", "Group")] {
        assert!(matches!(binding(kind, refers), Err(EscalationError::Reference { .. })));
    }
}

#[test]
fn what_cannot_be_asked_for_cannot_be_granted() {
    let cluster_role = |field: &str, value: Value| {
        let mut role =
            json!({"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": "r"}});
        role[field] = value;
        concern(&role)
    };
    let urls = json!([{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]);
    assert!(matches!(cluster_role("rules", urls), Err(EscalationError::Urls)));
    let aggregation = json!({"clusterRoleSelectors": [{}]});
    let gathered = cluster_role("aggregationRule", aggregation);
    assert!(matches!(gathered, Err(EscalationError::Aggregation)));
    assert!(matches!(cluster_role("rules", json!(5)), Err(EscalationError::Malformed { .. })));
}

#[test]
fn accounts_concern_only_when_somebody_comes_to_act_as_them() {
    let account = |annotations: Value| {
        let metadata = json!({"name": "x", "namespace": "demo", "annotations": annotations});
        concern(&json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}))
    };
    let whoever = Concern::Account { namespace: "demo".to_owned(), name: "x".to_owned() };
    assert_eq!(account(json!({})).unwrap(), Concern::Nothing);
    assert_eq!(account(json!({"rbac.kargo.akuity.io/claims": "{}"})).unwrap(), Concern::Nothing);
    assert_eq!(account(json!({"rbac.kargo.akuity.io/claim.sub": "a"})).unwrap(), whoever);
    assert_eq!(account(json!({"rbac.kargo.akuity.io/claims": r#"{"a":"b"}"#})).unwrap(), whoever);
    let malformed = account(json!({"rbac.kargo.akuity.io/claims": "{"})).unwrap_err();
    assert_eq!(malformed.to_string(), "unmarshaling OIDC claims from annotation value");
    let secret = |kind: &str| {
        concern(&json!({"apiVersion": "v1", "kind": "Secret", "type": kind, "metadata": {
            "name": "t", "namespace": "demo",
            "annotations": {"kubernetes.io/service-account.name": "x"},
        }}))
    };
    assert_eq!(secret("kubernetes.io/service-account-token").unwrap(), whoever);
    assert_eq!(secret("Opaque").unwrap(), Concern::Nothing);
    let stage = |annotations: Value| {
        let metadata = json!({"name": "s", "namespace": "demo", "annotations": annotations});
        concern(
            &json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Stage", "metadata": metadata}),
        )
    };
    assert_eq!(stage(json!({})).unwrap(), Concern::Nothing);
    assert_eq!(stage(json!({"ee.kargo.akuity.io/promotion-sa": "x"})).unwrap(), whoever);
}

#[test]
fn bindings_of_other_namespaces_count_for_global_accounts_only() {
    let subject = json!([{"kind": "ServiceAccount", "name": "x", "namespace": "a"}]);
    let binding = |namespace: &str| -> RoleBinding {
        serde_json::from_value(json!({
            "metadata": {"name": "b", "namespace": namespace}, "subjects": subject,
            "roleRef": {"apiGroup": "", "kind": "Role", "name": "r"},
        }))
        .unwrap()
    };
    let everywhere: ClusterRoleBinding = serde_json::from_value(json!({
        "metadata": {"name": "c"}, "subjects": subject,
        "roleRef": {"apiGroup": "", "kind": "ClusterRole", "name": "r"},
    }))
    .unwrap();
    let role_bindings = [binding("a"), binding("b")];
    let index = Bindings::new(&role_bindings, [&everywhere]);
    let find = |_: &RoleReference| Some(rules(json!([{"resources": ["pods"], "verbs": ["get"]}])));
    let namespaces = |is_global| -> Vec<String> {
        let asked = permissions_of_account(("a", "x"), is_global, &index, find).unwrap();
        asked.into_iter().map(|attributes| attributes.namespace).collect()
    };
    assert_eq!(namespaces(false), ["a", ""]);
    assert_eq!(namespaces(true), ["a", "b", ""]);
    let missing = permissions_of_account(("a", "x"), false, &index, |_| None);
    assert!(matches!(missing, Err(EscalationError::Unresolved { .. })));
    assert!(permissions_of_account(("b", "x"), false, &index, find).unwrap().is_empty());
}
