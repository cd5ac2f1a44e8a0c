//! `kargo` as a command.

use std::{path::Path, process::Output};

use anyhow::{Result, ensure};
use tokio::process::Command;

/// A command with these arguments, which logs nothing: libraries log what fails, beside what a person is told.
pub(crate) fn kargo(arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(dev_testkit::binary()?);
    command.args(arguments).env("LOG_LEVEL", "discard").kill_on_drop(true);
    Ok(command)
}

/// Runs it, and expects that all goes well; returns what it printed.
pub(crate) async fn succeeds(arguments: &[&str]) -> Result<String> {
    let output = kargo(arguments)?.output().await?;
    let (printed, errors) = texts(&output);
    ensure!(output.status.success(), "kargo {}: {errors}{printed}", arguments.join(" "));
    Ok(printed)
}

/// Runs it, and expects that it ends with this code, in one line with these words and with a remedy.
pub(crate) async fn fails(arguments: &[&str], code: i32, words: &str) -> Result<()> {
    let output = kargo(arguments)?.output().await?;
    let (printed, errors) = texts(&output);
    let told =
        format!("kargo {}: {:?}: {errors}{printed}", arguments.join(" "), output.status.code());
    ensure!(output.status.code() == Some(code), "not {code}: {told}");
    ensure!(errors.contains(words), "{words:?} is missing: {told}");
    ensure!(
        errors.lines().count() == 2 && errors.contains("\nhint: "),
        "not one line and a hint: {told}"
    );
    Ok(())
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> String {
    path.display().to_string()
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}
