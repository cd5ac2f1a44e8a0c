//! `helm-template` with the real program.

use std::os::unix::fs::PermissionsExt;

use api_kinds::promotion::PromotionStepStatus as Status;
use serde_json::{Value, json};
use work_steps::{
    Class,
    testbed::{Attempt, Testbed},
};

use crate::tools::{environment, homes, list, testbed_with};

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n  namespace: {{ .Release.Namespace }}\ndata:\n  a: {{ .Values.a | quote }}\n  list: {{ .Values.list | toJson | quote }}\n  kube: {{ .Capabilities.KubeVersion.Version }}\n  api: {{ .Capabilities.APIVersions.Has \"x/v1\" | quote }}\n";
const HOOK: &str =
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: hook\n  annotations:\n    helm.sh/hook: ";

fn chart(testbed: &Testbed) {
    testbed.write("chart/Chart.yaml", "apiVersion: v2\nname: demo\nversion: 1.0.0\n");
    testbed.write("chart/values.yaml", "a: default\nlist: []\n");
    testbed.write("chart/templates/map.yaml", MAP);
    testbed.write("chart/templates/hook.yaml", format!("{HOOK}pre-install\n"));
    testbed.write(
        "chart/templates/test.yaml",
        format!("{HOOK}test\n").replace("name: hook", "name: test"),
    );
    testbed.write("chart/crds/crd.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: x\n");
}

async fn template(testbed: &Testbed, extra: Value) -> Attempt {
    let mut config = json!({"path": "chart", "outPath": "out.yaml", "releaseName": "rel"});
    config.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    testbed.run("helm-template", config).await
}

async fn rendered(testbed: &Testbed, extra: Value) -> String {
    let done = template(testbed, extra).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    testbed.read("out.yaml").unwrap()
}

#[tokio::test]
async fn values_count_in_the_order_files_set_literal() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    chart(&testbed);
    testbed.write("one.yaml", "a: one\n");
    testbed.write("two.yaml", "a: two\n");
    // What a killed process left behind goes too.
    std::fs::create_dir_all(testbed.private().join("home-x/cache")).unwrap();
    let out = rendered(&testbed, json!({})).await;
    assert!(out.contains("a: \"default\"") && out.contains("namespace: demo"), "{out}");
    let out =
        rendered(&testbed, json!({"valuesFiles": ["one.yaml", "two.yaml"], "namespace": "ns"}))
            .await;
    assert!(out.contains("a: \"two\"") && out.contains("namespace: ns"), "{out}");
    let set = json!([
        {"key": "a", "value": "literal,{1}", "literal": true},
        {"key": "a", "value": "set"},
        {"key": "list", "value": "{x,y}"},
    ]);
    let out = rendered(&testbed, json!({"valuesFiles": ["one.yaml"], "setValues": set})).await;
    assert!(out.contains("a: \"literal,{1}\""), "{out}");
    assert!(out.contains(r#"list: "[\"x\",\"y\"]""#), "{out}");
    assert_eq!(homes(&testbed), 0);
}

#[tokio::test]
async fn missing_values_files_are_an_error_unless_they_may_be_missing() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    chart(&testbed);
    let failed = template(&testbed, json!({"valuesFiles": ["none.yaml"]})).await;
    assert_eq!(failed.class, Some(Class::Retryable));
    assert!(failed.message.contains("none.yaml"), "{}", failed.message);
    rendered(&testbed, json!({"valuesFiles": ["none.yaml"], "ignoreMissingValueFiles": true}))
        .await;
}

#[tokio::test]
async fn hooks_tests_and_definitions_are_there_as_asked() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    chart(&testbed);
    let out = rendered(&testbed, json!({})).await;
    assert!(out.starts_with("---\n# Source: demo/templates/map.yaml\n"), "{out}");
    assert!(out.contains("---\n# Source: demo/templates/hook.yaml\n"), "{out}");
    assert!(out.contains("name: test") && !out.contains("CustomResourceDefinition"), "{out}");
    let out = rendered(&testbed, json!({"skipTests": true, "includeCRDs": true})).await;
    assert!(out.contains("name: hook") && !out.contains("name: test"), "{out}");
    assert!(out.contains("CustomResourceDefinition"), "{out}");
    let out = rendered(&testbed, json!({"disableHooks": true})).await;
    assert!(!out.contains("name: hook") && !out.contains("name: test"), "{out}");
    let mode = std::fs::metadata(testbed.files().join("out.yaml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn directories_are_laid_out_as_the_chart_or_flat() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    chart(&testbed);
    let tree = ["hook.yaml", "map.yaml", "test.yaml"];
    for _ in 0..2 {
        let done = template(&testbed, json!({"outPath": "tree"})).await;
        assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    }
    assert_eq!(list(&testbed, "tree"), tree.map(|name| format!("demo/templates/{name}")));
    assert_eq!(testbed.read("tree/demo/templates/hook.yaml").unwrap().matches("kind:").count(), 1);
    template(&testbed, json!({"outPath": "named", "useReleaseName": true})).await;
    assert_eq!(list(&testbed, "named"), tree.map(|name| format!("rel/demo/templates/{name}")));
    let done = template(&testbed, json!({"outPath": "flat", "outLayout": "flat"})).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    assert_eq!(
        list(&testbed, "flat"),
        ["configmap-demo-rel.yaml", "pod-hook.yaml", "pod-test.yaml"]
    );
    assert_eq!(testbed.read("flat/pod-hook.yaml").unwrap().matches("kind:").count(), 1);
}

#[tokio::test]
async fn templates_see_the_cluster_that_is_named() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    chart(&testbed);
    let out = rendered(&testbed, json!({"kubeVersion": "1.28.3", "apiVersions": ["x/v1"]})).await;
    assert!(out.contains("kube: v1.28.3") && out.contains("api: \"true\""), "{out}");
    let failed = template(&testbed, json!({"kubeVersion": "nonsense"})).await;
    assert_eq!(failed.class, Some(Class::Retryable), "{}", failed.message);
}

#[tokio::test]
async fn a_chart_sees_nothing_of_the_machine() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    chart(&testbed);
    std::fs::write(testbed.machine_directory().join("secret"), "hunter2").unwrap();
    let secret = testbed.machine_directory().join("secret");
    std::os::unix::fs::symlink(&secret, testbed.files().join("chart/stolen")).unwrap();
    testbed.write(
        "chart/templates/x.yaml",
        "kind: X\na: {{ .Files.Get \"stolen\" }}{{ env \"HOME\" }}\n",
    );
    let refused = template(&testbed, json!({})).await;
    assert_eq!(refused.class, Some(Class::Retryable));
    assert!(refused.message.contains("leads out of the work directory"), "{}", refused.message);
}

#[tokio::test]
async fn values_cannot_be_taken_for_options() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    chart(&testbed);
    for name in ["--debug", "--post-renderer=/bin/sh", "-h"] {
        let failed = template(&testbed, json!({"releaseName": name})).await;
        assert_eq!(failed.class, Some(Class::Retryable), "{name}: {}", failed.message);
    }
    rendered(&testbed, json!({"setValues": [{"key": "a", "value": "--debug"}]})).await;
}

