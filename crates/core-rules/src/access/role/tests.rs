use api_rest::body::{Claim, CreateApiToken, GrantOrRevoke, ResourceDetails};
use k8s_openapi::api::{
    core::v1::{Secret, ServiceAccount},
    rbac::v1::{ClusterRole, PolicyRule, Role, RoleBinding},
};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::*;
use crate::access::binding::Bindings;
use crate::fault::Fault;
use crate::management::change::{Change, Write};

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn discovery() -> Discovery {
    let table = [
        ("stages", &["kargo.akuity.io"][..]),
        ("freights", &["kargo.akuity.io"]),
        ("secrets", &[""]),
        ("events", &["", "events.k8s.io"]),
    ];
    let groups = |groups: &[&str]| groups.iter().map(ToString::to_string).collect();
    table.iter().map(|(resource, list)| ((*resource).to_owned(), groups(list))).collect()
}

fn rule(group: &str, resource: &str, verbs: &[&str]) -> Value {
    json!({"apiGroups": [group], "resources": [resource], "verbs": verbs})
}

/// A role of Project `demo` with these objects behind it.
fn parts(claims: &str, rules: Option<Value>) -> Parts {
    let metadata = |extra: Value| {
        let mut annotations = json!({"rbac.kargo.akuity.io/managed": "true"});
        annotations.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        json!({"name": "dev", "namespace": "demo", "annotations": annotations})
    };
    let claims = json!({
        "rbac.kargo.akuity.io/claims": claims,
        "rbac.kargo.akuity.io/claim.sub": "old",
        "kargo.akuity.io/description": "text",
    });
    let account: ServiceAccount = read(json!({"metadata": metadata(claims)}));
    let role: Option<Role> =
        rules.map(|rules| read(json!({"metadata": metadata(json!({})), "rules": rules})));
    let binding: RoleBinding = read(json!({
        "metadata": metadata(json!({})),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "dev"},
        "subjects": [{"kind": "ServiceAccount", "name": "dev", "namespace": "demo"}],
    }));
    let role_bindings = if role.is_some() { vec![binding] } else { vec![] };
    Parts { account, roles: role.into_iter().collect(), role_bindings, ..Parts::default() }
}

fn refused<T: std::fmt::Debug>(result: Result<T, RoleError>) -> (u16, String) {
    let error = result.unwrap_err();
    (error.class().code(), error.to_string())
}

fn kinds(writes: &[Write]) -> Vec<&'static str> {
    let kind = |write: &Write| match write {
        Write::ServiceAccount(Change::Create(_)) => "+ServiceAccount",
        Write::ServiceAccount(Change::Update(_)) => "~ServiceAccount",
        Write::ServiceAccount(_) => "-ServiceAccount",
        Write::Role(Change::Create(_)) => "+Role",
        Write::Role(Change::Update(_)) => "~Role",
        Write::Role(_) => "-Role",
        Write::RoleBinding(Change::Create(_)) => "+RoleBinding",
        Write::RoleBinding(Change::Update(_)) => "~RoleBinding",
        Write::RoleBinding(_) => "-RoleBinding",
        Write::ClusterRole(_) | Write::ClusterRoleBinding(_) => "cluster",
    };
    writes.iter().map(kind).collect()
}

fn shown(rules: &[PolicyRule]) -> Vec<String> {
    let list = |list: &Option<Vec<String>>| list.clone().unwrap_or_default().join(",");
    let show = |rule: &PolicyRule| {
        let verbs = rule.verbs.join(",");
        let (group, resource) = (list(&rule.api_groups), list(&rule.resources));
        format!("{group}/{resource}/{} {verbs}", list(&rule.resource_names))
    };
    rules.iter().map(show).collect()
}

