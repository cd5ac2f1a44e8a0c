//! One journey: everything that is wanted of a repository, fetched by one `git fetch`.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use gix_hash::ObjectId;
use io_exec::{Input, Limits, Output, Running, WorkDir};

use super::{Mirror, Want, contents, gift, held::own_name, place};
use crate::{
    blocking::blocking, classify, context::Context, error::Error, mirror::Held, refs::Server,
    remote::Target, session::Session,
};

/// How often the size of what arrived is looked at.
const PROBE: Duration = Duration::from_millis(500);
/// How many refs may vanish between listing and fetching before the journey is given up.
const MAX_VANISHED: usize = 20;

/// How git calls itself to fetch a missing object, and how much of its trace is searched for that.
const LAZY_FETCH: &str = "fetch.negotiationAlgorithm=noop";
const TRACE_BYTES: u64 = 64 << 10;

/// Refs that were listed, but were gone when they were fetched.
pub(crate) type Vanished = BTreeSet<String>;

/// What one caller needs.
pub(crate) struct FetchRequest {
    pub(crate) target: Target,
    pub(crate) server: Server,
    pub(crate) wants: Vec<Want>,
    /// File contents, which mirrors leave out until somebody checks them out.
    pub(crate) blobs: Vec<ObjectId>,
    /// Packs of objects that the server was given.
    pub(crate) gift: Option<WorkDir>,
}

impl Mirror {
    /// Brings home all that `requests` want. Requests of one mirror have the same account; the last one has the freshest
    /// credential.
    pub(crate) async fn travel(
        self: Arc<Self>,
        cx: Arc<Context>,
        requests: Vec<FetchRequest>,
    ) -> Result<Arc<Vanished>, Error> {
        let mut wants: BTreeSet<Want> = BTreeSet::new();
        let mut blobs: BTreeSet<ObjectId> = BTreeSet::new();
        let mut gifts = Vec::new();
        let mut last = None;
        for FetchRequest { target, server, wants: wanted, blobs: contents, gift } in requests {
            gifts.extend(gift);
            wants.extend(wanted);
            blobs.extend(contents);
            last = Some((target, server));
        }
        let Some((target, server)) = last.filter(|_| !self.is_retired()) else {
            return Ok(Arc::default());
        };
        self.place.prepare(&cx, server.object_format).await?;
        if self.is_damaged() {
            self.start_over(&cx, &server).await?;
        }
        self.accept(gifts).await;
        let journey = Journey { mirror: &self, cx: &cx, target: &target, server: &server };
        let mut done = journey.fetch_missing(wants).await;
        if let Err(error) = journey.fetch_contents(blobs).await {
            done = Err(error);
        }
        if done.is_ok() {
            self.upkeep(&cx).await;
        }
        self.measure().await;
        done.map(Arc::new)
    }

    async fn start_over(&self, cx: &Context, server: &Server) -> Result<(), Error> {
        tracing::warn!(repository = self.place.address(), "a damaged mirror is built again");
        self.place.rebuild(cx, server.object_format).await?;
        self.damaged.store(false, std::sync::atomic::Ordering::SeqCst);
        self.numbers.lock().rebuilds += 1;
        Ok(())
    }

    async fn accept(&self, gifts: Vec<WorkDir>) {
        for gift in gifts {
            let git_dir = self.git_dir();
            let taken = blocking(move || gift::take(&git_dir, gift.path())).await;
            if let Some(Err(error)) = taken {
                // What it held is fetched instead.
                tracing::debug!(repository = self.place.address(), %error, "a pack was not taken over");
                self.place.clear_leftovers().await;
            }
        }
    }

