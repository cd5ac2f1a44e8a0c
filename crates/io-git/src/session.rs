//! The login of one operation: what `git` and `ssh` are told, in a private directory that goes with it.
//!
//! Secrets reach programs through files that only we can read and through their environment, never through arguments or
//! URLs. `git` is pinned to addresses that were checked, follows no redirect, runs no hook and asks nobody.

use std::{fs, net::IpAddr, path::PathBuf};

use core_rules::credential::{Credential, Secret};
use io_exec::{Command, Redactor, WorkDir};
use io_http::outbound;
use url::Url;

use crate::{
    context::Context,
    error::Error,
    refs::Server,
    remote::{Address, Target},
    ssh_login::{self, SshLogin},
};

/// Prints the credential that its environment holds, when git asks for it.
const HELPER: &str = r#"!f() { test "$1" = get && printf 'username=%s\npassword=%s\n' "$KARGO_GIT_USERNAME" "$KARGO_GIT_PASSWORD"; }; f"#;

/// Where distributions keep the machine's trusted certificates.
const MACHINE_CERTIFICATES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// Everything `git` needs to reach one repository once.
pub(crate) struct Session {
    home: WorkDir,
    /// The repository's address as git is told it.
    url: String,
    config: Vec<(String, String)>,
    environment: Vec<(&'static str, String)>,
    secrets: Vec<Secret>,
}

impl Session {
    pub(crate) async fn open(
        cx: &Context,
        target: &Target,
        server: &Server,
    ) -> Result<Self, Error> {
        let mut session = Self {
            home: home(cx)?,
            url: String::new(),
            config: Vec::new(),
            environment: Vec::new(),
            secrets: target.secrets().cloned().into_iter().collect(),
        };
        match &target.address {
            Address::Http(asked) => {
                let url = server.moved_to.as_ref().unwrap_or(asked);
                session.http(cx, target, url).await?;
                // A credential stays with the server it was given for.
                if url.origin() == asked.origin() {
                    session.password(target, url);
                }
            }
            Address::Ssh(ssh) => {
                let config = match &server.connection {
                    Some(connection) => connection.config().to_owned(),
                    None => ssh_login::write(cx, target, ssh, &session.home).await?,
                };
                let config = shell_word(&config.to_string_lossy());
                session.environment.push(("GIT_SSH_COMMAND", format!("ssh -F {config}")));
                session.environment.push(("GIT_SSH_VARIANT", "ssh".to_owned()));
                session.url = format!("{}:{}", SshLogin::HOST, ssh.path);
            }
            Address::File(path) => session.url = path.to_string_lossy().into_owned(),
        }
        let url = session.url.clone();
        session.configure("remote.origin.url", url);
        Ok(session)
    }

    /// `git`, as this session may use it.
    pub(crate) fn git(&self, cx: &Context, name: &'static str) -> Command {
        let mut command = harmless(cx.command(name, "git")).env("HOME", self.home.path());
        let protocols =
            if cx.settings.allow_local { "http:https:ssh:file" } else { "http:https:ssh" };
        command = command.env("GIT_ALLOW_PROTOCOL", protocols);
        for (name, value) in &self.environment {
            command = command.env(name, value);
        }
        with_config(command, &self.config).redact(Redactor::new(&self.secrets))
    }

    /// Where git may write which programs it runs; gone with the session.
    pub(crate) fn trace(&self) -> PathBuf {
        self.home.path().join("trace")
    }

    fn configure(&mut self, key: impl Into<String>, value: impl Into<String>) {
        self.config.push((key.into(), value.into()));
    }

    async fn http(&mut self, cx: &Context, target: &Target, url: &Url) -> Result<(), Error> {
        self.url = url.to_string();
        self.configure("http.followRedirects", "false");
        // A backup for the case that nobody is left to watch.
        self.configure("http.lowSpeedLimit", "1");
        self.configure("http.lowSpeedTime", cx.settings.stall.as_secs().max(1).to_string());
        if let Some(pin) = pin(cx, url).await? {
            self.configure("http.curloptResolve", pin);
        }
        if target.tls.insecure_skip_verify {
            self.configure("http.sslVerify", "false");
        } else if let Some(authority) = &target.tls.ca_pem {
            let bundle = format!("{}\n{authority}\n", machine_certificates(cx));
            let file = self.home.write_private("authorities.pem", bundle.as_bytes());
            let file = file.map_err(|error| Error::local("a file could not be written", &error))?;
            self.configure("http.sslCAInfo", file.to_string_lossy());
        }
        Ok(())
    }

    fn password(&mut self, target: &Target, url: &Url) {
        let Some(Credential::Basic { username, password }) = &target.credential else { return };
        let server = url.origin().ascii_serialization();
        self.configure(format!("credential.{server}.helper"), HELPER);
        self.environment.push(("KARGO_GIT_USERNAME", username.clone()));
        self.environment.push(("KARGO_GIT_PASSWORD", password.expose().to_owned()));
    }
}

/// What holds for every `git` we run: no prompt, no hook, no other configuration, no housekeeping of its own.
pub(crate) fn harmless(command: Command) -> Command {
    let command = command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ASKPASS", "");
    command.args([
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "gc.auto=0",
        "-c",
        "maintenance.auto=false",
        "-c",
        "protocol.version=2",
        "-c",
        "submodule.recurse=false",
    ])
}

/// Settings through the environment: arguments can be read by everybody.
fn with_config(command: Command, config: &[(String, String)]) -> Command {
    let command = command.env("GIT_CONFIG_COUNT", config.len().to_string());
    config.iter().enumerate().fold(command, |command, (index, (key, value))| {
        command
            .env(format!("GIT_CONFIG_KEY_{index}"), key)
            .env(format!("GIT_CONFIG_VALUE_{index}"), value)
    })
}

/// The addresses git must use for this host. Behind a proxy the name may mean nothing here, and the proxy decides.
async fn pin(cx: &Context, url: &Url) -> Result<Option<String>, Error> {
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return Ok(None);
    };
    let addresses = match cx.addresses(host, port).await {
        Ok(addresses) => addresses,
        Err(Error::Transport(outbound::Error::Name { .. })) if is_proxied(cx, url) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok() {
        return Ok(None);
    }
    let list = addresses.iter().map(|address| match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => format!("[{v6}]"),
    });
    Ok(Some(format!("{host}:{port}:{}", list.collect::<Vec<_>>().join(","))))
}

fn is_proxied(cx: &Context, url: &Url) -> bool {
    let name = format!("{}_proxy", url.scheme());
    cx.inherited(&name).or_else(|| cx.inherited(&name.to_uppercase())).is_some()
}

fn machine_certificates(cx: &Context) -> String {
    let named = cx.inherited("SSL_CERT_FILE").map(str::to_owned);
    let places = named.into_iter().chain(MACHINE_CERTIFICATES.iter().map(|&path| path.to_owned()));
    places.map(fs::read_to_string).find_map(Result::ok).unwrap_or_default()
}

/// A private directory for one operation.
pub(crate) fn home(cx: &Context) -> Result<WorkDir, Error> {
    WorkDir::create(&cx.work(), "git-")
        .map_err(|error| Error::local("a work directory could not be created", &error))
}

fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
