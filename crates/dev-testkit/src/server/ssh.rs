//! Git over SSH: a real `sshd` on a free port, for the user who runs the test.

use std::{
    fs,
    net::SocketAddr,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};

use super::GitRepository;

const PLACES: [&str; 3] = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"];

/// Why there can be no SSH server here; `None` when there can. In CI a missing program fails the test instead.
pub fn missing_sshd() -> Option<String> {
    if sshd().is_some() {
        return None;
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "sshd is not installed");
    Some("skipped: sshd is not installed".to_owned())
}

fn sshd() -> Option<PathBuf> {
    PLACES.iter().map(PathBuf::from).find(|path| path.exists())
}

/// The server; it ends when this is dropped.
pub struct SshServer {
    root: tempfile::TempDir,
    port: u16,
    user: String,
    child: Child,
}

impl SshServer {
    /// Starts it with one host key and one key that may log in.
    pub async fn start() -> Result<Self> {
        let root = tempfile::tempdir()?;
        let directory = root.path();
        for key in ["host", "client"] {
            generate_key(&directory.join(key))?;
        }
        let authorized = directory.join("authorized_keys");
        fs::copy(directory.join("client.pub"), &authorized)?;
        fs::set_permissions(&authorized, fs::Permissions::from_mode(0o600))?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let config = directory.join("sshd_config");
        fs::write(&config, server_config(directory, port))?;
        // Debian's sshd wants this directory when it runs as root.
        let _ = fs::create_dir_all("/run/sshd");
        let child = Command::new(sshd().context("sshd is not installed")?)
            .args(["-D", "-e", "-f"])
            .arg(&config)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(directory.join("log"))?)
            .spawn()?;
        let user = Command::new("id").arg("-un").output()?.stdout;
        let user = String::from_utf8(user)?.trim().to_owned();
        let server = Self { root, port, user, child };
        server.wait().await?;
        Ok(server)
    }

    /// Creates an empty repository.
    pub fn repository(&self, name: &str) -> Result<GitRepository> {
        GitRepository::create(self.root.path().join(name))
    }

    /// The address of a repository, existing or not.
    pub fn url(&self, name: &str) -> String {
        format!("ssh://{}@127.0.0.1:{}{}/{name}", self.user, self.port, self.root.path().display())
    }

    /// Host and port.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// The private key that may log in.
    pub fn client_key(&self) -> Result<String> {
        Ok(fs::read_to_string(self.root.path().join("client"))?)
    }

    /// A private key that nobody knows.
    pub fn stranger_key(&self) -> Result<String> {
        let path = self.root.path().join("stranger");
        generate_key(&path)?;
        Ok(fs::read_to_string(path)?)
    }

    /// The server's line of a `known_hosts` file.
    pub fn known_host(&self) -> Result<String> {
        let key = fs::read_to_string(self.root.path().join("host.pub"))?;
        Ok(format!("[127.0.0.1]:{} {}", self.port, key))
    }

    /// What the server logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.root.path().join("log")).unwrap_or_default()
    }

    async fn wait(&self) -> Result<()> {
        let start = Instant::now();
        while tokio::net::TcpStream::connect(("127.0.0.1", self.port)).await.is_err() {
            if start.elapsed() > Duration::from_secs(10) {
                bail!("sshd did not start: {}", self.log());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }
}

impl Drop for SshServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn generate_key(path: &Path) -> Result<()> {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(path)
        .status()?;
    ensure!(made.success(), "ssh-keygen failed");
    Ok(())
}

fn server_config(directory: &Path, port: u16) -> String {
    let directory = directory.display();
    format!(
        "ListenAddress 127.0.0.1\nPort {port}\nHostKey {directory}/host\nAuthorizedKeysFile {directory}/authorized_keys\n\
         PidFile none\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nStrictModes no\n\
         AcceptEnv GIT_PROTOCOL\nPermitRootLogin yes\n"
    )
}