    async fn measure(&self) {
        let directory = self.place.directory().to_owned();
        if let Some(bytes) = blocking(move || place::size(&directory)).await {
            self.bytes.store(bytes, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

struct Journey<'a> {
    mirror: &'a Arc<Mirror>,
    cx: &'a Context,
    target: &'a Target,
    server: &'a Server,
}

impl Journey<'_> {
    /// Fetches what is not here yet. A ref that vanished since it was listed does not spoil the others.
    async fn fetch_missing(&self, mut wants: BTreeSet<Want>) -> Result<Vanished, Error> {
        let mut vanished = Vanished::new();
        while vanished.len() <= MAX_VANISHED {
            let (git_dir, format) = (self.mirror.git_dir(), self.server.object_format);
            let asked = std::mem::take(&mut wants);
            let left = blocking(move || {
                let held = Held::open(git_dir, format);
                asked.into_iter().filter(|want| !held.has(want)).collect()
            });
            wants = left.await.unwrap_or_default();
            if wants.is_empty() {
                return Ok(vanished);
            }
            match self.fetch_or_rebuild(&wants).await {
                Ok(()) => return Ok(vanished),
                Err(Error::NoSuchRef { name, .. })
                    if wants.iter().any(|want| want.name == name) =>
                {
                    wants.retain(|want| want.name != name);
                    vanished.insert(name);
                }
                Err(error) => return Err(error),
            }
        }
        Err(Error::Git {
            repository: self.target.to_string(),
            reason: "its refs change faster than they can be fetched".to_owned(),
        })
    }

    /// Fetches file contents that are not here yet, all at once.
    async fn fetch_contents(&self, blobs: BTreeSet<ObjectId>) -> Result<(), Error> {
        let (git_dir, format) = (self.mirror.git_dir(), self.server.object_format);
        let absent = blocking(move || contents::absent(&git_dir, format, blobs)).await;
        match absent.unwrap_or_default() {
            absent if absent.is_empty() => Ok(()),
            absent => {
                let asked = Asked::Contents(&absent);
                self.fetch(&asked).await.map_err(|failure| self.told(failure))
            }
        }
    }

    /// A mirror that turns out to be damaged, or that cannot do without file contents, is built again, once.
    async fn fetch_or_rebuild(&self, wants: &BTreeSet<Want>) -> Result<(), Error> {
        let failure = match self.fetch(&Asked::Refs(wants)).await {
            Ok(()) => return Ok(()),
            Err(failure) => failure,
        };
        self.mirror.place.clear_leftovers().await;
        match failure {
            Failure::Withheld => self.mirror.place.mark_whole(),
            Failure::Told(error) if self.is_damaged(&error).await => {}
            Failure::Told(error) => return Err(error),
        }
        self.mirror.start_over(self.cx, self.server).await?;
        self.fetch(&Asked::Refs(wants)).await.map_err(|failure| self.told(failure))
    }

    async fn is_damaged(&self, error: &Error) -> bool {
        let suspicious = matches!(error, Error::Git { .. } | Error::Unreachable { .. });
        classify::hints_at_damage(error)
            || (suspicious && self.mirror.place.damage(self.server.object_format).await.is_some())
    }

    fn told(&self, failure: Failure) -> Error {
        match failure {
            Failure::Told(error) => error,
            Failure::Withheld => Error::Protocol {
                host: self.target.host(),
                reason: "it leaves out objects that it says it has".to_owned(),
            },
        }
    }

    async fn fetch(&self, asked: &Asked<'_>) -> Result<(), Failure> {
        let session =
            Session::open(self.cx, self.target, self.server).await.map_err(Failure::Told)?;
        let filter = self.server.filter && !self.mirror.place.is_whole();
        let mirror = self.mirror.clone();
        let mut command = session
            .git(self.cx, "git fetch")
            .args(asked.options())
            .args([
                "fetch",
                "--progress",
                "--no-tags",
                "--no-auto-maintenance",
                "--no-write-fetch-head",
            ])
            .args(["--no-recurse-submodules", "--no-show-forced-updates", "--update-shallow"])
            .args(filter.then_some("--filter=blob:none"))
            .args(["--stdin", "origin"])
            .directory(self.mirror.git_dir())
            .env("GIT_DIR", self.mirror.git_dir())
            .env("GIT_TRACE", session.trace())
            .input(Input::Bytes(asked.lines().into_bytes()))
            .limits(Limits {
                deadline: Some(self.cx.settings.fetch_deadline),
                idle: Some(self.cx.settings.stall),
            })
            .on_stderr(move |line| mirror.progress.line(line));
        if let Some(lock) = self.mirror.place.lock_handle() {
            command = command.output(Output::File(lock));
        }
        self.mirror.progress.begin(self.cx.clock.monotonic());
        let started = self.cx.exec.start(command);
        let done = match started {
            Ok(running) => self.watch(running, session.trace()).await,
            Err(error) => Err(Failure::Told(classify::failure(&error, self.target))),
        };
        self.mirror.progress.end();
        if done.is_ok() {
            let mut numbers = self.mirror.numbers.lock();
            numbers.fetches += 1;
            numbers.last_fetch = Some(self.cx.clock.now());
        }
        done
    }

    /// Waits for the fetch; growing files count as progress, and too much of them ends it.
    async fn watch(&self, mut running: Running, trace: PathBuf) -> Result<(), Failure> {
        let packs = self.mirror.git_dir().join("objects/pack");
        let before = arrived(&packs).await;
        let mut seen = before;
        loop {
            tokio::select! {
                done = running.ended() => {
                    let told = |error| Failure::Told(classify::failure(&error, self.target));
                    return done.map(drop).map_err(told);
                }
                () = self.cx.clock.sleep(PROBE) => {}
            }
            let now = arrived(&packs).await;
            if now != seen {
                seen = now;
                running.touch();
                self.mirror.progress.bytes(now.saturating_sub(before));
            }
            let limit = self.cx.settings.max_repository_bytes;
            if now > limit {
                running.stop().await;
                let repository = self.target.to_string();
                return Err(Failure::Told(Error::TooLarge { repository, limit, unit: "bytes" }));
            }
            if asks_for_more(&trace).await {
                running.stop().await;
                return Err(Failure::Withheld);
            }
        }
    }
}

/// Why a fetch brought nothing.
enum Failure {
    Told(Error),
    /// The server was asked to leave out file contents and left out more. `git` would then fetch each missing object when
    /// it comes across it, and fetch again within that fetch, without end: a shallow server is enough to set that off.
    Withheld,
}

/// Whether git began to fetch missing objects one by one. Each such fetch shows in the trace.
async fn asks_for_more(trace: &Path) -> bool {
    let trace = trace.to_owned();
    let read = blocking(move || {
        let mut text = Vec::new();
        let file = fs::File::open(trace)?;
        file.take(TRACE_BYTES).read_to_end(&mut text)?;
        io::Result::Ok(String::from_utf8_lossy(&text).contains(LAZY_FETCH))
    });
    matches!(read.await, Some(Ok(true)))
}

/// What one `git fetch` is asked for.
enum Asked<'a> {
    Refs(&'a BTreeSet<Want>),
    Contents(&'a [ObjectId]),
}

impl Asked<'_> {
    fn options(&self) -> &'static [&'static str] {
        match self {
            Self::Refs(_) => &[],
            // A server that hears which commits are here would think their files are, too.
            Self::Contents(_) => &["-c", LAZY_FETCH],
        }
    }

    /// One per line: `+<ref of the server>:<our name for it>`, or an id alone.
    fn lines(&self) -> String {
        let mut lines: Vec<String> = match self {
            Self::Refs(wants) => wants
                .iter()
                .map(|want| format!("+{}:{}", want.name, own_name(&want.name)))
                .collect(),
            Self::Contents(blobs) => blobs.iter().map(ToString::to_string).collect(),
        };
        lines.push(String::new());
        lines.join("\n")
    }
}

async fn arrived(packs: &Path) -> u64 {
    let packs = packs.to_owned();
    let sum = blocking(move || {
        let entries = fs::read_dir(packs).into_iter().flatten().flatten();
        entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
    });
    sum.await.unwrap_or_default()
}
