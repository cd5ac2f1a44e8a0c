//! Refs through a child process: one `ssh`, or upload-pack itself for a local directory.

use std::path::Path;

use io_exec::{Command, Input, Limits, Output};
use tokio::{io::AsyncWriteExt, process::ChildStdin};

use super::{
    advertisement::{self, Advertisement},
    ls_refs::{self, Listing},
    packets::{Incoming, Packets},
    to_refs,
};
use crate::{
    classify,
    context::Context,
    error::Error,
    refs::Refs,
    remote::{SshAddress, Target},
    ssh_login::SshLogin,
};

const FLUSH: &[u8] = b"0000";

/// Lists over SSH.
pub(super) async fn list_over_ssh(
    cx: &Context,
    target: &Target,
    ssh: &SshAddress,
    prefixes: &[String],
) -> Result<Refs, Error> {
    let login = SshLogin::open(cx, target, ssh).await?;
    let command = cx
        .command("ssh", "ssh")
        .args(["-F"])
        .args([login.config()])
        .args(["-T", "-o", "SendEnv=GIT_PROTOCOL", SshLogin::HOST])
        .args([format!("git-upload-pack {}", quoted(&ssh.path))])
        .env("GIT_PROTOCOL", "version=2");
    converse(cx, target, command, prefixes).await
}

/// Lists a directory of our own disk.
pub(super) async fn list_local(
    cx: &Context,
    target: &Target,
    path: &Path,
    prefixes: &[String],
) -> Result<Refs, Error> {
    let command = cx
        .command("git upload-pack", "git")
        .args(["upload-pack"])
        .args([path])
        .env("GIT_PROTOCOL", "version=2")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    converse(cx, target, command, prefixes).await
}

async fn converse(
    cx: &Context,
    target: &Target,
    command: Command,
    prefixes: &[String],
) -> Result<Refs, Error> {
    let limits = Limits { deadline: Some(cx.settings.list_deadline), idle: None };
    let command = command
        .input(Input::Stream)
        .output(Output::Stream)
        .limits(limits)
        .redact(io_exec::Redactor::new(target.secrets()));
    let failed = |error: &io_exec::Error| classify::failure(error, target);
    let mut running = cx.exec.start(command).map_err(|error| failed(&error))?;
    let (Some(mut stdin), Some(stdout)) = (running.stdin.take(), running.stdout.take()) else {
        return Err(Error::Local { what: "ssh has no pipes", reason: String::new() });
    };
    let limit = cx.settings.max_listing_bytes;
    let mut packets =
        Packets::new(Incoming::Child(stdout), limit, target.host(), target.to_string());
    let talked = talk(cx, &mut stdin, &mut packets, prefixes).await;
    match talked {
        // The stream ended early: what the program printed tells why.
        Err(Error::Protocol { host, reason }) => {
            drop((stdin, packets));
            match running.finish().await {
                Err(error) => Err(failed(&error)),
                Ok(_) => Err(Error::Protocol { host, reason }),
            }
        }
        Err(error) => Err(error),
        Ok(refs) => {
            drop((stdin, packets));
            // The answer is complete; how the program ends changes nothing.
            let _ = running.finish().await;
            Ok(refs)
        }
    }
}

async fn talk(
    cx: &Context,
    stdin: &mut ChildStdin,
    packets: &mut Packets,
    prefixes: &[String],
) -> Result<Refs, Error> {
    let max_refs = cx.settings.max_refs;
    let (capabilities, listing) = match advertisement::read(packets, max_refs).await? {
        Advertisement::Capabilities(capabilities) => {
            send(packets, stdin, &ls_refs::request(&capabilities, prefixes)).await?;
            let listing = ls_refs::read(packets, prefixes, max_refs).await?;
            (capabilities, listing)
        }
        Advertisement::Refs(capabilities, refs) => {
            let head = capabilities.head().map(str::to_owned);
            (capabilities, Listing { refs, head })
        }
    };
    // "Nothing more": the server ends in good order.
    let _ = send(packets, stdin, FLUSH).await;
    Ok(to_refs(&capabilities, listing, prefixes, None))
}

async fn send(packets: &Packets, stdin: &mut ChildStdin, bytes: &[u8]) -> Result<(), Error> {
    stdin.write_all(bytes).await.map_err(|_| packets.protocol("it broke off"))
}

/// A word for the shell at the other end.
fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_path_cannot_leave_its_quotes() {
        assert_eq!(super::quoted("/a b"), "'/a b'");
        assert_eq!(super::quoted("x';id;'"), r"'x'\'';id;'\'''");
    }
}
