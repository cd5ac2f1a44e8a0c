//! The tables as a whole: nothing dangles, nothing is granted twice, nothing more than meant.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::admission::shard::ShardScope;

use super::{
    ArgoCd, Component, Controller, Options, SecretReading, SystemRole, claim::Claims,
    control_plane_user_pattern, namespaces, objects,
};

/// Resources that Kubernetes and Argo serve, by group.
const FOREIGN: &[(&str, &[&str])] = &[
    ("", &["configmaps", "events", "namespaces", "secrets", "serviceaccounts"]),
    (
        "admissionregistration.k8s.io",
        &["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
    ),
    (
        "argoproj.io",
        &["analysisruns", "analysistemplates", "applications", "clusteranalysistemplates"],
    ),
    ("authentication.k8s.io", &["tokenreviews"]),
    ("authorization.k8s.io", &["subjectaccessreviews"]),
    ("batch", &["jobs"]),
    ("coordination.k8s.io", &["leases"]),
    (
        "rbac.authorization.k8s.io",
        &["clusterrolebindings", "clusterroles", "rolebindings", "roles"],
    ),
];

fn every_option() -> Vec<Options> {
    let several = vec![Controller::main(), Controller::with_id("dev").of_shard("dev")];
    vec![
        Options::default(),
        Options { secret_management: false, rollouts: false, ..Options::default() },
        Options {
            secret_reading: SecretReading::ClusterWide,
            argocd: ArgoCd::Absent,
            ..Options::default()
        },
        Options {
            cluster_secrets_namespace: Some("kargo-cluster-secrets".to_owned()),
            argocd: ArgoCd::OneNamespace("argocd".to_owned()),
            controllers: several,
            ..Options::default()
        },
    ]
}

fn key(object: &Value) -> (String, String, String) {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    (
        text("/kind").to_owned(),
        text("/metadata/namespace").to_owned(),
        text("/metadata/name").to_owned(),
    )
}

fn find<'a>(objects: &'a [Value], kind: &str, namespace: &str, name: &str) -> Option<&'a Value> {
    let wanted = (kind.to_owned(), namespace.to_owned(), name.to_owned());
    objects.iter().find(|object| key(object) == wanted)
}

fn rules(object: &Value) -> Vec<Value> {
    object["rules"].as_array().cloned().unwrap_or_default()
}

/// `group/resource: verb …`, one line for each resource of each rule.
fn lines(object: &Value) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for rule in rules(object) {
        let group = rule["apiGroups"][0].as_str().unwrap();
        let group = group.split('.').next().unwrap();
        for resource in rule["resources"].as_array().unwrap() {
            for verb in rule["verbs"].as_array().unwrap() {
                let resource = resource.as_str().unwrap();
                lines.insert(format!("{group}/{resource}: {}", verb.as_str().unwrap()));
            }
        }
    }
    lines
}

#[test]
fn every_resource_exists() {
    let mut served: BTreeMap<String, BTreeSet<String>> = FOREIGN
        .iter()
        .map(|(group, names)| ((*group).to_owned(), names.iter().map(|&n| n.to_owned()).collect()))
        .collect();
    for crd in api_kinds::crd::crds() {
        let plural = crd["spec"]["names"]["plural"].as_str().unwrap();
        let group = served.entry(crd["spec"]["group"].as_str().unwrap().to_owned()).or_default();
        group.extend([
            plural.to_owned(),
            format!("{plural}/status"),
            format!("{plural}/finalizers"),
        ]);
    }
    for rule in every_option().iter().flat_map(objects).flat_map(|object| rules(&object)) {
        let group = rule["apiGroups"][0].as_str().unwrap();
        for resource in rule["resources"].as_array().unwrap() {
            assert!(served[group].contains(resource.as_str().unwrap()), "{group} {resource}");
        }
    }
}

#[test]
fn no_object_is_made_twice_and_no_binding_dangles() {
    for options in every_option() {
        let all = [namespaces(&options), objects(&options)].concat();
        let keys: BTreeSet<_> = all.iter().map(key).collect();
        assert_eq!(keys.len(), all.len());
        for binding in all.iter().filter(|object| object.get("roleRef").is_some()) {
            let (_, namespace, name) = key(binding);
            let role = &binding["roleRef"];
            let kind = role["kind"].as_str().unwrap();
            let namespace = if kind == "Role" { namespace.as_str() } else { "" };
            assert!(
                find(&all, kind, namespace, role["name"].as_str().unwrap()).is_some(),
                "{name}"
            );
            for subject in binding["subjects"].as_array().unwrap() {
                let (namespace, account) =
                    (subject["namespace"].as_str().unwrap(), subject["name"].as_str().unwrap());
                let known = find(&all, "ServiceAccount", namespace, account).is_some();
                assert!(known || namespace == "kube-system", "{name}: {account}");
            }
        }
    }
}

#[test]
fn only_the_management_controller_reaches_secrets_everywhere() {
    for options in every_option() {
        let all = objects(&options);
        let bound: BTreeSet<_> = all
            .iter()
            .filter(|object| object["kind"] == "ClusterRoleBinding")
            .map(|binding| binding["roleRef"]["name"].as_str().unwrap())
            .collect();
        let reaching: Vec<_> = bound
            .into_iter()
            .filter(|role| {
                let role = find(&all, "ClusterRole", "", role).unwrap();
                lines(role).iter().any(|line| line.starts_with("/secrets:"))
            })
            .collect();
        let mut expected = vec!["kargo-management-controller"];
        if options.secret_reading == SecretReading::ClusterWide {
            expected.insert(0, "kargo-controller");
        }
        assert_eq!(reaching, expected);
    }
}

