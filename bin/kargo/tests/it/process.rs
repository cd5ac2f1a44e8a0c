//! Components as processes of their own: settings, health, metrics, signals, leadership.

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use dev_testkit::{Kargo, UpOptions};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    net::TcpStream,
    process::{Child, ChildStderr, Command},
    time::timeout,
};

use super::{merge, program, up};

const PATIENCE: Duration = Duration::from_secs(40);
const URL: (&str, &str) = ("EXTERNAL_WEBHOOK_SERVER_BASE_URL", "https://hooks.example.com");

/// A component that runs; killed when dropped.
pub(super) struct Component {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
}

impl Component {
    pub(super) fn start(subcommand: &str, kubeconfig: &Path, variables: &[(&str, &str)]) -> Self {
        let mut child = command(subcommand, variables)
            .env("KUBECONFIG", kubeconfig)
            .env("LOG_FORMAT", "json")
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next record whose message holds `text`.
    pub(super) async fn record(&mut self, text: &str) -> Value {
        let found = async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                let record: Value = serde_json::from_str(&line).unwrap_or_default();
                if record["msg"].as_str().is_some_and(|message| message.contains(text)) {
                    return record;
                }
            }
            panic!("it ended without telling {text:?}");
        };
        timeout(PATIENCE, found).await.expect(text)
    }

    pub(super) async fn signal(&self, name: &str) {
        let pid = self.child.id().unwrap().to_string();
        Command::new("kill").args([name, &pid]).status().await.unwrap();
    }

    /// The exit code, and what was written before.
    pub(super) async fn ended(mut self) -> (Option<i32>, String) {
        let mut told = String::new();
        let rest = async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                told.push_str(&line);
                told.push('\n');
            }
            self.child.wait().await.unwrap()
        };
        let status = timeout(PATIENCE, rest).await.expect("it ends");
        (status.code(), told)
    }
}

fn command(subcommand: &str, variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program());
    command.arg(subcommand).env_clear().envs(variables.iter().copied());
    command
}

async fn run(subcommand: &str, variables: &[(&str, &str)]) -> Output {
    command(subcommand, variables).output().await.unwrap()
}

/// Status and body of a page.
pub(super) async fn get(address: &str, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

pub(super) async fn until_ready(address: &str) {
    let ready = async {
        while get(address, "/readyz").await.0 != 200 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, ready).await.expect("it becomes ready");
}

pub(super) fn kubeconfig(directory: &Path, account: &str) -> PathBuf {
    directory.join("kubeconfigs").join(format!("{account}.kubeconfig"))
}

pub(super) fn free_port() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string()
}

