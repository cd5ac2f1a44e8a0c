//! A `kargo up` of one's own.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

use crate::{Client, Kubeconfig};

/// How to start it.
#[derive(Clone, Debug, Default)]
pub struct UpOptions {
    /// The binary; otherwise the one that [`binary`] finds.
    pub binary: Option<PathBuf>,
    /// Further arguments.
    pub arguments: Vec<String>,
    /// Variables to set.
    pub environment: Vec<(String, String)>,
}

/// A running `kargo up`; killed when dropped.
pub struct Kargo {
    child: Child,
    kubeconfig: Kubeconfig,
}

/// The binary under test: `KARGO_BIN`, else the newest of the release and debug builds.
pub fn binary() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("KARGO_BIN") {
        return Ok(path.into());
    }
    let target = crate::repository().join("target");
    let built = ["release", "debug"].map(|profile| target.join(profile).join("kargo"));
    built
        .into_iter()
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .max()
        .map(|(_, path)| path)
        .context("no kargo binary: run `make build` first, or set KARGO_BIN")
}

impl Kargo {
    /// Starts on `data_dir` and a free port, and waits until it is ready.
    pub async fn up(data_dir: &Path, options: &UpOptions) -> Result<Self> {
        let data_dir_text = data_dir.display().to_string();
        let place = ["--kube-port", "0", "--data-dir", &data_dir_text];
        let child = start(&place, options).await?;
        let kubeconfig = Kubeconfig::read(&data_dir.join("admin.kubeconfig"))?;
        Ok(Self { child, kubeconfig })
    }

    /// Starts on the cluster of a kubeconfig, with webhooks on a free port, and waits until it is ready.
    pub async fn up_on(kubeconfig: &Path, options: &UpOptions) -> Result<Self> {
        let file = kubeconfig.display().to_string();
        let child = start(&["--webhook-port", "0", "--kubeconfig", &file], options).await?;
        Ok(Self { child, kubeconfig: Kubeconfig::read(kubeconfig)? })
    }

    /// The administrator's kubeconfig.
    pub fn kubeconfig(&self) -> &Kubeconfig {
        &self.kubeconfig
    }

    /// A client with the administrator's credentials.
    pub fn client(&self) -> Result<Client> {
        Client::new(&self.kubeconfig)
    }

    /// The process id.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Whether it has ended by itself, and with which exit code.
    pub fn has_ended(&mut self) -> Result<Option<Option<i32>>> {
        Ok(self.child.try_wait()?.map(|status| status.code()))
    }

    /// SIGKILL, and waits until the process is gone.
    pub async fn kill(mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    /// SIGTERM, and waits for the exit code.
    pub async fn stop(mut self) -> Result<Option<i32>> {
        let pid = self.child.id().context("already gone")?;
        Command::new("kill").args(["-TERM", &pid.to_string()]).status().await?;
        let status = tokio::time::timeout(Duration::from_secs(20), self.child.wait()).await??;
        Ok(status.code())
    }
}

/// Starts `kargo up` with these arguments and those of `options`, and waits until it says what to type next.
async fn start(arguments: &[&str], options: &UpOptions) -> Result<Child> {
    let program = options.binary.clone().map_or_else(binary, Ok)?;
    let mut child = Command::new(program)
        .arg("up")
        .args(arguments)
        .args(&options.arguments)
        .env("LOG_LEVEL", "error")
        // No test is to log the user's command line in to itself.
        .env("XDG_STATE_HOME", std::env::temp_dir().join("kargo-testkit-state"))
        .envs(options.environment.iter().cloned())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let stdout = child.stdout.take().context("no stdout")?;
    let mut lines = BufReader::new(stdout).lines();
    let ready = async {
        while let Some(line) = lines.next_line().await? {
            if line.contains("export KUBECONFIG=") {
                return Ok(());
            }
        }
        bail!("kargo up ended before it was ready")
    };
    tokio::time::timeout(Duration::from_mins(1), ready)
        .await
        .context("kargo up is not ready")??;
    // The pipe must stay drained, or the process blocks on its own words.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Ok(child)
}