#[test]
fn nobody_but_the_management_controller_escalates() {
    let all = objects(&Options::default());
    for object in all.iter().filter(|object| key(object).2 != "kargo-management-controller") {
        for line in lines(object).iter().filter(|line| line.starts_with("rbac/cluster")) {
            let (_, verb) = line.split_once(": ").unwrap();
            assert!(
                ["get", "list", "watch", "bind"].contains(&verb),
                "{line} of {:?}",
                key(object)
            );
        }
    }
    let admission = find(&all, "ClusterRole", "", "kargo-webhooks-server").unwrap();
    let bind = rules(admission).into_iter().find(|rule| rule["verbs"] == json!(["bind"])).unwrap();
    assert_eq!(bind["resourceNames"], json!(["kargo-project-admin"]));
}

#[test]
fn without_secret_management_the_api_server_only_reads_its_own_secrets() {
    let options = Options { secret_management: false, ..Options::default() };
    let all = objects(&options);
    let secrets = |kind, namespace, name| -> Vec<_> {
        let role = find(&all, kind, namespace, name).unwrap();
        lines(role).into_iter().filter(|line| line.starts_with("/secrets")).collect()
    };
    assert_eq!(
        secrets("Role", "kargo", "kargo-api"),
        ["/secrets: get", "/secrets: list", "/secrets: watch"]
    );
    assert!(secrets("ClusterRole", "", "kargo-project-admin").is_empty());
    let shared =
        find(&all, "RoleBinding", "kargo-shared-resources", "kargo-shared-resources-admin")
            .unwrap();
    assert_eq!(shared["subjects"].as_array().unwrap().len(), 1);
}

#[test]
fn each_controller_has_an_account_and_bindings_of_its_own() {
    let options = every_option().remove(3);
    let all = objects(&options);
    let account = find(&all, "ServiceAccount", "kargo", "kargo-controller-dev").unwrap();
    assert_eq!(account["metadata"]["labels"]["app.kubernetes.io/component"], "controller");
    for (kind, namespace, name) in [
        ("ClusterRoleBinding", "", "kargo-controller-dev"),
        ("ClusterRoleBinding", "", "kargo-controller-dev-rollouts"),
        ("RoleBinding", "kargo", "kargo-controller-dev"),
        ("RoleBinding", "argocd", "kargo-controller-dev"),
    ] {
        let binding = find(&all, kind, namespace, name).expect(name);
        assert_eq!(binding["subjects"][0]["name"], "kargo-controller-dev");
    }
    let readers =
        find(&all, "RoleBinding", "kargo-cluster-secrets", "kargo-cluster-secrets-reader").unwrap();
    assert_eq!(readers["subjects"].as_array().unwrap().len(), 3);
}

#[test]
fn people_get_roles_by_claims_and_rules_of_the_operator() {
    let mut claims = Claims::default();
    claims.add("groups", ["ops", "admins"]);
    let extra = json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]});
    let options = Options {
        claims: [(SystemRole::Admin, claims)].into(),
        additional_rules: [(SystemRole::Viewer, vec![extra.clone()])].into(),
        ..Options::default()
    };
    let all = objects(&options);
    let admin = find(&all, "ServiceAccount", "kargo", "kargo-admin").unwrap();
    let annotation = &admin["metadata"]["annotations"]["rbac.kargo.akuity.io/claims"];
    assert_eq!(annotation, r#"{"groups":["admins","ops"]}"#);
    assert_eq!(admin["metadata"]["labels"]["rbac.kargo.akuity.io/system-role"], "true");
    let viewer = find(&all, "ServiceAccount", "kargo", "kargo-viewer").unwrap();
    assert_eq!(viewer["metadata"]["annotations"], json!({}));
    assert_eq!(rules(find(&all, "ClusterRole", "", "kargo-viewer").unwrap()).last(), Some(&extra));
}

#[test]
fn the_control_plane_is_told_from_people() {
    let pattern = control_plane_user_pattern("kargo");
    assert_eq!(
        pattern,
        "^system:serviceaccount:kargo:(kargo-api|kargo-controller(-[a-z0-9.-]+)?|\
         kargo-garbage-collector|kargo-management-controller|kargo-remote-controller)$"
    );
    let names: BTreeSet<_> = Component::ALL.map(Component::service_account).into();
    assert_eq!(names.len(), Component::ALL.len());
}

#[test]
fn admission_holds_a_controller_to_the_shard_of_its_account() {
    let scope = |controller: Controller| {
        let name = controller.service_account.clone();
        let options = Options { controllers: vec![controller], ..Options::default() };
        let objects = objects(&options);
        let account = find(&objects, "ServiceAccount", "kargo", &name).unwrap();
        let labels = serde_json::from_value(account["metadata"]["labels"].clone()).unwrap();
        ShardScope::of_service_account(&labels)
    };
    assert_eq!(scope(Controller::main()), None, "it serves what has no shard, and is not held");
    assert_eq!(scope(Controller::with_id("dev").of_shard("")), None);
    let allows = |scope: &Option<ShardScope>, shard: &str| {
        scope.as_ref().unwrap().check("c", "stages", &[shard]).is_ok()
    };
    let dev = scope(Controller::with_id("a1").of_shard("dev"));
    assert!(allows(&dev, "dev") && !allows(&dev, "prod") && !allows(&dev, ""));
    let default = scope(Controller::main().of_default_shard("main"));
    assert!(allows(&default, "main") && allows(&default, "") && !allows(&default, "dev"));
}
