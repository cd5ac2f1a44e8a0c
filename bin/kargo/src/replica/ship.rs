//! Shipping: every change goes to the replica soon after it was made, and now and then a whole snapshot.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use core_clock::{BoxTask, Clock, Tasks};
use emb_store::{
    BackupError, OpenError, Position, SegmentError, SegmentLimit, Span, Store, position,
    read_segment, remove_if_there, snapshot,
};
use io_objects::Objects;
use io_runtime::blocking;
use thiserror::Error;
use tokio::{
    sync::oneshot::{self, error::TryRecvError},
    task::JoinError,
};

use super::{
    layout::{Base, Generation, Name, generations},
    pack::pack,
    progress::{Progress, Trouble},
};
use crate::exit::with_causes;

/// Changes are gathered for so long, but the first one after a quiet time goes at once.
const GATHER: Duration = Duration::from_millis(400);
/// After so many segments a new snapshot is taken: whoever restores must get them one by one.
const MAX_SEGMENTS: usize = 5_000;
/// How long a generation that could not be begun is put off, while the one before goes on.
const PUT_OFF: Duration = Duration::from_mins(5);
/// How many generations are kept.
const KEPT: usize = 2;
/// What the names of snapshots begin with that are in the data directory until they are shipped.
const SNAPSHOT: &str = "replica-";

