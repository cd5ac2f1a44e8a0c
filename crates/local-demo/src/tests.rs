//! A running demo, met as Git, browsers and `kargo demo` meet it.

use std::{
    path::Path,
    process::{Command, Output},
    sync::Arc,
};

use http::{Request, Response, StatusCode};
use io_http::{
    Listener,
    outbound::{self, Outbound, Tls},
};
use io_kube::Ports;
use io_runtime::{SystemClock, SystemEntropy, SystemEnvironment, TaskGroup};
use kube::{Client, client::Body};
use parking_lot::Mutex;
use serde_json::Value;
use tempfile::TempDir;

use crate::{Demo, Parts, Remote};

/// A demo whose control plane agrees to everything and writes down what it was asked for.
struct Running {
    demo: Demo,
    asked: Arc<Mutex<Vec<String>>>,
    directory: TempDir,
    _tasks: TaskGroup,
}

impl Running {
    async fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let (tasks, log) = (TaskGroup::new(), asked.clone());
        let service = tower::service_fn(move |request: Request<Body>| {
            log.lock().push(format!("{} {}", request.method(), request.uri().path()));
            let object = r#"{"apiVersion": "v1", "kind": "X", "metadata": {"name": "x"}}"#;
            async move {
                Ok::<_, std::convert::Infallible>(Response::new(Body::from(
                    object.as_bytes().to_vec(),
                )))
            }
        });
        let parts = Parts {
            directory: directory.path().join("demo"),
            listener: Listener::bind("127.0.0.1:0".parse().unwrap()).await.unwrap(),
            client: Client::new(service, "default"),
            ports: Ports {
                clock: Arc::new(SystemClock::new()),
                entropy: Arc::new(SystemEntropy),
                tasks: Arc::new(tasks.clone()),
            },
            environment: Arc::new(SystemEnvironment),
        };
        let demo = Demo::start(parts).await.unwrap();
        Self { demo, asked, directory, _tasks: tasks }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.demo.address())
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        let client = Outbound::new(outbound::Settings::default()).client(&Tls::default()).unwrap();
        let request = outbound::Request::get(&self.url(path)).unwrap();
        let response = client.send(request).await.unwrap();
        let status = response.status().as_u16();
        let body = response.read_limited(1 << 20).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    fn git(directory: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new("git");
        command.arg("-C").arg(directory).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
        for variable in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
            command.env_remove(variable);
        }
        let output = tokio::task::block_in_place(|| command.output()).unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_pushed_to_the_branch_of_a_stage_runs_there() {
    let running = Running::start().await;
    assert_eq!(running.get("app/dev").await.0, 503, "nothing is there yet");
    let work = tempfile::tempdir().unwrap();
    Running::git(work.path(), &["clone", "--quiet", &running.url("git/guestbook.git"), "."]);
    Running::git(work.path(), &["checkout", "--quiet", "-b", "env/dev"]);
    let kustomization = "images:\n- name: guestbook\n  newTag: 1.0.0\n";
    std::fs::write(work.path().join("kustomization.yaml"), kustomization).unwrap();
    Running::git(work.path(), &["add", "."]);
    let author = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
    Running::git(work.path(), &[&author[..], &["commit", "--quiet", "-m", "deploy"]].concat());
    Running::git(work.path(), &["push", "--quiet", "origin", "env/dev"]);
    let (status, told) = running.get("app/dev").await;
    assert_eq!((status, &told["version"]), (200, &Value::from("1.0.0")));
    assert_eq!(running.get("app/..%2f..%2fetc").await.0, 503);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_is_a_commit_and_an_image_and_wakes_the_warehouse() {
    let running = Running::start().await;
    let remote = Remote::of_directory(&running.directory.path().join("demo")).unwrap();
    let release = remote.push().await.unwrap();
    assert_eq!(release.version(), "1.0.1");
    let (_, tags) = running.get("v2/demo/guestbook/tags/list").await;
    assert_eq!(tags["tags"], serde_json::json!(["1.0.0", "1.0.1"]));
    let work = tempfile::tempdir().unwrap();
    Running::git(work.path(), &["clone", "--quiet", &running.url("git/guestbook.git"), "."]);
    let tip = Running::git(work.path(), &["rev-parse", "HEAD"]);
    assert_eq!(String::from_utf8_lossy(&tip.stdout).trim(), release.commit);
    let refresh = "PATCH /apis/kargo.akuity.io/v1alpha1/namespaces/demo/warehouses/guestbook";
    assert_eq!(*running.asked.lock(), [refresh]);
    remote.remove().await.unwrap();
    assert!(!running.directory.path().join("demo").exists());
    let gone = "DELETE /apis/kargo.akuity.io/v1alpha1/projects/demo";
    assert_eq!(running.asked.lock().last().unwrap(), gone);
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_change_nothing() {
    let running = Running::start().await;
    let client = Outbound::new(outbound::Settings::default()).client(&Tls::default()).unwrap();
    let send = async |path: &str, header: Option<(http::HeaderName, &str)>| {
        let mut request = outbound::Request::new(http::Method::POST, &running.url(path)).unwrap();
        if let Some((name, value)) = header {
            request = request.try_header(name, value).unwrap();
        }
        client.send(request).await.unwrap().status()
    };
    assert_eq!(send("demo/push", None).await, StatusCode::UNAUTHORIZED);
    let wrong = Some((http::header::AUTHORIZATION, "Bearer guess"));
    assert_eq!(send("demo/push", wrong).await, StatusCode::UNAUTHORIZED);
    let page = Some((http::header::CONTENT_TYPE, "text/plain"));
    let refused = send("git/guestbook.git/git-receive-pack", page).await;
    assert_eq!(refused, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let elsewhere = Some((http::header::HOST, "evil.example.com"));
    assert_eq!(send("demo/push", elsewhere).await, StatusCode::MISDIRECTED_REQUEST);
    assert!(running.asked.lock().is_empty());
}
