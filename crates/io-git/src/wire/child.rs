//! Refs through a child process: one `ssh`, or upload-pack itself for a local directory.

use std::{path::Path, time::Duration};

use core_clock::Clock;
use io_exec::{Command, Input, Limits, Output, Running};
use tokio::{io::AsyncWriteExt, process::ChildStdin};

use super::{
    advertisement::{self, Advertisement},
    connection::Connection,
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
/// How long a program may take to end once it has nothing more to do.
const GRACE: Duration = Duration::from_secs(5);

/// Lists over SSH. The connection stays open for as long as the listing is held, because a fetch may follow.
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
        .args(["-T", "-o", "SendEnv=GIT_PROTOCOL", "-o", "ControlMaster=yes", SshLogin::HOST])
        .args([format!("git-upload-pack {}", quoted(&ssh.path))])
        .env("GIT_PROTOCOL", "version=2");
    let (mut refs, conversation) = list(cx, target, command, prefixes).await?;
    refs.server.connection = Some(Connection::keep(cx, login, conversation));
    Ok(refs)
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
    let (refs, conversation) = list(cx, target, command, prefixes).await?;
    conversation.end(&*cx.clock).await;
    Ok(refs)
}

async fn list(
    cx: &Context,
    target: &Target,
    command: Command,
    prefixes: &[String],
) -> Result<(Refs, Conversation), Error> {
    let conversation = Conversation::start(cx, target, command)?;
    let after = cx.settings.list_deadline;
    tokio::select! {
        listed = conversation.list(cx, target, prefixes) => listed,
        () = cx.clock.sleep(after) => {
            Err(Error::Deadline { repository: target.to_string(), after })
        }
    }
}

/// A program that speaks for a repository. Dropping it ends the program.
pub(super) struct Conversation {
    running: Running,
    stdin: ChildStdin,
    packets: Packets,
}

impl Conversation {
    fn start(cx: &Context, target: &Target, command: Command) -> Result<Self, Error> {
        let command = command
            .input(Input::Stream)
            .output(Output::Stream)
            .limits(Limits::default())
            .redact(io_exec::Redactor::new(target.secrets()));
        let started = cx.exec.start(command);
        let mut running = started.map_err(|error| classify::failure(&error, target))?;
        let (Some(stdin), Some(stdout)) = (running.stdin.take(), running.stdout.take()) else {
            return Err(Error::Local { what: "ssh has no pipes", reason: String::new() });
        };
        let limit = cx.settings.max_listing_bytes;
        let packets =
            Packets::new(Incoming::Child(stdout), limit, target.host(), target.to_string());
        Ok(Self { running, stdin, packets })
    }

    async fn list(
        mut self,
        cx: &Context,
        target: &Target,
        prefixes: &[String],
    ) -> Result<(Refs, Self), Error> {
        match talk(cx, &mut self.stdin, &mut self.packets, prefixes).await {
            Ok(refs) => Ok((refs, self)),
            // The stream ended early: what the program printed tells why.
            Err(Error::Protocol { host, reason }) => {
                drop((self.stdin, self.packets));
                match self.running.finish().await {
                    Err(error) => Err(classify::failure(&error, target)),
                    Ok(_) => Err(Error::Protocol { host, reason }),
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Says good-bye, and waits a little for the program to end by itself.
    pub(super) async fn end(mut self, clock: &dyn Clock) {
        // "Nothing more": the server ends in good order.
        let _ = self.stdin.write_all(FLUSH).await;
        drop((self.stdin, self.packets));
        tokio::select! {
            // All it had to say was heard; how it ends changes nothing.
            _ = self.running.finish() => {}
            () = clock.sleep(GRACE) => {}
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
