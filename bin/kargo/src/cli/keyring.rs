//! The keyring of the system, by the program that comes with it: `secret-tool` of a Linux desktop, `security` of macOS.
//! Secrets go through pipes, never through arguments, which others on the machine can read.

use std::{
    io::{self, Write as _},
    process::{Command, Output, Stdio},
    sync::Arc,
};

use cli_verbs::ports::Keyring;
use core_clock::Environment;

const SERVICE: &str = "kargo";

/// The keyring, where there is one.
pub(super) fn of_system(environment: &dyn Environment) -> Option<Arc<dyn Keyring>> {
    if cfg!(target_os = "macos") {
        return Some(Arc::new(Keychain));
    }
    let has_desktop = environment.var("DBUS_SESSION_BUS_ADDRESS").is_some();
    let has_program = || {
        let path = environment.var("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join("secret-tool").is_file())
    };
    if has_desktop && has_program() { Some(Arc::new(SecretService)) } else { None }
}

/// That of GNOME, KDE and others.
struct SecretService;

impl SecretService {
    fn run(verb: &[&str], account: &str, input: &str) -> io::Result<Output> {
        let mut command = Command::new("secret-tool");
        command.args(verb).args(["service", SERVICE, "account", account]);
        piped(command, input)
    }
}

impl Keyring for SecretService {
    fn get(&self, account: &str) -> io::Result<Option<String>> {
        Ok(secret(&Self::run(&["lookup"], account, "")?))
    }

    fn set(&self, account: &str, secret: &str) -> io::Result<()> {
        let label = format!("--label=kargo {account}");
        done(&Self::run(&["store", &label], account, secret)?)
    }

    fn delete(&self, account: &str) -> io::Result<()> {
        done(&Self::run(&["clear"], account, "")?)
    }
}

/// That of macOS.
struct Keychain;

impl Keychain {
    /// Commands are read from the input, so that no secret is an argument.
    fn run(command_line: &str) -> io::Result<Output> {
        let mut command = Command::new("security");
        command.arg("-i");
        piped(command, command_line)
    }
}

impl Keyring for Keychain {
    fn get(&self, account: &str) -> io::Result<Option<String>> {
        let command = format!("find-generic-password -s {SERVICE} -a \"{account}\" -w\n");
        Ok(secret(&Self::run(&command)?))
    }

    fn set(&self, account: &str, secret: &str) -> io::Result<()> {
        let command =
            format!("add-generic-password -U -s {SERVICE} -a \"{account}\" -w \"{secret}\"\n");
        done(&Self::run(&command)?)
    }

    fn delete(&self, account: &str) -> io::Result<()> {
        done(&Self::run(&format!("delete-generic-password -s {SERVICE} -a \"{account}\"\n"))?)
    }
}

fn piped(mut command: Command, input: &str) -> io::Result<Output> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(input.as_bytes())?;
    }
    child.wait_with_output()
}

/// A secret that is not there is no mistake.
fn secret(output: &Output) -> Option<String> {
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

fn done(output: &Output) -> io::Result<()> {
    if output.status.success() { Ok(()) } else { Err(io::Error::other("the keyring refused")) }
}
