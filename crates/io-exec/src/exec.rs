//! Starts commands and hands out what the caller needs of them while they run.

use std::{process::Stdio, sync::Arc, time::Duration};

use core_clock::{Clock, Tasks};
use tokio::{
    process::{ChildStderr, ChildStdin, ChildStdout},
    sync::oneshot,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{
    activity::Activity,
    command::{Command, Input, Output},
    error::Error,
    group::Group,
    supervise::{Feed, Keep, Supervisor},
};

/// How long a group has between the request to end and the kill.
const KILL_AFTER: Duration = Duration::from_secs(10);

/// Runs commands. Each has a background task that outlives a caller who gave up, so that the child is always reaped.
#[derive(Clone)]
pub struct Exec {
    clock: Arc<dyn Clock>,
    tasks: Arc<dyn Tasks>,
    kill_after: Duration,
}

/// A command that ended well.
#[derive(Debug, Default)]
pub struct Finished {
    /// What it printed, when its output was captured.
    pub stdout: Vec<u8>,
    /// The last lines of stderr, in one line and redacted.
    pub stderr: String,
}

/// A command under way. Dropping it ends the command.
pub struct Running {
    /// To write to, when the input is a stream; drop it to signal the end.
    pub stdin: Option<ChildStdin>,
    /// To read from, when the output is a stream.
    pub stdout: Option<ChildStdout>,
    activity: Activity,
    name: String,
    cancel: DropGuard,
    ended: oneshot::Receiver<Result<Finished, Error>>,
}

impl Exec {
    /// Commands supervised by tasks of `tasks`; when that group stops, they are ended.
    pub fn new(clock: Arc<dyn Clock>, tasks: Arc<dyn Tasks>) -> Self {
        Self { clock, tasks, kill_after: KILL_AFTER }
    }

    /// Replaces the ten seconds between the request to end and the kill.
    #[must_use]
    pub fn kill_after(mut self, grace: Duration) -> Self {
        self.kill_after = grace;
        self
    }

    /// Runs a command to its end. Cancel safety: dropping the future ends the command.
    pub async fn run(&self, command: Command) -> Result<Finished, Error> {
        self.start(command)?.finish().await
    }

    /// Starts a command.
    pub fn start(&self, command: Command) -> Result<Running, Error> {
        let Command {
            name,
            program,
            arguments,
            environment,
            directory,
            input,
            output,
            limits,
            redactor,
            on_line,
            confinement,
        } = command;
        let mut plan = tokio::process::Command::new(program);
        plan.args(arguments).env_clear().envs(environment).process_group(0).kill_on_drop(true);
        plan.stdin(if matches!(input, Input::Null) { Stdio::null() } else { Stdio::piped() });
        plan.stderr(Stdio::piped());
        if let Some(directory) = directory {
            plan.current_dir(directory);
        }
        let (stdout, capture, stream) = match output {
            Output::Discard => (Stdio::null(), None, false),
            Output::Capture(limit) => (Stdio::piped(), Some(limit), false),
            Output::Stream => (Stdio::piped(), None, true),
            Output::File(file) => (Stdio::from(file), None, false),
        };
        plan.stdout(stdout);
        let spawned = match confinement {
            Some(confinement) => confinement.spawn(&mut plan),
            None => plan.spawn(),
        };
        let mut child = spawned.map_err(|source| Error::Start { command: name.clone(), source })?;
        let group = Group::of(&child);
        let activity = Activity::new(self.clock.clone());
        let cancel = CancellationToken::new();
        let (send, ended) = oneshot::channel();
        let (feed, stdin) = divide_input(input, child.stdin.take());
        let (keep, stdout) = divide_output(capture, stream, child.stdout.take());
        let stderr: Option<ChildStderr> = child.stderr.take();
        let supervisor = Supervisor {
            name: name.clone(),
            child,
            group,
            limits,
            redactor,
            activity: activity.clone(),
            clock: self.clock.clone(),
            kill_after: self.kill_after,
            cancel: cancel.clone(),
            stopping: self.tasks.stopping(),
        };
        let work = async move {
            // Nobody listens any more when the caller gave up.
            let _ = send.send(supervisor.run(feed, keep, stderr, on_line).await);
        };
        self.tasks.spawn("child process", Box::pin(work));
        Ok(Running { stdin, stdout, activity, name, cancel: cancel.drop_guard(), ended })
    }
}

fn divide_input(input: Input, pipe: Option<ChildStdin>) -> (Option<Feed>, Option<ChildStdin>) {
    match (input, pipe) {
        (Input::Bytes(bytes), Some(pipe)) => (Some(Feed { pipe, bytes }), None),
        (_, pipe) => (None, pipe),
    }
}

fn divide_output(
    capture: Option<usize>,
    stream: bool,
    pipe: Option<ChildStdout>,
) -> (Option<Keep>, Option<ChildStdout>) {
    match (capture, pipe) {
        (Some(limit), Some(pipe)) => (Some(Keep { pipe, limit }), None),
        (None, pipe) if stream => (None, pipe),
        _ => (None, None),
    }
}

impl Running {
    /// Tells the stall detection that the command made progress in a way its output does not show.
    pub fn touch(&self) {
        self.activity.touch();
    }

    /// Waits for the end. Cancel safety: dropping the future ends the command.
    pub async fn finish(self) -> Result<Finished, Error> {
        let Self { stdin, stdout, ended, name, cancel, .. } = self;
        drop((stdin, stdout));
        let result = ended.await;
        drop(cancel);
        result.unwrap_or(Err(Error::Cancelled { command: name }))
    }

    /// Ends the command and waits until it is gone.
    pub async fn stop(self) {
        let Self { stdin, stdout, ended, cancel, .. } = self;
        drop((stdin, stdout, cancel));
        // However it ended, it did.
        let _ = ended.await;
    }

    /// Waits for the end without giving the command up: may be called again after a cancelled wait.
    pub async fn ended(&mut self) -> Result<Finished, Error> {
        match (&mut self.ended).await {
            Ok(result) => result,
            Err(_) => Err(Error::Cancelled { command: self.name.clone() }),
        }
    }
}
