//! Signatures by GPG.
//!
//! The key is imported into a keyring of its own for each use, in a private directory that goes with it. Nothing stale can
//! be in the way, whatever killed an earlier use: no agent, no lock, no socket.

use std::{path::Path, time::Duration};

use core_rules::credential::Secret;
use io_exec::{Command, Input, Limits, Output, Redactor, WorkDir};

use super::error::WorkError;
use crate::{context::Context, error::remote_words};

/// The longest directory in which gpg-agent can make its socket.
const MAX_HOME: usize = 80;
const SHORT_PLACE: &str = "/tmp";
const DEADLINE: Duration = Duration::from_mins(1);
const MAX_OUTPUT: usize = 64 << 10;

/// Only our own key is in the ring, so it may be trusted; nobody is there to be asked for a passphrase.
const CONFIGURATION: &[u8] =
    b"batch\nno-tty\ntrust-model always\npinentry-mode loopback\nno-auto-check-trustdb\ndisable-dirmngr\n";

/// A keyring with one private key.
pub(crate) struct Keyring {
    home: WorkDir,
    fingerprint: String,
    redactor: Redactor,
}

impl Keyring {
    /// Imports an armoured private key.
    pub(crate) async fn open(cx: &Context, key: &Secret) -> Result<Self, WorkError> {
        let local = |error| WorkError::local("the keyring could not be made", &error);
        let work = cx.work();
        let place = if work.as_os_str().len() > MAX_HOME { Path::new(SHORT_PLACE) } else { &work };
        let home = WorkDir::create(place, "gpg-").map_err(local)?;
        home.write_private("gpg.conf", CONFIGURATION).map_err(local)?;
        let mut ring = Self { home, fingerprint: String::new(), redactor: Redactor::new([key]) };
        let import = ring
            .gpg(cx, "gpg --import")
            .args(["--status-fd", "1", "--import"])
            .input(Input::Bytes(key.expose().as_bytes().to_owned()))
            .output(Output::Capture(MAX_OUTPUT));
        let imported = cx.exec.run(import).await.map_err(|error| failed(&error))?;
        ring.fingerprint =
            fingerprint(&String::from_utf8_lossy(&imported.stdout)).ok_or_else(|| {
                WorkError::Signing { reason: "it holds no private key in armoured form".to_owned() }
            })?;
        Ok(ring)
    }

    /// A detached signature of `text`, armoured.
    pub(crate) async fn sign(&self, cx: &Context, text: &str) -> Result<String, WorkError> {
        let command = self
            .gpg(cx, "gpg --detach-sign")
            .args(["--detach-sign", "--armor", "--local-user", &self.fingerprint])
            .input(Input::Bytes(text.as_bytes().to_owned()))
            .output(Output::Capture(MAX_OUTPUT));
        let signed = cx.exec.run(command).await.map_err(|error| failed(&error))?;
        Ok(String::from_utf8_lossy(&signed.stdout).into_owned())
    }

    /// A `git` that signs its commits with this key, and knows its signatures.
    pub(crate) fn equip(&self, command: Command) -> Command {
        command
            .args(["-c", "commit.gpgSign=true", "-c", "gpg.program=gpg", "-c"])
            .args([format!("user.signingKey={}", self.fingerprint)])
            .env("GNUPGHOME", self.home.path())
    }

    /// Ends the agent that gpg started, and removes the keyring.
    pub(crate) async fn close(self, cx: &Context) {
        let command = cx
            .command("gpgconf", "gpgconf")
            .args(["--kill", "gpg-agent"])
            .env("GNUPGHOME", self.home.path())
            .limits(limits());
        // An agent that stays ends when it finds its directory gone.
        let _ = cx.exec.run(command).await;
    }

    fn gpg(&self, cx: &Context, name: &'static str) -> Command {
        cx.command(name, "gpg")
            .env("GNUPGHOME", self.home.path())
            .env("HOME", self.home.path())
            .limits(limits())
            .redact(self.redactor.clone())
    }
}

fn limits() -> Limits {
    Limits { deadline: Some(DEADLINE), idle: None }
}

/// The key of `[GNUPG:] IMPORT_OK <flags> <fingerprint>` whose flags say that it has a private part.
fn fingerprint(status: &str) -> Option<String> {
    status.lines().find_map(|line| {
        let mut words = line.strip_prefix("[GNUPG:] IMPORT_OK ")?.split_whitespace();
        let flags: u32 = words.next()?.parse().ok()?;
        let fingerprint = words.next()?;
        (flags & 16 != 0).then(|| fingerprint.to_owned())
    })
}

fn failed(error: &io_exec::Error) -> WorkError {
    let reason = match error {
        io_exec::Error::Failed { stderr, .. } => remote_words(stderr),
        io_exec::Error::Start { source, .. } => {
            format!("gpg could not be started ({source}): is it installed?")
        }
        _ => error.to_string(),
    };
    WorkError::Signing { reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_private_key_counts() {
        let status =
            "[GNUPG:] KEY_CONSIDERED AB 0\n[GNUPG:] IMPORT_OK 1 AB\n[GNUPG:] IMPORT_OK 17 CD\n";
        assert_eq!(fingerprint(status).as_deref(), Some("CD"));
        assert_eq!(fingerprint("[GNUPG:] IMPORT_OK 1 AB\n"), None);
        assert_eq!(fingerprint("[GNUPG:] IMPORT_OK x"), None);
    }
}
