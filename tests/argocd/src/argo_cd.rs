//! Argo CD as processes of our own: its application controller, its repo server, and a Redis server.
//!
//! All three are one program, which looks at the name it is called by.

use std::{
    net::TcpListener,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, Kubeconfig, repository};
use http::Method;
use serde_json::{Value, json};
use tokio::process::{Child, Command};

/// Where Argo CD and its Applications are.
pub(crate) const NAMESPACE: &str = "argocd";
const NAMES: [&str; 3] =
    ["argocd-application-controller", "argocd-repo-server", "argocd-git-ask-pass"];
/// How many lines of a log help a person.
const LINES: usize = 20;

/// A running Argo CD; killed when dropped.
pub(crate) struct ArgoCd {
    #[expect(dead_code, reason = "held for their drop")]
    processes: Vec<Child>,
    log: PathBuf,
}

impl ArgoCd {
    /// Installs it in a cluster and starts it.
    pub(crate) async fn start(
        directory: &Path,
        kubeconfig: &Kubeconfig,
        client: &Client,
    ) -> Result<Self> {
        let program = program().await?;
        install(client, program.parent().context("a program lies in a folder")?).await?;
        let place = Place::create(directory, &program, &kubeconfig.path)?;
        let (redis, repo_server) = (free_port()?, free_port()?);
        let redis_address = format!("127.0.0.1:{redis}");
        let repo_server_address = format!("127.0.0.1:{repo_server}");
        let (redis, repo_server) = (redis.to_string(), repo_server.to_string());
        let processes = vec![
            place
                .start("redis-server", &["--port", &redis, "--bind", "127.0.0.1", "--save", ""])?,
            place.start(
                "argocd-repo-server",
                &[
                    "--disable-tls",
                    "--address=127.0.0.1",
                    "--metrics-address=127.0.0.1",
                    "--metrics-port=0",
                    "--port",
                    &repo_server,
                    "--redis",
                    &redis_address,
                ],
            )?,
            place.start(
                "argocd-application-controller",
                &[
                    "--namespace",
                    NAMESPACE,
                    "--metrics-port=0",
                    "--repo-server-plaintext",
                    "--repo-server",
                    &repo_server_address,
                    "--redis",
                    &redis_address,
                ],
            )?,
        ];
        Ok(Self { processes, log: place.log("argocd-application-controller") })
    }

    /// What the application controller complained about last.
    pub(crate) fn complaints(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let complaints = text.lines().filter(|line| !line.contains(r#""level":"info""#));
        let lines: Vec<&str> = complaints.collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    }
}

/// Where the processes keep what they need.
struct Place {
    directory: PathBuf,
    kubeconfig: PathBuf,
}

impl Place {
    fn create(directory: &Path, program: &Path, kubeconfig: &Path) -> Result<Self> {
        for folder in ["bin", "gnupg", "tls", "ssh", "work"] {
            std::fs::create_dir_all(directory.join(folder))?;
        }
        for name in NAMES {
            symlink(program, directory.join("bin").join(name))?;
        }
        Ok(Self { directory: directory.to_owned(), kubeconfig: kubeconfig.to_owned() })
    }

    fn log(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.log"))
    }

    fn start(&self, name: &str, arguments: &[&str]) -> Result<Child> {
        let folder = |name: &str| self.directory.join(name);
        let path = format!("{}:{}", folder("bin").display(), std::env::var("PATH")?);
        let log = std::fs::File::create(self.log(name))?;
        Command::new(name)
            .args(arguments)
            .current_dir(&self.directory)
            .env("PATH", path)
            .env("TMPDIR", folder("work"))
            .env("KUBECONFIG", &self.kubeconfig)
            .env("ARGOCD_FAKE_IN_CLUSTER", "true")
            .env("ARGOCD_GPG_ENABLED", "false")
            .env("ARGOCD_GNUPGHOME", folder("gnupg"))
            .env("ARGOCD_TLS_DATA_PATH", folder("tls"))
            .env("ARGOCD_SSH_DATA_PATH", folder("ssh"))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("start {name}: run `make argocd` first"))
    }
}

async fn program() -> Result<PathBuf> {
    let mut command = Command::new(repository().join("tools/build"));
    let output = command.args(["--print", "argocd"]).output().await?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8(output.stdout)?.trim().into())
}

/// Its kinds, its namespace, and the objects without which it does not work.
async fn install(client: &Client, folder: &Path) -> Result<()> {
    let kinds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    for file in std::fs::read_dir(folder.join("crds"))? {
        let headers = [("content-type", "application/yaml")];
        let text = std::fs::read_to_string(file?.path())?;
        let reply = client.send(Method::POST, kinds, &headers, text).await?;
        ensure!(reply.status.is_success(), "create kind of Argo CD: {}", reply.text());
    }
    let metadata =
        |name: &str| json!({"name": name, "labels": {"app.kubernetes.io/part-of": "argocd"}});
    let core = format!("/api/v1/namespaces/{NAMESPACE}");
    let projects = format!("/apis/argoproj.io/v1alpha1/namespaces/{NAMESPACE}/appprojects");
    create(
        client,
        "/api/v1/namespaces",
        json!({"kind": "Namespace", "metadata": {"name": NAMESPACE}}),
    )
    .await?;
    create(
        client,
        &format!("{core}/configmaps"),
        json!({"kind": "ConfigMap", "metadata": metadata("argocd-cm")}),
    )
    .await?;
    let secret = json!({"kind": "Secret", "metadata": metadata("argocd-secret"), "stringData": {"server.secretkey": "for tests alone"}});
    create(client, &format!("{core}/secrets"), secret).await?;
    let anything = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": metadata("default"),
        "spec": {
            "sourceRepos": ["*"],
            "destinations": [{"namespace": "*", "server": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    });
    let served = async || Ok(client.get(&projects).await?.status.is_success());
    dev_testkit::warehouse::eventually("the kinds of Argo CD are served", served).await?;
    create(client, &projects, anything).await
}

async fn create(client: &Client, path: &str, mut body: Value) -> Result<()> {
    if body["apiVersion"].is_null() {
        body["apiVersion"] = json!("v1");
    }
    client.create(path, &body).await.map(drop)
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