#[test]
fn rules_are_split_sorted_and_joined() {
    let rules: Vec<PolicyRule> = read(json!([
        {"apiGroups": ["kargo.akuity.io", ""], "resources": ["stages"], "verbs": ["list", "get", "get"]},
        {"resources": ["secrets"], "resourceNames": ["b", "a"], "verbs": ["get"]},
        {"apiGroups": ["kargo.akuity.io"], "resources": ["stages"], "verbs": ["x", "*", "promote"]},
        {"nonResourceURLs": ["/x"], "verbs": ["get"]},
    ]));
    let every = "create,delete,deletecollection,get,list,patch,promote,update,watch";
    assert_eq!(
        shown(&normalize(&rules, Star::Standard)),
        [
            "/secrets/a get",
            "/secrets/b get",
            "/stages/ get,list",
            &format!("kargo.akuity.io/stages/ {every}"),
        ]
    );
    let star: Vec<PolicyRule> = read(json!([rule("kargo.akuity.io", "stages", &["*"])]));
    assert!(shown(&normalize(&star, Star::WithCustom))[0].contains("promote"));
    assert!(!shown(&normalize(&star, Star::Standard))[0].contains("promote"));
    assert_eq!(shown(&normalize(&star, Star::Kept)), ["kargo.akuity.io/stages/ *"]);
}