/// Why nothing was shipped.
#[derive(Debug, Error)]
pub(super) enum ShipError {
    #[error("{place} has the replica of a control plane, and this data directory is new")]
    Occupied { place: String },
    #[error(transparent)]
    Objects(#[from] io_objects::Error),
    #[error(transparent)]
    Segment(#[from] SegmentError),
    #[error(transparent)]
    Snapshot(#[from] BackupError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Interrupted(#[from] JoinError),
}

/// What is shipped, and where to.
pub(super) struct Shipper {
    pub(super) store: Arc<Store>,
    pub(super) directory: PathBuf,
    /// Whether the data directory had no store before this process.
    pub(super) is_new: bool,
    pub(super) objects: Arc<Objects>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) tasks: Arc<dyn Tasks>,
    pub(super) progress: Progress,
    /// How old a generation gets.
    pub(super) interval: Duration,
    pub(super) stand: Stand,
}

/// Where it stands.
#[derive(Default)]
pub(super) enum Stand {
    /// What the replica has is not known.
    #[default]
    Unknown,
    /// A generation is to begin, later than any other, before anything can be shipped.
    Between {
        newest: u64,
    },
    In(Current),
}

/// The generation that is being written.
pub(super) struct Current {
    pub(super) name: Name,
    last: u64,
    segments: usize,
    successor: Successor,
}

/// The generation after the one that is being written, which goes on until the next has its snapshot.
enum Successor {
    None,
    Coming(oneshot::Receiver<Result<Current, ShipError>>),
    /// It could not be begun; not before this time, in milliseconds.
    PutOff(u64),
}

impl Current {
    fn new(name: Name, last: u64, segments: usize) -> Self {
        Self { name, last, segments, successor: Successor::None }
    }

    /// Whether it is time for the next one.
    fn is_due(&self, now: u64, interval: Duration) -> bool {
        let age = Duration::from_millis(now.saturating_sub(self.name.begun));
        match self.successor {
            Successor::Coming(_) => false,
            Successor::PutOff(until) if now < until => false,
            _ => age >= interval || self.segments >= MAX_SEGMENTS,
        }
    }
}

/// What a step has come to.
pub(super) enum Step {
    /// There is more to do at once.
    More,
    /// Something was shipped.
    Shipped,
    /// The replica has everything up to here.
    UpToDate(u64),
}

impl Shipper {
    /// Finds out what the replica has.
    pub(super) async fn survey(&mut self) -> Result<(), ShipError> {
        for file in std::fs::read_dir(&self.directory)? {
            let file = file?;
            if file.file_name().to_string_lossy().starts_with(SNAPSHOT) {
                remove_if_there(&file.path())?;
            }
        }
        let found = generations(&self.objects.list().await?);
        let newest = found.last().map_or(0, |generation| generation.name.begun);
        let own = found.last().filter(|generation| generation.name.is_of(self.store.identity()));
        if self.is_new && own.is_none() && !found.is_empty() {
            return Err(ShipError::Occupied { place: self.objects.to_string() });
        }
        let continued = own.filter(|generation| self.continues(generation));
        self.stand = continued.map_or(Stand::Between { newest }, |generation| {
            let (name, segments) = (generation.name.clone(), generation.segments.len());
            Stand::In(Current::new(name, generation.last(), segments))
        });
        Ok(())
    }

    /// Whether the store goes on where a generation ends.
    fn continues(&self, generation: &Generation) -> bool {
        let known = self.store.compacted()..=self.store.revision();
        generation.beyond_gap().is_none() && known.contains(&generation.last())
    }

    /// Ships until it is told to stop, then what is left.
    pub(super) async fn run(mut self, mut stopping: BoxTask) {
        let place = self.objects.to_string();
        let mut trouble = Trouble::default();
        self.progress.is_behind();
        loop {
            let step = self.step().await;
            if matches!(step, Ok(Step::Shipped | Step::UpToDate(_))) {
                trouble.end(&place, &self.progress);
            }
            let pause = match &step {
                Ok(Step::More) => continue,
                Ok(Step::Shipped) => GATHER,
                Ok(Step::UpToDate(_)) => Duration::ZERO,
                Err(error) => trouble.note(error, &place, &self.progress),
            };
            let rest = async {
                self.clock.sleep(pause).await;
                if let Ok(Step::UpToDate(last)) = step {
                    self.store.wait_for(last + 1).await;
                    self.progress.is_behind();
                }
            };
            tokio::select! {
                () = rest => {}
                () = &mut stopping => break,
            }
        }
        self.finish(&place).await;
    }

    async fn finish(&mut self, place: &str) {
        loop {
            match self.step().await {
                Ok(Step::UpToDate(_)) => return,
                Ok(_) => {}
                Err(error) => {
                    let error = with_causes(&error);
                    tracing::warn!(
                        replica = place,
                        error,
                        "the last changes are not in the replica"
                    );
                    return;
                }
            }
        }
    }

    /// Does what is next.
    pub(super) async fn step(&mut self) -> Result<Step, ShipError> {
        if let Stand::In(current) = &self.stand
            && current.is_due(self.now(), self.interval)
            && self.store.revision() > current.last
        {
            self.call_successor();
        }
        self.succeed();
        match &self.stand {
            Stand::Unknown => self.survey().await.map(|()| Step::More),
            Stand::Between { newest } => {
                let name = self.next_name(*newest);
                let begun = begin(&self.objects, &self.directory, name, None).await?;
                self.stand = Stand::In(begun);
                self.prune();
                Ok(Step::More)
            }
            Stand::In(current) => self.ship(current.name.clone(), current.last).await,
        }
    }

    fn next_name(&self, newest: u64) -> Name {
        Name::new(self.now().max(newest + 1), self.store.identity())
    }

    /// Begins the next generation beside the shipping, which waits for no snapshot.
    fn call_successor(&mut self) {
        let Stand::In(current) = &self.stand else { return };
        let before = current.name.begun;
        let name = self.next_name(before);
        let (objects, directory) = (self.objects.clone(), self.directory.clone());
        let (reply, coming) = oneshot::channel();
        let mut stopping = self.tasks.stopping();
        let task = async move {
            tokio::select! {
                begun = begin(&objects, &directory, name, Some(before)) => drop(reply.send(begun)),
                () = &mut stopping => {}
            }
        };
        self.tasks.spawn("replica-snapshot", Box::pin(task));
        self.set_successor(Successor::Coming(coming));
    }

    /// Goes over to the next generation, if it has begun.
    fn succeed(&mut self) {
        let Stand::In(Current { successor: Successor::Coming(coming), .. }) = &mut self.stand
        else {
            return;
        };
        match coming.try_recv() {
            Ok(Ok(next)) => {
                self.stand = Stand::In(next);
                self.prune();
            }
            Ok(Err(error)) => {
                let error = with_causes(&error);
                tracing::warn!(replica = %self.objects, error, "the replica gets no new snapshot for now");
                self.put_off();
            }
            Err(TryRecvError::Closed) => self.put_off(),
            Err(TryRecvError::Empty) => {}
        }
    }

    fn put_off(&mut self) {
        let pause = u64::try_from(PUT_OFF.as_millis()).unwrap_or(u64::MAX);
        self.set_successor(Successor::PutOff(self.now().saturating_add(pause)));
    }

    fn set_successor(&mut self, successor: Successor) {
        if let Stand::In(current) = &mut self.stand {
            current.successor = successor;
        }
    }

    /// Ships what was changed after revision `after`.
    async fn ship(&mut self, name: Name, after: u64) -> Result<Step, ShipError> {
        let (began, directory) = (self.clock.now(), self.directory.clone());
        let read = blocking(move || -> Result<_, ShipError> {
            let segment = read_segment(&directory, after, SegmentLimit::default())?;
            segment.map(|segment| Ok((segment.span, pack(&*segment.bytes)?))).transpose()
        });
        let (span, packed) = match read.await? {
            Ok(Some(segment)) => segment,
            Ok(None) => {
                self.progress.has_come_to(after, None);
                return Ok(Step::UpToDate(after));
            }
            Err(ShipError::Segment(SegmentError::Gone { .. })) => {
                self.stand = Stand::Between { newest: name.begun };
                return Ok(Step::More);
            }
            Err(error) => return Err(error),
        };
        self.objects.put(&name.segment_key(span), packed).await?;
        self.shipped(span);
        let has_more = self.store.revision() > span.last;
        self.progress.has_come_to(span.last, has_more.then_some(began));
        Ok(Step::Shipped)
    }

    fn shipped(&mut self, span: Span) {
        if let Stand::In(current) = &mut self.stand {
            current.last = span.last;
            current.segments += 1;
        }
    }

    /// Removes old generations, beside the shipping: there can be many objects in them.
    fn prune(&self) {
        let (objects, mut stopping) = (self.objects.clone(), self.tasks.stopping());
        let task = async move {
            tokio::select! {
                removed = remove_old(&objects) => if let Err(error) = removed {
                    let error = with_causes(&error);
                    tracing::warn!(replica = %objects, error, "old parts of the replica stay for now");
                },
                () = &mut stopping => {}
            }
        };
        self.tasks.spawn("replica-prune", Box::pin(task));
    }

    /// The time in milliseconds.
    fn now(&self) -> u64 {
        u64::try_from(self.clock.now().as_millis()).unwrap_or(0)
    }
}

/// Begins a generation with a snapshot, perhaps while another is still written.
async fn begin(
    objects: &Objects,
    directory: &Path,
    name: Name,
    predecessor: Option<u64>,
) -> Result<Current, ShipError> {
    let (directory, file) = (directory.to_owned(), directory.join(format!("{SNAPSHOT}{name}")));
    let taken = blocking(move || -> Result<_, ShipError> {
        snapshot(&directory, &file)?;
        let packed = position(&file)
            .map_err(ShipError::from)
            .and_then(|at| Ok((at, pack(std::fs::File::open(&file)?)?)));
        remove_if_there(&file)?;
        packed
    });
    let (Position { revision, .. }, packed) = taken.await??;
    objects.put(&name.base_key(Base { revision, predecessor }), packed).await?;
    tracing::info!(replica = %objects, generation = %name, revision, "the replica has a new snapshot");
    Ok(Current::new(name, revision, 0))
}

async fn remove_old(objects: &Objects) -> Result<(), io_objects::Error> {
    let found = generations(&objects.list().await?);
    let old = found.len().saturating_sub(KEPT);
    for generation in found.iter().take(old) {
        for key in generation.keys() {
            objects.delete(&key).await?;
        }
    }
    Ok(())
}
