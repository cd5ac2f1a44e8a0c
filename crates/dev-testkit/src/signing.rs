//! Keys that sign commits.

use std::process::Command;

use anyhow::{Result, ensure};

/// A fresh private key of this user, armoured.
pub fn signing_key(user: &str) -> Result<String> {
    // The path of the agent's socket must be short.
    let home = tempfile::Builder::new().prefix("gpg-").tempdir_in("/tmp")?;
    let gpg = |arguments: &[&str]| {
        let mut command = Command::new("gpg");
        command.env("GNUPGHOME", home.path()).args(["--batch", "--quiet", "--passphrase", ""]);
        let output = command.args(["--pinentry-mode", "loopback"]).args(arguments).output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    };
    gpg(&["--quick-generate-key", user, "ed25519", "sign", "never"])?;
    let key = gpg(&["--armor", "--export-secret-keys"])?;
    Command::new("gpgconf").env("GNUPGHOME", home.path()).args(["--kill", "all"]).status()?;
    Ok(key)
}
