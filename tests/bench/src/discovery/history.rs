//! What memory it takes to walk a long history to its end, with a path filter that nothing meets.
//!
//! The history is walked by a process of its own, so that only the walk is seen. The repository and its mirror are kept
//! for the next run.

use std::{
    fs,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use dev_testkit::{repository, server::GitRepository};
use serde_json::{Value, json};

use super::world::{Options, Warehouse, World};
use crate::{
    process,
    report::{Report, Row},
};

const LIMIT_MEGABYTES: f64 = 200.0;
const FILES: u64 = 10;
const SAMPLE: Duration = Duration::from_millis(20);

pub(super) async fn measure(commits: u64, report: &mut Report) -> Result<()> {
    let place = repository().join(format!(".cache/bench/history-{commits}"));
    let origin = place.join("origin.git");
    if !origin.exists() {
        println!("making a history of {commits} commits, once");
        generate(&origin, commits)?;
    }
    let output = tokio::process::Command::new(std::env::current_exe()?)
        .arg("walk")
        .args([&origin, &place.join("world")])
        .stderr(Stdio::inherit())
        .output()
        .await?;
    ensure!(output.status.success(), "the walk failed");
    let walked: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| {
        walked.get(name).and_then(Value::as_f64).with_context(|| format!("no {name}: {walked}"))
    };
    report.add(Row::exactly(
        "commits walked of a history of 800,000, looking at paths",
        number("commits")?,
        commits as f64,
    ));
    let what = "anonymous memory while walking it, at most (MB)";
    report.add(Row::at_most(what, number("bytes")? / 1e6, LIMIT_MEGABYTES));
    report.add(Row::figure("commits walked (1/s)", number("commits")? / number("seconds")?));
    Ok(())
}

/// The other process: walks, and prints what it took.
pub(crate) async fn walk(origin: &Path, root: &Path) -> Result<()> {
    let world = World::open(root, Options::default()).await?;
    let url = format!("file://{}", origin.display());
    // The mirror comes first: what is measured is the walk.
    Warehouse::git("first", &url, json!({"branch": "main"}))?.search(&world.discovery).await?;
    let paths = json!({"branch": "main", "includePaths": ["nowhere"]});
    let peak = Peak::watch();
    let begin = Instant::now();
    let outcome = Warehouse::git("walk", &url, paths)?.search(&world.discovery).await?;
    let walked = json!({
        "commits": outcome.verdicts.left_off(),
        "bytes": peak.end(),
        "seconds": begin.elapsed().as_secs_f64(),
    });
    println!("{walked}");
    Ok(())
}

/// Looks at the memory of this process again and again.
struct Peak {
    bytes: Arc<AtomicU64>,
    done: Arc<AtomicBool>,
    thread: thread::JoinHandle<()>,
}

impl Peak {
    fn watch() -> Self {
        let (bytes, done) = (Arc::<AtomicU64>::default(), Arc::<AtomicBool>::default());
        let (most, over) = (bytes.clone(), done.clone());
        let thread = thread::spawn(move || {
            while !over.load(Ordering::SeqCst) {
                let now = process::anonymous(std::process::id()).unwrap_or(u64::MAX);
                most.fetch_max(now, Ordering::SeqCst);
                thread::sleep(SAMPLE);
            }
        });
        Self { bytes, done, thread }
    }

    fn end(self) -> u64 {
        self.done.store(true, Ordering::SeqCst);
        // A thread that was lost has seen nothing, which is not little.
        if self.thread.join().is_err() { u64::MAX } else { self.bytes.load(Ordering::SeqCst) }
    }
}

/// A history in which each commit changes one of a few files, so that no two trees are the same.
fn generate(origin: &Path, commits: u64) -> Result<()> {
    let unfinished: PathBuf = origin.with_extension("unfinished");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)?;
    }
    fs::create_dir_all(&unfinished)?;
    GitRepository::create(&unfinished)?;
    let mut import = Command::new("git")
        .arg("-C")
        .arg(&unfinished)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()?;
    let mut stream = BufWriter::new(import.stdin.take().context("git fast-import has no input")?);
    for number in 0..commits {
        write_commit(&mut stream, number)?;
    }
    stream.flush()?;
    drop(stream);
    ensure!(import.wait()?.success(), "git fast-import failed");
    fs::rename(&unfinished, origin)?;
    Ok(())
}

fn write_commit(stream: &mut impl Write, number: u64) -> Result<()> {
    let (mark, message) = (number / FILES + 1, format!("change {number}"));
    if number.is_multiple_of(FILES) {
        let text = mark.to_string();
        write!(stream, "blob\nmark :{mark}\ndata {}\n{text}\n", text.len())?;
    }
    write!(
        stream,
        "commit refs/heads/main\ncommitter Test <test@example.com> {} +0000\ndata {}\n{message}\n\
         M 100644 :{mark} app-{}.yaml\n",
        1_700_000_000 + number,
        message.len(),
        number % FILES
    )?;
    Ok(())
}
