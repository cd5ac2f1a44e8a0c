//! A promotion through Git on a large repository: clone, yaml-update, commit and push, when the mirror is warm.

use std::{
    fmt::Write as _,
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use api_kinds::promotion::PromotionStepStatus;
use core_clock::{Environment as _, FixedEnvironment};
use dev_testkit::server::{GitHttp, GitRepository};
use io_git::{Settings, Store};
use io_http::outbound::Outbound;
use io_runtime::{SystemClock, SystemEnvironment, TaskGroup};
use serde_json::{Value, json};
use work_steps::testbed::Testbed;

use crate::{
    discovery::Programs,
    process,
    report::{Report, Row},
};

/// Promotions that are timed.
const ROUNDS: usize = 20;
/// Promotions that run at once.
const CROWD: usize = 64;
/// Applications of the repository, a file each.
const APPLICATIONS: u64 = 300;
/// What a version of a file adds to the repository: 15,000 of them make 45 MB.
const FILE_BYTES: usize = 4_000;
const NAME: &str = "large";

/// Measures promotions on a repository of this many commits.
pub(crate) async fn measure(commits: u64, report: &mut Report) -> Result<()> {
    let server = GitHttp::start().await?;
    let origin = server.repository(NAME)?;
    populate(&origin, commits)?;
    let url = server.url(NAME);
    let testbed = Testbed::new().await;
    report.add(Row::figure(
        "Git promotion, cold, 15,000 commits and 45 MB (ms)",
        milliseconds(promote(&testbed, &url, "stage/cold").await?),
    ));
    let mut taken = Vec::new();
    let mut moved = Vec::new();
    for round in 0..ROUNDS {
        let branch = format!("stage/s{round}");
        taken.push(promote(&testbed, &url, &branch).await?);
        moved.push(promote(&testbed, &url, &branch).await?);
    }
    let what = "Git promotion, warm (clone, yaml-update, commit, push): median (ms)";
    report.add(Row::at_most(what, milliseconds(median(&mut taken)), 300.0));
    let what = "the same, to a branch that moved since: median (ms)";
    report.add(Row::at_most(what, milliseconds(median(&mut moved)), 300.0));
    let children = children(&testbed, &url).await?;
    report.add(Row::at_most("the same: programs started", children, 10.0));
    drop(testbed);
    measure_crowd(&url, report).await
}

/// Many at once, in a process of their own whose memory is looked at.
async fn measure_crowd(url: &str, report: &mut Report) -> Result<()> {
    let output = tokio::process::Command::new(std::env::current_exe()?)
        .args(["promote", url])
        .stderr(Stdio::inherit())
        .output()
        .await?;
    ensure!(output.status.success(), "promotions at once failed");
    let taken: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| {
        taken.get(name).and_then(Value::as_f64).with_context(|| format!("no {name}: {taken}"))
    };
    let what = "64 Git promotions at once: resident memory of the process, at most (MB)";
    report.add(Row::at_most(what, number("bytes")? / 1e6, 150.0));
    report.add(Row::figure("the same: promotions (1/s)", CROWD as f64 / number("seconds")?));
    Ok(())
}

/// The other process: promotes, and prints what it took.
pub(crate) async fn promote_crowd(url: &str) -> Result<()> {
    let testbed = Testbed::new().await;
    promote(&testbed, url, "stage/cold").await?;
    let start = Instant::now();
    let promotions = (0..CROWD).map(|number| {
        let (testbed, branch) = (&testbed, format!("crowd/p{number}"));
        async move { promote(testbed, url, &branch).await }
    });
    futures::future::try_join_all(promotions).await?;
    let seconds = start.elapsed().as_secs_f64();
    let bytes = process::most_resident(std::process::id())?;
    println!("{}", json!({"bytes": bytes, "seconds": seconds}));
    Ok(())
}

/// How many programs a warm promotion starts, to a branch that moved since.
async fn children(machine: &Testbed, url: &str) -> Result<f64> {
    let root = tempfile::tempdir()?;
    let programs = Programs::create(&root.path().join("bin"))?;
    let path = programs.path(&SystemEnvironment.var("PATH").unwrap_or_default());
    let environment: FixedEnvironment = [("PATH", path)].into_iter().collect();
    let tasks = TaskGroup::new();
    let mut testbed = machine.fresh();
    testbed.ports.git = Store::open(
        Settings::new(root.path().join("git")),
        Outbound::new(io_http::outbound::Settings::default()),
        Arc::new(SystemClock::new()),
        Arc::new(tasks.clone()),
        &environment,
    )
    .await?;
    promote(&testbed, url, "stage/counted").await?;
    let before = programs.started()?;
    promote(&testbed, url, "stage/counted").await?;
    Ok((programs.started()? - before) as f64)
}

/// One promotion on the machine of `testbed`.
async fn promote(testbed: &Testbed, url: &str, branch: &str) -> Result<Duration> {
    let mut promotion = testbed.fresh();
    promotion.ports = testbed.ports.clone();
    let tag = format!("v{:?}", Instant::now());
    let checkout = json!([{"branch": branch, "path": "./out"}]);
    let updates = json!([{"key": "image.tag", "value": tag}]);
    let start = Instant::now();
    for (kind, config) in [
        ("git-clone", json!({"repoURL": url, "checkout": checkout})),
        ("yaml-update", json!({"path": "./out/apps/app0/values.yaml", "updates": updates})),
        ("git-commit", json!({"path": "./out", "message": format!("promote {tag}")})),
        ("git-push", json!({"path": "./out"})),
    ] {
        step(&mut promotion, kind, config).await?;
    }
    Ok(start.elapsed())
}

async fn step(promotion: &mut Testbed, kind: &str, config: Value) -> Result<()> {
    promotion.alias = kind.to_owned();
    let attempt = promotion.run(kind, config).await;
    let is_done = attempt.status == PromotionStepStatus::Succeeded;
    ensure!(is_done, "{kind}: {}", attempt.message);
    Ok(())
}

/// A long history, and branches at its end for everybody who promotes.
fn populate(origin: &GitRepository, commits: u64) -> Result<()> {
    origin.git(&["config", "http.receivepack", "true"])?;
    let mut stream = String::new();
    let mut noise = Noise(1);
    for number in 0..commits {
        let content = format!("image:\n  tag: v{number}\n# {}\n", noise.text(FILE_BYTES));
        let message = format!("change {number}");
        write!(
            stream,
            "commit refs/heads/main\ncommitter Test <test@example.com> {} +0000\ndata {}\n{message}\n\
             M 100644 inline apps/app{}/values.yaml\ndata {}\n{content}\n",
            1_700_000_000 + number,
            message.len(),
            number % APPLICATIONS,
            content.len()
        )?;
    }
    origin.git_with(&["fast-import", "--quiet"], &stream)?;
    let mut branches = String::new();
    let names = (0..ROUNDS).map(|round| format!("s{round}"));
    for name in names.chain(["cold".to_owned(), "counted".to_owned()]) {
        writeln!(branches, "create refs/heads/stage/{name} refs/heads/main")?;
    }
    for number in 0..CROWD {
        writeln!(branches, "create refs/heads/crowd/p{number} refs/heads/main")?;
    }
    origin.git_with(&["update-ref", "--stdin"], &branches)?;
    Ok(())
}

/// Text that does not compress well, the same each time.
struct Noise(u64);

impl Noise {
    fn text(&mut self, length: usize) -> String {
        (0..length)
            .map(|_| {
                self.0 ^= self.0 << 13;
                self.0 ^= self.0 >> 7;
                self.0 ^= self.0 << 17;
                char::from(b'0' + (self.0 % 64) as u8)
            })
            .filter(char::is_ascii_alphanumeric)
            .collect()
    }
}

fn median(taken: &mut [Duration]) -> Duration {
    taken.sort();
    taken.get(taken.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
