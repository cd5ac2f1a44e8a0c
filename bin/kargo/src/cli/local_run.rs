//! Runs Promotions on this machine: this program again, as `kargo run`.

use std::{io, process::Stdio};

use cli_client::BoxFuture;
use cli_verbs::ports::LocalRun;
use tokio::{io::AsyncWriteExt as _, process::Command};

/// This program.
pub(super) struct ThisProgram;

impl LocalRun for ThisProgram {
    fn preview(&self, manifests: String, form: &'static str) -> BoxFuture<'_, io::Result<bool>> {
        Box::pin(async move {
            let mut child = Command::new(std::env::current_exe()?)
                .args(["run", "--preview", "--output", form, "--file", "-"])
                .stdin(Stdio::piped())
                .spawn()?;
            if let Some(mut input) = child.stdin.take() {
                input.write_all(manifests.as_bytes()).await?;
            }
            Ok(child.wait().await?.success())
        })
    }
}
