//! A login over SSH: a configuration for `ssh` that knows one host, one key and nothing of the user we run as, unless
//! that is a person who lends us the agent.
//!
//! The host is dialled by an address that was checked, while its key is looked up under its name.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use core_rules::credential::Credential;
use io_exec::WorkDir;

use crate::{
    context::Context,
    error::Error,
    remote::{SshAddress, Target},
    session::home,
    settings::SshUser,
};

/// How long the path of a socket may be, less what ssh appends while it makes one.
const MAX_SOCKET_PATH: usize = 85;

/// The files of one login; gone when it is dropped.
pub(crate) struct SshLogin {
    // Removed with the key when the login ends.
    _home: WorkDir,
    config: PathBuf,
}

impl SshLogin {
    /// The name the configuration gives the one host it knows.
    pub(crate) const HOST: &'static str = "remote";

    pub(crate) async fn open(
        cx: &Context,
        target: &Target,
        ssh: &SshAddress,
    ) -> Result<Self, Error> {
        let home = home(cx)?;
        let config = write(cx, target, ssh, &home).await?;
        Ok(Self { _home: home, config })
    }

    pub(crate) fn config(&self) -> &Path {
        &self.config
    }
}

/// Writes key and configuration into `home`, and returns where the configuration is.
pub(crate) async fn write(
    cx: &Context,
    target: &Target,
    ssh: &SshAddress,
    home: &WorkDir,
) -> Result<PathBuf, Error> {
    let port = ssh.port.unwrap_or(22);
    let addresses = cx.addresses(&ssh.host, port).await?;
    let address = addresses.first().map_or_else(|| ssh.host.clone(), ToString::to_string);
    let local = |error| Error::local("the ssh configuration could not be written", &error);
    let key = match &target.credential {
        Some(Credential::SshKey(key)) => {
            let text = format!("{}\n", key.expose().replace('\r', "").trim_end());
            let file = home.write_private("key", text.as_bytes()).map_err(local)?;
            format!("\"{}\"", file.display())
        }
        _ => "none".to_owned(),
    };
    let is_keyless = !matches!(target.credential, Some(Credential::SshKey(_)));
    let user = cx.settings.ssh_user.as_ref().filter(|_| is_keyless);
    let text = ssh_config(cx, ssh, user, &address, &key, &control_path(home.path()));
    home.write_private("ssh_config", text.as_bytes()).map_err(local)
}

/// Where a log-in can be shared; nowhere when no socket could have such a long name.
fn control_path(home: &Path) -> String {
    let path = home.join("control").display().to_string();
    if path.len() > MAX_SOCKET_PATH {
        return "none".to_owned();
    }
    format!("\"{}\"", path.replace('%', "%%"))
}

/// The files of host keys: ours, to which new ones are added, and the one of the user.
fn known_hosts(root: &Path, user: Option<&SshUser>) -> String {
    let ours = quoted(&root.join("known_hosts"));
    match user.and_then(|user| user.known_hosts.as_deref()) {
        Some(theirs) => format!("{ours} {}", quoted(theirs)),
        None => ours,
    }
}

/// A path as one word, in which `ssh` finds nothing to fill in.
fn quoted(path: &Path) -> String {
    format!("\"{}\"", path.display().to_string().replace('%', "%%"))
}

fn ssh_config(
    cx: &Context,
    ssh: &SshAddress,
    user: Option<&SshUser>,
    address: &str,
    key: &str,
    control_path: &str,
) -> String {
    let port = ssh.port.unwrap_or(22);
    let alias = if port == 22 { ssh.host.clone() } else { format!("[{}]:{port}", ssh.host) };
    let (known, checking) = match &cx.settings.known_hosts {
        Some(file) => (quoted(file), "yes"),
        None => (known_hosts(&cx.settings.root, user), "accept-new"),
    };
    let agent = user.and_then(|user| user.agent.as_deref());
    let (agent, only_files) =
        agent.map_or_else(|| ("none".to_owned(), "yes"), |socket| (quoted(socket), "no"));
    let mut text = format!(
        "Host *\nHostName {address}\nPort {port}\nHostKeyAlias {alias}\nIdentityFile {key}\n\
         IdentityAgent {agent}\nIdentitiesOnly {only_files}\nUserKnownHostsFile {known}\n\
         StrictHostKeyChecking {checking}\nControlPath {control_path}\n"
    );
    if let Some(user) = &ssh.user {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "User {user}");
    }
    text.push_str(
        "GlobalKnownHostsFile none\nBatchMode yes\n\
         PasswordAuthentication no\nKbdInteractiveAuthentication no\nConnectTimeout 30\n\
         ServerAliveInterval 15\nServerAliveCountMax 4\nForwardAgent no\nForwardX11 no\n\
         ClearAllForwardings yes\nPermitLocalCommand no\nControlMaster no\nControlPersist no\n\
         UpdateHostKeys no\nLogLevel ERROR\n",
    );
    text
}
