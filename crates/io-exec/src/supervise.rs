//! The life of one child: fed, read, watched, ended and reaped.

use std::{future::Future, pin::Pin, process::ExitStatus, sync::Arc, time::Duration};

use core_clock::{BoxTask, Clock};
use futures::{FutureExt, future::FusedFuture};
use parking_lot::Mutex;
use tokio::{
    io::AsyncWriteExt,
    process::{Child, ChildStderr, ChildStdin, ChildStdout},
    sync::Notify,
};
use tokio_util::sync::CancellationToken;

use crate::{
    activity::Activity,
    capture::{Fit, LineSink, Tail, drain_stderr, drain_stdout},
    command::Limits,
    error::Error,
    exec::Finished,
    group::Group,
    redact::Redactor,
};

/// Bytes that go to stdin.
pub(crate) struct Feed {
    pub(crate) pipe: ChildStdin,
    pub(crate) bytes: Vec<u8>,
}

/// Stdout that is kept.
pub(crate) struct Keep {
    pub(crate) pipe: ChildStdout,
    pub(crate) limit: usize,
}

/// Everything the background task of one child owns.
pub(crate) struct Supervisor {
    pub(crate) name: String,
    pub(crate) child: Child,
    pub(crate) group: Group,
    pub(crate) limits: Limits,
    pub(crate) redactor: Redactor,
    pub(crate) activity: Activity,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) kill_after: Duration,
    pub(crate) cancel: CancellationToken,
    pub(crate) stopping: BoxTask,
}

/// Why a child is ended before it ends itself.
enum Reason {
    Deadline(Duration),
    Stalled(Duration),
    Cancelled,
    TooMuchOutput,
}

enum Event {
    Exited(std::io::Result<ExitStatus>),
    Stop(Reason),
}

impl Supervisor {
    /// Sees the child through to its end; it is reaped when this returns.
    pub(crate) async fn run(
        self,
        feed: Option<Feed>,
        keep: Option<Keep>,
        stderr: Option<ChildStderr>,
        on_line: Option<LineSink>,
    ) -> Result<Finished, Error> {
        let Self {
            name,
            mut child,
            mut group,
            limits,
            redactor,
            activity,
            clock,
            kill_after,
            cancel,
            stopping,
        } = self;
        let tail = Mutex::new(Tail::default());
        let kept = Mutex::new(Vec::new());
        let overflow = Notify::new();
        let limit = keep.as_ref().map_or(0, |keep| keep.limit);
        let pipes = async {
            let stdin = feed_input(feed);
            let stdout = async {
                let Some(keep) = keep else { return };
                if drain_stdout(keep.pipe, keep.limit, &activity, &kept).await == Fit::Overflow {
                    overflow.notify_one();
                }
            };
            let stderr = async {
                if let Some(pipe) = stderr {
                    drain_stderr(pipe, &redactor, on_line, &activity, &tail).await;
                }
            };
            tokio::join!(stdin, stdout, stderr);
        };
        let mut pipes = Box::pin(pipes.fuse());
        let watch = watch(limits, &activity, &clock, cancel, stopping, &overflow);
        let first = async {
            tokio::select! {
                status = child.wait() => Event::Exited(status),
                reason = watch => Event::Stop(reason),
            }
        };
        let (status, reason) = match beside(&mut pipes, first).await {
            Event::Exited(status) => (status, None),
            Event::Stop(reason) => {
                let end = group.terminate(&mut child, &clock, kill_after);
                (beside(&mut pipes, end).await, Some(reason))
            }
        };
        settle(&mut pipes, &group, &clock, kill_after).await;
        group.release();
        drop(pipes);
        let stderr = tail.into_inner().text();
        conclude(name, status, reason, limit, Finished { stdout: kept.into_inner(), stderr })
    }
}

async fn feed_input(feed: Option<Feed>) {
    if let Some(Feed { mut pipe, bytes }) = feed {
        // A child that does not read its input says why by its exit status.
        let _ = pipe.write_all(&bytes).await;
    }
}

/// Completes with the first reason to end the child.
async fn watch(
    limits: Limits,
    activity: &Activity,
    clock: &Arc<dyn Clock>,
    cancel: CancellationToken,
    stopping: BoxTask,
    overflow: &Notify,
) -> Reason {
    let deadline = async {
        match limits.deadline {
            Some(after) => {
                clock.sleep(after).await;
                Reason::Deadline(after)
            }
            None => std::future::pending().await,
        }
    };
    let stalled = async {
        match limits.idle {
            Some(quiet) => {
                activity.stalled(quiet).await;
                Reason::Stalled(quiet)
            }
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        reason = deadline => reason,
        reason = stalled => reason,
        () = cancel.cancelled() => Reason::Cancelled,
        () = stopping => Reason::Cancelled,
        () = overflow.notified() => Reason::TooMuchOutput,
    }
}

/// Does `work` while the pipes keep moving: a child that waits for its reader would never end.
async fn beside<P, T>(pipes: &mut Pin<Box<P>>, work: impl Future<Output = T>) -> T
where
    P: FusedFuture<Output = ()>,
{
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            value = &mut work => return value,
            () = &mut *pipes, if !pipes.is_terminated() => {}
        }
    }
}

/// Waits for the last output; grandchildren that hold the pipes open after the grace are killed.
async fn settle<P>(pipes: &mut Pin<Box<P>>, group: &Group, clock: &Arc<dyn Clock>, grace: Duration)
where
    P: FusedFuture<Output = ()>,
{
    if pipes.is_terminated() {
        return;
    }
    tokio::select! {
        () = &mut *pipes => {}
        () = clock.sleep(grace) => group.kill_survivors(),
    }
}

fn conclude(
    command: String,
    status: std::io::Result<ExitStatus>,
    reason: Option<Reason>,
    limit: usize,
    finished: Finished,
) -> Result<Finished, Error> {
    match (reason, status) {
        (Some(Reason::Deadline(after)), _) => Err(Error::Deadline { command, after }),
        (Some(Reason::Stalled(quiet)), _) => Err(Error::Stalled { command, quiet }),
        (Some(Reason::Cancelled), _) => Err(Error::Cancelled { command }),
        (Some(Reason::TooMuchOutput), _) => Err(Error::TooMuchOutput { command, limit }),
        (None, Err(source)) => Err(Error::Wait { command, source }),
        (None, Ok(status)) if status.success() => Ok(finished),
        (None, Ok(status)) => {
            Err(Error::Failed { command, status: status.to_string(), stderr: finished.stderr })
        }
    }
}
