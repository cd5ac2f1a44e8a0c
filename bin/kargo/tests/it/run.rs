//! `kargo run`, `kargo run --preview` and `kargo lint`, with the examples and with mistakes.
//!
//! The examples name servers that do not exist; here each name leads to a server of the test, and what is printed leads
//! back, so that the recorded output is what the guide shows.

use std::{
    path::{Path, PathBuf},
    process::Command as Program,
    sync::{Arc, Mutex},
};

use dev_testkit::server::{
    registry::{Door, Image, Registry},
    scm::{ScmServer, Service, Status, TOKEN},
};
use regex::Regex;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    process::Command,
};

use super::program;

const REPOSITORY: &str = "https://git.example.com/acme/web";
const RENDERED: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop-test
spec:
  replicas: 2
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - image: ghcr.io/acme/web:1.2.0
        name: web
";
const KUSTOMIZATION: &str = "namespace: shop-test
resources:
- ../../base
images:
- name: ghcr.io/acme/web
  newTag: 1.2.0 # set by promotions
";
const VALUES: &str = "# Settings of production.
replicas: 6
image:
  repository: ghcr.io/acme/web
  tag: 1.2.0 # set by promotions
";

/// An example, and the servers behind the names in it.
struct Example {
    name: &'static str,
    /// What the file says, and what that is here.
    names: Vec<(&'static str, String)>,
    variables: Vec<(&'static str, String)>,
    directory: tempfile::TempDir,
}

impl Example {
    fn new(name: &'static str, names: Vec<(&'static str, String)>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { name, names, variables: Vec::new(), directory }
    }

    fn file(&self) -> PathBuf {
        let example = dev_testkit::repository().join("examples").join(self.name);
        let mut text = std::fs::read_to_string(example).unwrap();
        for (name, real) in &self.names {
            text = text.replace(name, real);
        }
        let file = self.directory.path().join(self.name);
        std::fs::write(&file, text).unwrap();
        file
    }

    /// Runs it, and returns what a person sees.
    async fn run(&self, arguments: &[&str]) -> String {
        let output = Command::new(program())
            .args(["run", "-f"])
            .arg(self.file())
            .args(arguments)
            .arg("--cache-dir")
            .arg(self.directory.path().join("cache"))
            .current_dir(self.directory.path())
            .env("LOG_LEVEL", "error")
            .envs(self.variables.iter().cloned())
            .output()
            .await
            .unwrap();
        let typed = format!("$ kargo run -f examples/{} {}", self.name, arguments.join(" "));
        let mut seen = format!("{}\n", typed.trim_end());
        seen.push_str(&String::from_utf8(output.stderr).unwrap());
        seen.push_str(&String::from_utf8(output.stdout).unwrap());
        assert!(output.status.success(), "{seen}");
        assert!(!seen.contains(TOKEN), "{seen}");
        self.steady(seen)
    }

    /// The same without what is different every time.
    fn steady(&self, mut seen: String) -> String {
        for (name, real) in &self.names {
            seen = seen.replace(real, name);
        }
        for (changing, steady) in [(r"in \d+\.\d s", "in 0.1 s"), (r"\b[0-9a-f]{40}\b", "<commit>")]
        {
            seen = Regex::new(changing).unwrap().replace_all(&seen, steady).into_owned();
        }
        seen
    }
}

/// Compares a preview and a run with what was recorded, and with what the guide shows.
fn check(name: &str, preview: &str, run: &str) {
    insta::assert_snapshot!(format!("{name}-preview"), preview);
    insta::assert_snapshot!(name, run);
    check_guide(preview);
    check_guide(run);
}

/// Whether the guide shows what is printed.
pub(super) fn check_guide(seen: &str) {
    let guide = dev_testkit::repository().join("docs/guide/run.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    assert!(guide.contains(seen.trim_end()), "docs/guide/run.md does not show:\n{seen}");
}

/// A hosting service with an application in `main` and its rendered manifests in `stage/test`.
async fn hosting() -> ScmServer {
    let server = ScmServer::start(Service::Github).await.unwrap();
    let files = [
        ("base/kustomization.yaml", "resources:\n- deployment.yaml\n"),
        ("base/deployment.yaml", &RENDERED.replace("  namespace: shop-test\n", "")),
        ("stages/test/kustomization.yaml", KUSTOMIZATION),
        ("charts/web/values-prod.yaml", VALUES),
    ];
    let repository = server.repository();
    repository.commit("main", "The application", &files).unwrap();
    let rendered = [("manifests.yaml", RENDERED)];
    repository.commit("stage/test", "Rendered 1.2.0", &rendered).unwrap();
    server
}

fn address(server: &ScmServer) -> String {
    server.repo_url().trim_end_matches(".git").to_owned()
}

/// The `PATH` with kustomize; `None`, with a line that says so, when it is not built.
fn path_with_kustomize() -> Option<String> {
    let build = dev_testkit::repository().join("tools/build");
    let printed = Program::new(build).args(["--print", "kustomize"]).output().unwrap();
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(printed.status.success() || !is_ci, "kustomize is missing: run make kustomize");
    let program = String::from_utf8(printed.stdout).unwrap();
    let directory = Path::new(program.trim()).parent().filter(|_| printed.status.success())?;
    Some(format!("{}:{}", directory.display(), std::env::var("PATH").unwrap()))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_rendered_branches_shows_and_then_pushes_manifests() {
    let Some(path) = path_with_kustomize() else {
        println!("skipped: kustomize is missing, make kustomize builds it");
        return;
    };
    let server = hosting().await;
    let mut example = Example::new("rendered-branch.yaml", vec![(REPOSITORY, address(&server))]);
    example.variables.push(("PATH", path));
    let before = server.repository().git(&["for-each-ref"]).unwrap();
    let preview = example.run(&["--preview"]).await;
    assert_eq!(server.repository().git(&["for-each-ref"]).unwrap(), before);
    check("rendered-branch", &preview, &example.run(&[]).await);
    let pushed = server.repository().git(&["show", "stage/test:manifests.yaml"]).unwrap();
    assert_eq!(pushed, RENDERED.replace("1.2.0", "1.3.0").trim_end());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_helm_values_shows_and_then_merges_a_pull_request() {
    let server = hosting().await;
    let names = vec![(REPOSITORY, address(&server)), ("a-token-of-yours", TOKEN.to_owned())];
    let mut example = Example::new("helm-values-pull-request.yaml", names);
    let hosts = format!("{}=github={}", server.host(), server.api_url());
    example.variables.push(("GIT_PROVIDER_HOSTS", hosts));
    example.variables.push(("ALLOW_CREDENTIALS_OVER_HTTP", "true".to_owned()));
    let before = server.repository().git(&["for-each-ref"]).unwrap();
    let preview = example.run(&["--preview"]).await;
    assert_eq!(server.repository().git(&["for-each-ref"]).unwrap(), before);
    assert!(server.pull_requests().is_empty());
    check("helm-values", &preview, &example.run(&["--journal", "web-to-prod.json"]).await);
    let values = server.repository().git(&["show", "main:charts/web/values-prod.yaml"]).unwrap();
    assert_eq!(values, VALUES.replace("1.2.0", "1.3.0").trim_end());
    let statuses: Vec<Status> = server.pull_requests().iter().map(|found| found.status).collect();
    assert_eq!(statuses, [Status::Merged]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_a_release_shows_and_then_moves_a_tag_and_tells_a_webhook() {
    let Some(registry) = Registry::start(Door::Open).await.unwrap() else { return };
    let image = Image::built("2026-01-02T03:04:05Z");
    let digest = registry.push("acme/web", "1.3.0-rc.4", &image).await.unwrap();
    let (hook, bodies) = hook().await;
    let names = vec![
        ("registry.example.com", registry.address().to_string()),
        ("https://hooks.example.com", format!("http://{hook}")),
        ("hooks.example.com", hook),
        ("sha256:0000000000000000000000000000000000000000000000000000000000000000", digest),
    ];
    let example = Example::new("release-image.yaml", names);
    let preview = example.run(&["--preview"]).await;
    assert!(bodies.lock().unwrap().is_empty());
    check("release-image", &preview, &example.run(&[]).await);
    let told = example.steady(bodies.lock().unwrap().join(""));
    let image = "registry.example.com/acme/web:stable";
    assert_eq!(told, format!("{{\"image\": \"{image}\", \"version\": \"1.3.0-rc.4\"}}\n"));
}

/// A server that takes what it is sent as created, and keeps the bodies.
async fn hook() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let bodies: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = bodies.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = String::new();
            while !request.ends_with("}\n") {
                let mut part = vec![0; 4096];
                let count = stream.read(&mut part).await.unwrap();
                request.push_str(&String::from_utf8_lossy(&part[..count]));
            }
            let (_, body) = request.split_once("\r\n\r\n").unwrap();
            kept.lock().unwrap().push(body.to_owned());
            let reply = "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\n\
                         content-length: 8\r\nconnection: close\r\n\r\n{\"id\":7}";
            stream.write_all(reply.as_bytes()).await.unwrap();
        }
    });
    (address, bodies)
}
