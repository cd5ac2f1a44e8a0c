//! The REST API of `kargo up` and of `kargo api`: where it is, who gets in, and what is left when it stops.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    process::{Child, Command},
    time::timeout,
};

use super::{
    process::{Component, free_port, get, kubeconfig, until_ready},
    program, up,
};

const PATIENCE: Duration = Duration::from_secs(40);

/// A `kargo up` with what it said at its start.
struct Run {
    child: Child,
    banner: String,
    state: PathBuf,
}

impl Run {
    async fn start(directory: &Path, arguments: &[&str]) -> Self {
        let ports = ["--kube-port", "0", "--api-port", "0"];
        Self::on(&ports, directory, arguments).await
    }

    async fn on(ports: &[&str], directory: &Path, arguments: &[&str]) -> Self {
        let state = directory.join("state");
        let mut child = Command::new(program())
            .arg("up")
            .args(ports)
            .arg("--data-dir")
            .arg(directory.join("data"))
            .args(arguments)
            .env("LOG_LEVEL", "error")
            .env("XDG_STATE_HOME", &state)
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut banner = String::new();
        let told = async {
            while !banner.contains("Ctrl-C") {
                banner += &lines.next_line().await.unwrap().expect("it ended");
                banner.push('\n');
            }
        };
        timeout(PATIENCE, told).await.expect("it becomes ready");
        Self { child, banner, state }
    }

    fn line(&self, title: &str) -> Option<&str> {
        let line = self.banner.lines().find_map(|line| line.trim().strip_prefix(title))?;
        line.trim().split([' ', ';']).next()
    }

    fn url(&self) -> &str {
        self.line("REST API").expect("the banner names the address")
    }

    fn login(&self) -> PathBuf {
        self.state.join("kargo/up.yaml")
    }

    /// What the file of the command line says.
    fn of_login(&self, key: &str) -> String {
        let text = fs::read_to_string(self.login()).unwrap();
        let value = text.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")));
        value.unwrap().to_owned()
    }

    /// Status and JSON of a reply.
    async fn ask(&self, method: &str, path: &str, secret: &str) -> (u16, Value) {
        let host = self.url().strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).await.unwrap();
        let request = format!(
            "{method} /v1beta1{path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {secret}\r\n\
             connection: close\r\ncontent-length: 0\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).await.unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    async fn log_in(&self, password: &str) -> (u16, Value) {
        self.ask("POST", "/login", password).await
    }

    async fn stop(mut self) {
        let pid = self.child.id().unwrap().to_string();
        Command::new("kill").args(["-TERM", &pid]).status().await.unwrap();
        assert!(timeout(PATIENCE, self.child.wait()).await.unwrap().unwrap().success());
    }
}

#[tokio::test]
async fn the_password_is_told_once_and_works_ever_after() {
    let directory = TempDir::new().unwrap();
    let first = Run::start(directory.path(), &[]).await;
    let password = first.line("admin password").expect("it is told").to_owned();
    let (status, login) = first.log_in(&password).await;
    assert_eq!(status, 200, "{login}");
    let token = login["idToken"].as_str().unwrap().to_owned();
    assert_eq!(first.ask("GET", "/projects", &token).await.0, 200);
    assert_eq!(first.log_in("wrong").await.0, 403);
    first.stop().await;
    let second = Run::start(directory.path(), &[]).await;
    assert_eq!(second.line("admin password"), None, "{}", second.banner);
    assert_eq!(second.log_in(&password).await.0, 200);
    assert_eq!(second.ask("GET", "/projects", &token).await.0, 200, "the login goes on");
    second.stop().await;
    for file in ["password.hash", "signing.key"] {
        let file = directory.path().join("data/api").join(file);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!fs::read_to_string(&file).unwrap().contains(&password));
    }
    let chosen = directory.path().join("chosen");
    fs::write(&chosen, "correct horse\n").unwrap();
    let third =
        Run::start(directory.path(), &["--admin-password-file", chosen.to_str().unwrap()]).await;
    assert_eq!(third.log_in("correct horse").await.0, 200);
    assert_eq!(third.ask("GET", "/projects", &token).await.0, 401, "old logins are over");
    third.stop().await;
}

#[tokio::test]
async fn the_command_line_of_this_machine_finds_its_login_while_it_runs() {
    let directory = TempDir::new().unwrap();
    let run = Run::start(directory.path(), &["--in-memory"]).await;
    let mode = fs::metadata(run.login()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(run.of_login("apiAddress"), run.url());
    let token = run.of_login("bearerToken");
    assert_eq!(run.ask("GET", "/projects", &token).await.0, 200);
    let login = run.login();
    run.stop().await;
    assert!(!login.exists());
}

#[tokio::test]
async fn a_taken_port_of_the_rest_api_names_its_flag() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = super::kargo(&["up", "--in-memory", "--kube-port", "0", "--api-port", &port]);
    assert_eq!(output.status.code(), Some(20));
    assert!(super::stderr(&output).contains("choose another port with --api-port"));
}

#[tokio::test]
async fn a_port_that_is_only_preferred_gives_way_and_the_banner_says_why() {
    // If somebody else has it, that is as good.
    let _taken = std::net::TcpListener::bind("127.0.0.1:8080");
    let directory = TempDir::new().unwrap();
    let run = Run::on(&["--kube-port", &free_port()], directory.path(), &["--in-memory"]).await;
    let why = "not on port 8080, which another process uses; choose one with --api-port";
    assert!(run.banner.contains(why), "{}", run.banner);
    assert_ne!(run.url(), "http://127.0.0.1:8080");
    assert_eq!(run.ask("GET", "/projects", &run.of_login("bearerToken")).await.0, 200);
    run.stop().await;
}

#[tokio::test]
async fn it_also_runs_as_a_component_of_its_own() {
    let directory = TempDir::new().unwrap();
    let kargo = up(directory.path()).await;
    let (health, port) = (format!("127.0.0.1:{}", free_port()), free_port());
    let variables = [
        ("BIND_ADDRESS", "127.0.0.1"),
        ("PORT", port.as_str()),
        ("HEALTH_BIND_ADDRESS", health.as_str()),
        ("METRICS_BIND_ADDRESS", health.as_str()),
        ("GRACEFUL_SHUTDOWN_TIMEOUT", "1s"),
    ];
    let account = kubeconfig(directory.path(), "kargo-api");
    let mut api = Component::start("api", &account, &variables);
    api.record("API server listens").await;
    until_ready(&health).await;
    let address = format!("127.0.0.1:{port}");
    assert_eq!(get(&address, "/healthz").await, (200, "ok".to_owned()));
    assert_eq!(get(&address, "/v1beta1/projects").await.0, 401);
    let config = get(&address, "/v1beta1/system/public-server-config").await;
    assert_eq!(config, (200, r#"{"adminAccountEnabled":false,"skipAuth":false}"#.to_owned()));
    api.signal("-TERM").await;
    // It is about to stop, and still serves.
    assert_eq!(get(&address, "/healthz").await.0, 200);
    let (code, told) = api.ended().await;
    assert_eq!(code, Some(0), "{told}");
    kargo.stop().await.unwrap();
}