#[tokio::test]
async fn dependencies_that_are_not_there_are_an_error_until_they_are_built() {
    let Some(testbed) = testbed_with(&["helm"]).await else { return };
    chart(&testbed);
    testbed.write("library/Chart.yaml", "apiVersion: v2\nname: library\nversion: 0.1.0\n");
    testbed.write("library/templates/l.yaml", "kind: L\nmetadata:\n  name: l\n");
    let declared = "apiVersion: v2\nname: demo\nversion: 1.0.0\ndependencies:\n- name: library\n  version: 0.1.0\n  repository: file://../library\n";
    testbed.write("chart/Chart.yaml", declared);
    let failed = template(&testbed, json!({})).await;
    assert_eq!(failed.class, Some(Class::Retryable));
    assert!(failed.message.contains("library"), "{}", failed.message);
    let out = rendered(&testbed, json!({"buildDependencies": true})).await;
    assert!(out.contains("kind: L"), "{out}");
    for outside in ["file:///etc", "file://../../elsewhere"] {
        testbed.write("chart/Chart.yaml", declared.replace("file://../library", outside));
        let refused = template(&testbed, json!({"buildDependencies": true})).await;
        assert_eq!(refused.class, Some(Class::Retryable), "{outside}");
    }
}

#[tokio::test]
async fn a_missing_program_and_a_broken_template_are_told() {
    let Some(mut testbed) = testbed_with(&["helm"]).await else { return };
    chart(&testbed);
    testbed.write("chart/templates/bad.yaml", "{{ fail \"told by the chart\" }}");
    let failed = template(&testbed, json!({})).await;
    assert!(failed.message.contains("told by the chart"), "{}", failed.message);
    testbed.ports.environment = environment(&[]);
    let failed = template(&testbed, json!({})).await;
    assert!(failed.message.contains("helm is not in the PATH"), "{}", failed.message);
}
