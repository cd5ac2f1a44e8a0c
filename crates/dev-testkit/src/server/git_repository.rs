//! A bare repository on disk, written with plain `git`.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};

/// The time of the first commit a test makes; each further one is a minute later.
const EPOCH: u64 = 1_700_000_000;

/// A repository that a server offers and a test writes to.
#[derive(Clone, Debug)]
pub struct GitRepository {
    path: PathBuf,
}

impl GitRepository {
    /// Creates an empty bare repository whose `HEAD` is the unborn `main`.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let repository = Self { path };
        run(
            Command::new("git")
                .args(["init", "--quiet", "--bare", "--initial-branch=main"])
                .arg(&repository.path),
            "",
        )?;
        repository.git(&["config", "uploadpack.allowFilter", "true"])?;
        repository.git(&["config", "uploadpack.allowAnySHA1InWant", "true"])?;
        Ok(repository)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `git` in it and returns what it printed.
    pub fn git(&self, arguments: &[&str]) -> Result<String> {
        self.git_with(arguments, "")
    }

    /// The same, with input.
    pub fn git_with(&self, arguments: &[&str], input: &str) -> Result<String> {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.path).args(arguments);
        let time = format!("{EPOCH} +0000");
        for (name, value) in [
            ("GIT_AUTHOR_NAME", "Test"),
            ("GIT_AUTHOR_EMAIL", "test@example.com"),
            ("GIT_AUTHOR_DATE", &time),
            ("GIT_COMMITTER_NAME", "Test"),
            ("GIT_COMMITTER_EMAIL", "test@example.com"),
            ("GIT_COMMITTER_DATE", &time),
        ] {
            command.env(name, value);
        }
        run(&mut command, input)
    }

    /// Adds a commit to a branch that changes `files` (path and content), and returns its id.
    pub fn commit(&self, branch: &str, message: &str, files: &[(&str, &str)]) -> Result<String> {
        let tip =
            self.git(&["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}")]).ok();
        let count = match &tip {
            Some(tip) => self.git(&["rev-list", "--count", tip])?.parse::<u64>()?,
            None => 0,
        };
        let mut stream = header(branch, message, EPOCH + 60 * count);
        if let Some(tip) = tip {
            stream.extend(["from ", &tip, "\n"]);
        }
        for (path, content) in files {
            let size = content.len().to_string();
            stream.extend(["M 100644 inline ", path, "\ndata ", &size, "\n", content, "\n"]);
        }
        self.fast_import(stream.as_bytes())?;
        self.git(&["rev-parse", &format!("refs/heads/{branch}")])
    }

    /// Gives a branch a linear history of `count` commits, each of which changes one of a hundred files.
    pub fn grow(&self, branch: &str, count: u64) -> Result<String> {
        let mut stream = Vec::new();
        for number in 0..count {
            let message = format!("change {number}");
            let text = header(branch, &message, EPOCH + 60 * number);
            let content = format!("{number}");
            write!(
                stream,
                "{text}M 100644 inline apps/app{}/config.yaml\ndata {}\n{content}\n",
                number % 100,
                content.len()
            )?;
        }
        self.fast_import(&stream)?;
        self.git(&["rev-parse", &format!("refs/heads/{branch}")])
    }

    fn fast_import(&self, stream: &[u8]) -> Result<()> {
        let mut child = Command::new("git")
            .arg("-C")
            .arg(&self.path)
            .args(["fast-import", "--quiet", "--force"])
            .stdin(Stdio::piped())
            .spawn()?;
        child.stdin.take().context("git fast-import has no input")?.write_all(stream)?;
        ensure!(child.wait()?.success(), "git fast-import failed");
        Ok(())
    }
}

fn header(branch: &str, message: &str, seconds: u64) -> String {
    format!(
        "commit refs/heads/{branch}\nauthor Ada <ada@example.com> {seconds} +0200\n\
         committer Test <test@example.com> {seconds} +0000\ndata {}\n{message}\n",
        message.len()
    )
}

fn run(command: &mut Command, input: &str) -> Result<String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("git could not be run")?;
    child.stdin.take().context("git has no input")?.write_all(input.as_bytes())?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "git failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
