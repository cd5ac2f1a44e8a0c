//! `kustomize-build` with the real program.

use api_kinds::promotion::PromotionStepStatus as Status;
use dev_testkit::server::GitHttp;
use serde_json::json;
use work_steps::{Class, testbed::Testbed};

use crate::tools::{environment, homes, list, testbed_with};

const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata:\n  name: Web\n";

fn kustomization(testbed: &Testbed, extra: &str) {
    let resources = "namespace: prod\nresources:\n- service.yaml\n- deployment.yaml\n";
    testbed.write("src/kustomization.yaml", format!("{resources}{extra}"));
    testbed.write("src/service.yaml", SERVICE);
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n";
    testbed.write("src/deployment.yaml", deployment);
}

#[tokio::test]
async fn a_kustomization_becomes_one_file_or_many() {
    let Some(testbed) = testbed_with(&["kustomize", "helm"]).await else { return };
    kustomization(&testbed, "");
    let build = |out: &str, format: &str| {
        testbed
            .run("kustomize-build", json!({"path": "src", "outPath": out, "outputFormat": format}))
    };
    let done = build("out/all.yaml", "kargo").await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    let all = testbed.read("out/all.yaml").unwrap();
    assert!(all.starts_with("apiVersion: v1\nkind: Service\n") && all.contains("\n---\n"), "{all}");
    testbed.write("out/tree/unrelated", "stays");
    for _ in 0..2 {
        assert_eq!(build("out/tree", "kargo").await.status, Status::Succeeded);
    }
    let expected = ["prod-deployment-web.yaml", "prod-service-web.yaml", "unrelated"];
    assert_eq!(list(&testbed, "out/tree"), expected);
    build("out/other", "kustomize").await;
    assert_eq!(list(&testbed, "out/other"), ["apps_v1_deployment_web.yaml", "v1_service_web.yaml"]);
    assert_eq!(homes(&testbed), 0);
}

#[tokio::test]
async fn files_beside_the_kustomization_are_read_and_files_of_the_machine_are_not() {
    let Some(testbed) = testbed_with(&["kustomize"]).await else { return };
    testbed.write("shared/service.yaml", SERVICE);
    testbed.write("src/kustomization.yaml", "resources:\n- ../shared/service.yaml\n");
    let config = json!({"path": "src", "outPath": "out.yaml"});
    let done = testbed.run("kustomize-build", config.clone()).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    let secret = testbed.machine_directory().join("secret");
    std::fs::write(&secret, "password=hunter2").unwrap();
    let secret = secret.display();
    for kustomization in [
        format!("configMapGenerator:\n- name: stolen\n  files: [\"a={secret}\"]\n"),
        "configMapGenerator:\n- name: stolen\n  files: [a=link]\n".to_owned(),
        "configMapGenerator:\n- name: stolen\n  files: [a=/etc/shadow]\n".to_owned(),
    ] {
        testbed.write("src/kustomization.yaml", kustomization);
        let link = testbed.files().join("src/link");
        let _ = std::os::unix::fs::symlink(testbed.machine_directory().join("secret"), link);
        let refused = testbed.run("kustomize-build", config.clone()).await;
        assert_eq!(refused.class, Some(Class::Retryable), "{}", refused.message);
        assert!(refused.message.contains("permission denied"), "{}", refused.message);
        assert!(!testbed.read("out.yaml").unwrap().contains("hunter2"));
    }
}

#[tokio::test]
async fn functions_that_run_programs_do_not_run() {
    let Some(testbed) = testbed_with(&["kustomize"]).await else { return };
    testbed.write("src/run.sh", "#!/bin/sh\ntouch ran\n");
    testbed.write("src/kustomization.yaml", "generators:\n- function.yaml\n");
    let function = "apiVersion: x/v1\nkind: X\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      exec:\n        path: ./run.sh\n";
    testbed.write("src/function.yaml", function);
    let refused =
        testbed.run("kustomize-build", json!({"path": "src", "outPath": "out.yaml"})).await;
    assert_eq!(refused.class, Some(Class::Retryable), "{}", refused.message);
    assert!(testbed.read("src/ran").is_none() && testbed.read("ran").is_none());
}

#[tokio::test]
async fn charts_are_inflated_with_helm_and_its_settings() {
    let Some(testbed) = testbed_with(&["kustomize", "helm"]).await else { return };
    testbed.write("src/charts/demo/Chart.yaml", "apiVersion: v2\nname: demo\nversion: 1.0.0\n");
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: demo\ndata:\n  kube: {{ .Capabilities.KubeVersion.Version | quote }}\n  api: {{ .Capabilities.APIVersions.Has \"example.com/v1\" | quote }}\n";
    testbed.write("src/charts/demo/templates/map.yaml", template);
    testbed.write("src/charts/demo/values.yaml", "{}\n");
    let kustomization =
        "helmGlobals:\n  chartHome: charts\nhelmCharts:\n- name: demo\n  releaseName: demo\n";
    testbed.write("src/kustomization.yaml", kustomization);
    let helm = json!({"kubeVersion": "1.29.0", "apiVersions": ["example.com/v1"]});
    let config = json!({"path": "src", "outPath": "out.yaml", "plugin": {"helm": helm}});
    let done = testbed.run("kustomize-build", config).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    let out = testbed.read("out.yaml").unwrap();
    assert!(out.contains("kube: v1.29.0") && out.contains("api: \"true\""), "{out}");
}

#[tokio::test]
async fn bases_in_repositories_are_fetched() {
    let Some(testbed) = testbed_with(&["kustomize"]).await else { return };
    let server = GitHttp::start().await.unwrap();
    let base =
        [("app/kustomization.yaml", "resources: [service.yaml]\n"), ("app/service.yaml", SERVICE)];
    server.repository("base.git").unwrap().commit("main", "base", &base).unwrap();
    let url = format!("{}//app?ref=main", server.url("base.git"));
    testbed.write("src/kustomization.yaml", format!("namePrefix: dev-\nresources:\n- {url}\n"));
    let done = testbed.run("kustomize-build", json!({"path": "src", "outPath": "out.yaml"})).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    assert!(testbed.read("out.yaml").unwrap().contains("name: dev-Web"));
}

#[tokio::test]
async fn more_builds_than_run_at_once_take_turns() {
    let Some(testbed) = testbed_with(&["kustomize"]).await else { return };
    let testbeds: Vec<Testbed> = (0..8).map(|_| testbed.fresh()).collect();
    let builds = testbeds.iter().map(|testbed| {
        kustomization(testbed, "");
        testbed.run("kustomize-build", json!({"path": "src", "outPath": "out.yaml"}))
    });
    for done in futures::future::join_all(builds).await {
        assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    }
}

#[tokio::test]
async fn failures_tell_the_cause_without_paths_of_the_machine() {
    let Some(mut testbed) = testbed_with(&["kustomize"]).await else { return };
    let config = json!({"path": "src", "outPath": "out.yaml"});
    testbed.write("src/kustomization.yaml", "resources: [missing.yaml]\n");
    let failed = testbed.run("kustomize-build", config.clone()).await;
    assert_eq!(failed.class, Some(Class::Retryable));
    assert!(failed.message.contains("missing.yaml"), "{}", failed.message);
    assert!(!failed.message.contains(&testbed.files().display().to_string()), "{}", failed.message);
    testbed.ports.environment = environment(&[("PATH", "/nowhere")]);
    let failed = testbed.run("kustomize-build", config).await;
    assert!(failed.message.contains("kustomize is not in the PATH"), "{}", failed.message);
    assert_eq!(homes(&testbed), 0);
}