#[test]
fn resources_are_known_and_in_the_plural() {
    let resolve = |resource: &str| {
        let rules: Vec<PolicyRule> = read(json!([{"resources": [resource], "verbs": ["get"]}]));
        resolve_groups(&rules, &discovery()).map(|rules| shown(&rules).concat())
    };
    assert_eq!(resolve("freights/status").unwrap(), "kargo.akuity.io/freights/status/ get");
    assert_eq!(resolve("secrets").unwrap(), "/secrets/ get");
    for (resource, message) in [
        ("stage", r#"unrecognized resource type "stage"; did you mean "stages"?"#),
        (
            "freight/status",
            r#"unrecognized resource type "freight/status"; did you mean "freights/status"?"#,
        ),
        ("policy", r#"unrecognized resource type "policy"; did you mean "policies"?"#),
        ("pods", r#"unrecognized resource type "pods""#),
        ("*", r#"unrecognized resource type "*""#),
        ("/status", r#"unrecognized resource type "/status""#),
        ("events", r#"ambiguous resource type "events"; it is served by multiple API groups"#),
    ] {
        assert_eq!(resolve(resource).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_new_role_lets_nobody_in_before_it_is_whole() {
    let wanted: KargoRole = read(json!({
        "metadata": {"name": "dev", "annotations": {"kargo.akuity.io/description": "text"}},
        "claims": [{"name": "email", "values": ["b", "a", "b"]}],
        "rules": [{"resources": ["stages"], "verbs": ["*"]}],
    }));
    let plan = create(&wanted, "demo", Existing::default(), &discovery()).unwrap();
    assert_eq!(kinds(&plan.writes), ["+Role", "+RoleBinding", "+ServiceAccount"]);
    assert!(shown(&plan.granted)[0].contains("promote"));
    let Some(Write::ServiceAccount(Change::Create(account))) = plan.writes.last() else { panic!() };
    let annotations = account.metadata.annotations.clone().unwrap();
    assert_eq!(annotations["rbac.kargo.akuity.io/claims"], r#"{"email":["a","b"]}"#);
    assert_eq!(annotations["rbac.kargo.akuity.io/managed"], "true");
    assert_eq!(annotations["kargo.akuity.io/description"], "text");
    assert!(plan.role.kargo_managed);
    assert_eq!(plan.role.metadata.namespace.as_deref(), Some("demo"));
}

#[test]
fn a_new_role_has_a_free_name_in_its_project() {
    let make = |metadata: Value, existing: Existing| {
        refused(create(&read(json!({ "metadata": metadata })), "demo", existing, &discovery()))
    };
    let free = Existing::default();
    assert_eq!(make(json!({}), free), (400, "name should not be empty".to_owned()));
    assert_eq!(
        make(json!({"name": "x", "namespace": "other"}), free),
        (409, "namespace in body does not match project in URL".to_owned())
    );
    for existing in [
        Existing { account: true, ..free },
        Existing { role: true, ..free },
        Existing { role_binding: true, ..free },
    ] {
        let (code, message) = make(json!({"name": "x"}), existing);
        assert_eq!(code, 409);
        assert!(message.ends_with(r#""x" already exists"#), "{message}");
    }
}

#[test]
fn a_role_shows_its_claims_and_rules() {
    let parts = parts(r#"{"email":"a"}"#, Some(json!([rule("", "secrets", &["*"])])));
    let role = parts.to_role().unwrap();
    let claims: Vec<(&str, Vec<String>)> =
        role.claims.iter().map(|claim| (claim.name.as_str(), claim.values.clone())).collect();
    assert_eq!(claims, [("email", vec!["a".to_owned()]), ("sub", vec!["old".to_owned()])]);
    assert!(role.kargo_managed && role.rules[0].verbs.len() == 8);
    let wire = serde_json::to_value(&role).unwrap();
    assert_eq!(
        wire["metadata"],
        json!({"name": "dev", "namespace": "demo", "annotations": {"kargo.akuity.io/description": "text"}})
    );
    let mut foreign = parts.clone();
    foreign.roles[0].metadata.annotations = None;
    let role = foreign.to_role().unwrap();
    assert!(!role.kargo_managed);
    assert_eq!(role.rules[0].verbs, ["*"], "rules of others are shown as they are");
    let mut unreadable = parts;
    unreadable
        .account
        .metadata
        .annotations
        .as_mut()
        .unwrap()
        .insert("rbac.kargo.akuity.io/claims".into(), "{".into());
    assert!(unreadable.to_role().is_err());
}

#[test]
fn parts_are_gathered_through_the_bindings_of_the_namespace() {
    let whole = parts("{}", Some(json!([])));
    let mut elsewhere = whole.role_bindings[0].clone();
    elsewhere.metadata.namespace = Some("other".into());
    let bindings = [whole.role_bindings[0].clone(), elsewhere];
    let index = Bindings::new(&bindings, []);
    let bound = index.of("demo", "dev");
    let none = |_: &str| None::<&ClusterRole>;
    let gathered = Parts::gather(&whole.account, &bound, |_| whole.roles.first(), none).unwrap();
    assert_eq!(gathered, whole);
    let missing = Parts::gather(&whole.account, &bound, |_| None, none).unwrap_err();
    assert_eq!(missing.class().code(), 409);
    assert_eq!(
        RoleNotFound { name: "x".into() }.to_string(),
        r#"Role.rbac.kargo.akuity.io "x" not found"#
    );
}

#[test]
fn only_what_is_ours_is_changed() {
    let whole = || parts("{}", Some(json!([])));
    let message = |change: &dyn Fn(&mut Parts)| {
        let mut parts = whole();
        change(&mut parts);
        let (code, message) = refused(delete(&parts));
        assert_eq!(code, 400);
        message
    };
    let account = r#"ServiceAccount "dev" in namespace "demo""#;
    assert_eq!(
        message(&|parts| parts.cluster_roles.push(ClusterRole::default())),
        format!("{account} is bound to one or more ClusterRoles")
    );
    assert_eq!(
        message(&|parts| parts.account.metadata.annotations = None),
        format!("{account} is not annotated as Kargo-managed")
    );
    assert_eq!(
        message(&|parts| parts.roles.push(parts.roles[0].clone())),
        format!("multiple Roles associated with {account}")
    );
    assert_eq!(
        message(&|parts| parts.role_bindings.push(parts.role_bindings[0].clone())),
        format!("multiple RoleBindings associated with {account}")
    );
    for change in [
        &(|parts: &mut Parts| parts.roles[0].metadata.annotations = None) as &dyn Fn(&mut Parts),
        &|parts| parts.role_bindings[0].metadata.annotations = None,
    ] {
        assert!(message(change).ends_with("is not annotated as Kargo-managed"));
    }
    let writes = delete(&whole()).unwrap();
    assert_eq!(kinds(&writes), ["-RoleBinding", "-Role", "-ServiceAccount"]);
}

#[test]
fn an_update_replaces_everything() {
    let wanted: KargoRole = read(json!({
        "metadata": {"name": "dev"},
        "rules": [rule("", "secrets", &["get"])],
    }));
    let plan = update(&parts(r#"{"a":"b"}"#, None), &wanted, &discovery()).unwrap();
    assert_eq!(kinds(&plan.writes), ["+Role", "+RoleBinding", "~ServiceAccount"]);
    assert!(plan.role.claims.is_empty() && plan.role.kargo_managed);
    let Some(Write::ServiceAccount(Change::Update(account))) = plan.writes.last() else { panic!() };
    let annotations = account.to.metadata.annotations.clone().unwrap();
    assert_eq!(annotations.keys().collect::<Vec<_>>(), ["rbac.kargo.akuity.io/managed"]);
    let update = |metadata: Value| {
        let wanted = read(json!({ "metadata": metadata }));
        refused(update(&parts("{}", None), &wanted, &discovery()))
    };
    assert_eq!(
        update(json!({"name": "other"})),
        (400, "name in body does not match role name in URL".to_owned())
    );
    assert_eq!(
        update(json!({"name": "dev", "namespace": "other"})),
        (400, "namespace in body does not match project name in URL".to_owned())
    );
}

#[test]
fn requests_say_what_is_given_to_which_role() {
    let change = |request: Value| {
        let request: GrantOrRevoke = read(request);
        role_change(&request).map(|change| matches!(change, RoleChange::Claims(_)))
    };
    assert_eq!(refused(change(json!({}))), (400, "role is required".to_owned()));
    assert_eq!(
        refused(change(json!({"role": "dev"}))).1,
        "one of userClaims, serviceAccounts, or resourceDetails must be provided"
    );
    let both = json!({"role": "dev", "userClaims": {"claims": []}, "resourceDetails": {}});
    assert!(change(both).unwrap());
    assert!(!change(json!({"role": "dev", "resourceDetails": {}})).unwrap());
}

#[test]
fn who_gives_a_role_gives_all_it_may_do() {
    let parts = parts(r#"{"email":"a"}"#, Some(json!([rule("", "secrets", &["*"])])));
    let people = [Claim { name: "email".into(), values: vec!["b".into()] }];
    let plan = grant_claims(&parts, &people).unwrap();
    assert_eq!(shown(&plan.granted), ["/secrets/ *"]);
    assert_eq!(kinds(&plan.writes), ["~ServiceAccount"]);
    let Write::ServiceAccount(Change::Update(account)) = &plan.writes[0] else { panic!() };
    let annotations = account.to.metadata.annotations.clone().unwrap();
    assert_eq!(annotations["rbac.kargo.akuity.io/claims"], r#"{"email":["a","b"],"sub":["old"]}"#);
    assert!(!annotations.contains_key("rbac.kargo.akuity.io/claim.sub"));
    let people = [Claim { name: "sub".into(), values: vec!["old".into(), "x".into()] }];
    let plan = revoke_claims(&parts, &people).unwrap();
    assert!(plan.granted.is_empty());
    assert_eq!(plan.role.claims.len(), 1, "a claim goes with its last value");
}

#[test]
fn rights_are_added_and_taken() {
    let permission = |resource: &str, name: &str, verbs: &[&str]| ResourceDetails {
        resource_type: resource.to_owned(),
        resource_name: name.to_owned(),
        verbs: verbs.iter().map(ToString::to_string).collect(),
    };
    let old = parts("{}", Some(json!([rule("", "secrets", &["get"])])));
    let stages = permission("stages", "", &["*"]);
    let plan = grant_permission(&old, &stages, &discovery()).unwrap();
    assert_eq!(plan.granted.len(), 1, "only what is new is asked for");
    assert_eq!(plan.role.rules.len(), 2);
    assert_eq!(kinds(&plan.writes), ["~Role"]);
    let fresh = grant_permission(&parts("{}", None), &stages, &discovery()).unwrap();
    assert_eq!(kinds(&fresh.writes), ["+Role", "+RoleBinding"]);
    let singular = permission("stage", "", &["get"]);
    assert_eq!(refused(grant_permission(&old, &singular, &discovery())).0, 400);

    let named = json!({"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["a"], "verbs": ["get"]});
    let old = parts("{}", Some(json!([named, rule("", "secrets", &["get", "list"])])));
    let revoke = |name: &str, verbs: &[&str]| {
        let plan = revoke_permission(&old, &permission("secrets", name, verbs), &discovery());
        shown(&plan.unwrap().role.rules)
    };
    assert_eq!(revoke("", &["get"]), ["/secrets/ list"]);
    assert_eq!(revoke("a", &["get"]), ["/secrets/ get,list"]);
    assert_eq!(revoke("", &["*"]), [""; 0]);
    let nothing =
        revoke_permission(&parts("{}", None), &permission("secrets", "", &["*"]), &discovery());
    assert!(nothing.unwrap().writes.is_empty());
}

#[test]
fn a_token_belongs_to_its_role() {
    let account = parts("{}", None).account;
    let secret = token(&account, &CreateApiToken { name: "ci".into() }).unwrap();
    assert_eq!(
        serde_json::to_value(&secret).unwrap(),
        json!({
            "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token",
            "metadata": {
                "name": "ci", "namespace": "demo",
                "labels": {"rbac.kargo.akuity.io/api-token": "true"},
                "annotations": {
                    "kubernetes.io/service-account.name": "dev",
                    "rbac.kargo.akuity.io/managed": "true",
                },
                "ownerReferences": [
                    {"apiVersion": "v1", "kind": "ServiceAccount", "name": "dev", "uid": ""},
                ],
            },
        })
    );
    let unnamed = token(&account, &CreateApiToken::default()).unwrap_err();
    assert_eq!(unnamed.to_string(), "name should not be empty");
    assert!(!is_populated(&secret));
    assert!(is_worth_another_try(500) && is_worth_another_try(429) && !is_worth_another_try(404));
}

#[test]
fn tokens_are_shown_without_the_token() {
    let account = parts("{}", None).account;
    let made = |name: &str| {
        let mut secret = token(&account, &CreateApiToken { name: name.into() }).unwrap();
        secret.data =
            Some(read(json!({"token": "c2VjcmV0", "ca.crt": "Y2E=", "extra": "c2VjcmV0"})));
        secret
    };
    assert!(is_populated(&made("a")));
    let wire = serde_json::to_value(check_token(&made("a")).unwrap()).unwrap();
    // base64 of the redaction text
    assert_eq!(wire["data"], json!({"token": "KioqIFJFREFDVEVEICoqKg==", "ca.crt": "Y2E="}));
    let other: Secret = read(json!({"metadata": {"name": "x", "namespace": "demo"}}));
    let refusal = check_token(&other).unwrap_err();
    assert_eq!(refusal.class().code(), 400);
    assert!(refusal.to_string().ends_with("is not labeled as a Kargo API token"));
    let secrets = [made("b"), other, made("a")];
    let names = |role| -> Vec<String> {
        tokens_of(&secrets, role).iter().map(|token| token.name().to_owned()).collect()
    };
    assert_eq!(names(None), ["a", "b"]);
    assert_eq!(names(Some("dev")), ["a", "b"]);
    assert!(names(Some("other")).is_empty());
}

#[test]
fn only_tokens_of_ours_are_deleted() {
    let account = parts("{}", None).account;
    let made = || token(&account, &CreateApiToken { name: "a".into() }).unwrap();
    assert!(check_deletable(&made()).is_ok());
    let reason = |change: fn(&mut Secret)| {
        let mut secret = made();
        change(&mut secret);
        let refusal = check_deletable(&secret).unwrap_err();
        assert_eq!(refusal.class().code(), 409);
        refusal.to_string()
    };
    assert!(reason(|s| s.type_ = None).ends_with("it is not a ServiceAccount token"));
    assert!(reason(|s| s.metadata.labels = None).ends_with("not labeled as a Kargo API token"));
    assert!(reason(|s| s.metadata.annotations = None).ends_with("with a ServiceAccount"));
    let unmarked = reason(|s| {
        s.metadata.annotations.as_mut().unwrap().remove("rbac.kargo.akuity.io/managed");
    });
    assert!(unmarked.ends_with("it is not annotated as Kargo-managed"));
}

proptest! {
    #[test]
    fn normal_form_is_final_and_blind_to_order(
        table in prop::collection::vec(("[ab]?", "[cd]s", prop::option::of("[x]"), "[gp*]"), 0..6),
    ) {
        let rules: Vec<PolicyRule> = table
            .iter()
            .map(|(group, resource, name, verb)| read(json!({
                "apiGroups": [group], "resources": [resource], "verbs": [verb],
                "resourceNames": name.iter().collect::<Vec<_>>(),
            })))
            .collect();
        let normal = normalize(&rules, Star::WithCustom);
        prop_assert_eq!(&normalize(&normal, Star::WithCustom), &normal);
        let reversed: Vec<PolicyRule> = rules.into_iter().rev().collect();
        prop_assert_eq!(normalize(&reversed, Star::WithCustom), normal);
    }
}
