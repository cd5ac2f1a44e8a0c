//! Real child processes: limits, cancellation, group kills, reaping.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use core_rules::credential::Secret;
use io_exec::{Command, Error, Exec, Input, Limits, Output, Redactor};
use io_runtime::{SystemClock, TaskGroup};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

fn exec() -> (Exec, TaskGroup) {
    let tasks = TaskGroup::new();
    let exec = Exec::new(Arc::new(SystemClock::new()), Arc::new(tasks.clone()));
    (exec.kill_after(Duration::from_millis(300)), tasks)
}

fn shell(script: &str) -> Command {
    Command::new("the script", "/bin/sh").args(["-c", script]).env("PATH", "/usr/bin:/bin")
}

fn alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

/// Whether the process ends, dead or alive in the process table.
async fn gone_soon(pid: &str) -> bool {
    soon(|| !alive(pid)).await
}

/// Whether the process leaves the process table.
async fn reaped_soon(pid: &str) -> bool {
    soon(|| !Path::new("/proc").join(pid).exists()).await
}

#[expect(clippy::disallowed_methods, reason = "the test waits for real processes")]
async fn soon(done: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while !done() {
        if start.elapsed() > Duration::from_secs(10) {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    true
}

#[tokio::test]
async fn output_is_captured_and_the_environment_is_empty_but_for_what_is_given() {
    let (exec, _tasks) = exec();
    let command = shell("cat; env | sort | grep -v -e ^PWD= -e ^_= -e ^SHLVL=")
        .env("GIVEN", "1")
        .input(Input::Bytes(b"hello\n".to_vec()))
        .output(Output::Capture(10_000));
    let finished = exec.run(command).await.unwrap();
    assert_eq!(String::from_utf8(finished.stdout).unwrap(), "hello\nGIVEN=1\nPATH=/usr/bin:/bin\n");
}

#[tokio::test]
async fn a_failure_names_the_command_the_status_and_the_last_lines_without_secrets() {
    let (exec, _tasks) = exec();
    let secret = Secret::new("hunter2");
    let command = shell("echo first >&2; echo \"bad password $PASSWORD\" >&2; exit 3")
        .env("PASSWORD", secret.expose())
        .redact(Redactor::new([&secret]));
    let error = exec.run(command).await.unwrap_err();
    assert_eq!(error.to_string(), "the script failed with exit status: 3: first; bad password ***");
    assert!(!format!("{error:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_missing_program_is_said_so() {
    let (exec, _tasks) = exec();
    let error = exec.run(Command::new("nothing", "/no/such/program")).await.unwrap_err();
    assert!(matches!(error, Error::Start { .. }), "{error}");
}

#[tokio::test]
async fn a_deadline_ends_a_child_that_ignores_the_request_and_its_children() {
    let (exec, _tasks) = exec();
    let (send, mut pids) = tokio::sync::mpsc::unbounded_channel();
    let command =
        shell("trap '' TERM; sleep 60 & echo $! >&2; echo $$ >&2; while :; do sleep 1; done")
            .limits(Limits { deadline: Some(Duration::from_millis(300)), idle: None })
            .on_stderr(move |line| send.send(line.to_owned()).unwrap());
    let error = exec.run(command).await.unwrap_err();
    assert!(matches!(error, Error::Deadline { .. }), "{error}");
    for _ in 0..2 {
        assert!(gone_soon(&pids.recv().await.unwrap()).await);
    }
}

#[tokio::test]
async fn a_quiet_child_is_stalled_and_a_talking_one_is_not() {
    let (exec, _tasks) = exec();
    let idle = Limits { deadline: None, idle: Some(Duration::from_millis(1_500)) };
    let talking = shell("for i in 1 2 3 4 5 6 7 8; do echo $i >&2; sleep 0.1; done").limits(idle);
    exec.run(talking).await.unwrap();
    let error = exec.run(shell("sleep 60").limits(idle)).await.unwrap_err();
    assert!(matches!(error, Error::Stalled { .. }), "{error}");
}

#[tokio::test]
async fn a_child_that_prints_without_end_is_ended() {
    let (exec, _tasks) = exec();
    let error = exec.run(shell("yes").output(Output::Capture(100_000))).await.unwrap_err();
    assert!(matches!(error, Error::TooMuchOutput { limit: 100_000, .. }), "{error}");
}

#[tokio::test]
async fn a_caller_that_gives_up_leaves_no_process_and_no_zombie() {
    let (exec, _tasks) = exec();
    let mut running = exec.start(shell("echo $$; exec sleep 60").output(Output::Stream)).unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    let pid = lines.next_line().await.unwrap().unwrap();
    assert!(alive(&pid));
    drop(running);
    assert!(gone_soon(&pid).await);
    assert!(reaped_soon(&pid).await, "a zombie is left");
}

#[tokio::test]
async fn stopping_the_task_group_ends_its_commands() {
    let (exec, tasks) = exec();
    let running = exec.start(shell("sleep 60")).unwrap();
    assert!(tasks.shutdown(Duration::from_secs(5)).await);
    assert!(matches!(running.finish().await.unwrap_err(), Error::Cancelled { .. }));
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipes_does_not_hold_us() {
    let (exec, _tasks) = exec();
    let finished = exec.run(shell("sleep 60 & echo $! >&2")).await.unwrap();
    assert!(gone_soon(&finished.stderr).await);
}

#[tokio::test]
async fn a_conversation_goes_through_the_streams() {
    let (exec, _tasks) = exec();
    let command =
        shell("read line; echo \"got $line\"").input(Input::Stream).output(Output::Stream);
    let mut running = exec.start(command).unwrap();
    let mut stdin = running.stdin.take().unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    stdin.write_all(b"ping\n").await.unwrap();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "got ping");
    running.finish().await.unwrap();
}