#[tokio::test]
async fn bad_settings_end_in_one_line_and_code_2() {
    let namespace = ("KARGO_NAMESPACE", "kargo");
    let table: [(&str, &[(&str, &str)]); 8] = [
        ("management-controller", &[]),
        ("management-controller", &[URL, ("LOG_FORMAT", "xml")]),
        ("management-controller", &[URL, ("HEALTH_BIND_ADDRESS", "8081")]),
        ("management-controller", &[URL, ("KUBE_API_QPS", "fast")]),
        ("management-controller", &[URL, ("MAX_CONCURRENT_PROJECT_RECONCILES", "0")]),
        ("kubernetes-webhooks-server", &[]),
        ("kubernetes-webhooks-server", &[namespace, ("WEBHOOK_SERVER_PORT", "https")]),
        ("garbage-collector", &[("MIN_FREIGHT_DELETION_AGE", "2 weeks")]),
    ];
    let mut told = String::new();
    for (subcommand, variables) in table {
        let output = run(subcommand, variables).await;
        assert_eq!(output.status.code(), Some(2), "{subcommand} {variables:?}");
        told.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    insta::assert_snapshot!(told, @r#"
    error: EXTERNAL_WEBHOOK_SERVER_BASE_URL: must be set to an http or https URL
    error: LOG_FORMAT: "xml" is not one of console, json
    error: HEALTH_BIND_ADDRESS: "8081" is not an address such as :8081 or 127.0.0.1:8081, or 0 for none
    error: KUBE_API_QPS: "fast" is not a number, which below zero means no limit
    error: MAX_CONCURRENT_PROJECT_RECONCILES: "0" is not a number from 1 to 256
    error: KARGO_NAMESPACE: must be set to the namespace of the installation
    error: WEBHOOK_SERVER_PORT: "https" is not a number from 1 to 65535
    error: MIN_FREIGHT_DELETION_AGE: "2 weeks" is not a duration such as 90s or 1h30m
    "#);
}

#[tokio::test]
async fn a_component_tells_how_it_is_and_stops_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up(directory.path()).await;
    let variables = [
        URL,
        ("HEALTH_BIND_ADDRESS", "127.0.0.1:0"),
        ("METRICS_BIND_ADDRESS", ":0"),
        ("KARGO_WORKER_THREADS", "2"),
    ];
    let account = kubeconfig(directory.path(), "kargo-management-controller");
    let mut component = Component::start("management-controller", &account, &variables);
    let start = component.record("Starting Kargo Management Controller").await;
    assert!(start["version"].is_string() && start["commit"].is_string(), "{start}");
    assert_eq!((&start["level"], &start["GOMAXPROCS"]), (&json!("INFO"), &json!(2)));
    let health = component.record("listening").await["address"].as_str().unwrap().to_owned();
    until_ready(&health).await;
    assert_eq!(get(&health, "/livez").await, (200, "ok\n".to_owned()));
    assert_eq!(get(&health, "/metrics").await.0, 404, "metrics have a door of their own");

    component.signal("-TERM").await;
    component.record("stopping").await;
    let (code, told) = component.ended().await;
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("\"drained\":true"), "{told}");
    let lease = "/apis/coordination.k8s.io/v1/namespaces/kargo/leases/kargo-management-controller";
    let lease = kargo.client().unwrap().get(lease).await.unwrap().json();
    assert_eq!(lease["spec"]["holderIdentity"], "", "it gave the Lease back");
    kargo.stop().await.unwrap();
}

#[tokio::test]
async fn metrics_have_the_names_that_dashboards_look_for() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up(directory.path()).await;
    let port = free_port();
    let address = format!("127.0.0.1:{port}");
    let variables =
        [URL, ("HEALTH_BIND_ADDRESS", address.as_str()), ("METRICS_BIND_ADDRESS", &address)];
    let account = kubeconfig(directory.path(), "kargo-management-controller");
    let mut component = Component::start("management-controller", &account, &variables);
    let initialized = component.record("Initialized Project reconciler").await;
    assert_eq!(initialized["maxConcurrentReconciles"], 4);
    component.record("management controller working").await;
    until_ready(&address).await;
    let (status, text) = get(&address, "/metrics").await;
    assert_eq!(status, 200);
    for name in [
        "kargo_build_info{version=",
        "kargo_projects 0",
        "workqueue_depth{name=\"project-controller\"}",
        "controller_runtime_max_concurrent_reconciles{controller=\"project-controller\"} 4",
        "rest_client_requests_total{code=\"200\",method=\"GET\",host=\"127.0.0.1:",
        "process_resident_memory_bytes ",
        "process_cpu_seconds_total ",
        "process_start_time_seconds ",
    ] {
        assert!(text.contains(name), "{name} is not in {text}");
    }
    kargo.stop().await.unwrap();
}

#[tokio::test]
async fn a_webhook_server_is_ready_with_its_certificate() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up(directory.path()).await;
    let (health, port) = (format!("127.0.0.1:{}", free_port()), free_port());
    let variables = [
        ("KARGO_NAMESPACE", "kargo"),
        ("HEALTH_BIND_ADDRESS", health.as_str()),
        ("METRICS_BIND_ADDRESS", &health),
        ("WEBHOOK_SERVER_PORT", &port),
        ("WEBHOOK_CERT_SOURCE", "Own"),
    ];
    let account = kubeconfig(directory.path(), "kargo-webhooks-server");
    let mut component = Component::start("kubernetes-webhooks-server", &account, &variables);
    component.record("Starting Kargo Kubernetes Webhooks Server").await;
    component.record("webhook server listens").await;
    until_ready(&health).await;
    TcpStream::connect(format!("127.0.0.1:{port}")).await.unwrap();
    let (_, metrics) = get(&health, "/metrics").await;
    assert!(metrics.contains("kargo_certificate_expiry_timestamp_seconds{"), "{metrics}");
    component.signal("-INT").await;
    assert_eq!(component.ended().await.0, Some(0));
    kargo.stop().await.unwrap();
}

#[tokio::test]
async fn who_loses_the_lease_ends_so_that_it_is_started_again() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up(directory.path()).await;
    let account = kubeconfig(directory.path(), "kargo-management-controller");
    let variables = [URL, ("HEALTH_BIND_ADDRESS", "0")];
    let mut component = Component::start("management-controller", &account, &variables);
    component.record("management controller working").await;
    let path = "/apis/coordination.k8s.io/v1/namespaces/kargo/leases/kargo-management-controller";
    let client = kargo.client().unwrap();
    merge(&client, path, &json!({"spec": {"holderIdentity": "another"}})).await;
    let (code, told) = component.ended().await;
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("error: lost the Lease kargo-management-controller"), "{told}");
    kargo.stop().await.unwrap();
}

#[tokio::test]
async fn a_second_signal_ends_at_once() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("kubeconfig");
    let server = format!("http://{}", silent.local_addr().unwrap());
    std::fs::write(&file, silent_kubeconfig(&server)).unwrap();
    let variables = [URL, ("HEALTH_BIND_ADDRESS", "127.0.0.1:0")];
    let mut component = Component::start("management-controller", &file, &variables);
    let health = component.record("listening").await["address"].as_str().unwrap().to_owned();
    let _unanswered = timeout(PATIENCE, asked_for("/leases/", &silent)).await.unwrap();
    let (status, reasons) = get(&health, "/readyz").await;
    assert_eq!(status, 503);
    assert!(reasons.contains("API server: not reached yet"), "{reasons}");
    // The Lease is still asked for, so that the process cannot end by itself.
    component.signal("-TERM").await;
    component.record("stopping").await;
    component.signal("-TERM").await;
    component.record("second signal, ending at once").await;
    assert_eq!(component.ended().await.0, Some(1));
}

/// Takes connections until one asks for `path`, and answers none of them; they stay open while they are held.
async fn asked_for(path: &str, server: &tokio::net::TcpListener) -> Vec<TcpStream> {
    let mut connections = Vec::new();
    loop {
        let (mut connection, _) = server.accept().await.unwrap();
        let mut head = vec![0; 256];
        let length = connection.read(&mut head).await.unwrap();
        connections.push(connection);
        if String::from_utf8_lossy(&head[..length]).contains(path) {
            return connections;
        }
    }
}

fn silent_kubeconfig(server: &str) -> String {
    json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "silent",
        "contexts": [{"name": "silent", "context": {"cluster": "silent", "user": "nobody"}}],
        "clusters": [{"name": "silent", "cluster": {"server": server}}],
        "users": [{"name": "nobody", "user": {"token": "x"}}],
    })
    .to_string()
}

#[tokio::test]
async fn a_taken_port_for_probes_is_named_with_a_way_out() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = run("management-controller", &[URL, ("HEALTH_BIND_ADDRESS", &address)]).await;
    let told = String::from_utf8_lossy(&output.stderr).replace(&address, "ADDRESS");
    assert_eq!(output.status.code(), Some(20), "{told}");
    assert!(told.contains("error: ADDRESS is in use by another process"), "{told}");
    assert!(told.contains("hint: set HEALTH_BIND_ADDRESS to another address, or to 0"), "{told}");
}

#[tokio::test]
async fn up_tells_about_all_its_components_at_one_door() {
    let directory = tempfile::tempdir().unwrap();
    let address = format!("127.0.0.1:{}", free_port());
    let environment = ["HEALTH_BIND_ADDRESS", "METRICS_BIND_ADDRESS"]
        .map(|variable| (variable.to_owned(), address.clone()));
    let options = UpOptions {
        binary: Some(program()),
        environment: environment.into(),
        ..UpOptions::default()
    };
    let kargo = Kargo::up(directory.path(), &options).await.unwrap();
    until_ready(&address).await;
    assert_eq!(get(&address, "/livez").await.0, 200);
    let (_, metrics) = get(&address, "/metrics").await;
    for name in [
        "component=\"up\"",
        "workqueue_depth{name=\"project-controller\"}",
        "# TYPE kargo_gc_deleted_total counter",
    ] {
        assert!(metrics.contains(name), "{name} is not in {metrics}");
    }
    assert_eq!(kargo.stop().await.unwrap(), Some(0));
}
