//! What a Promotion is run with, and how it is taken up.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use core_clock::Clock;
use core_engine::{End, Engine, Progress};
use io_exec::Jail;
use jiff::Timestamp;

use super::{
    directory::{Directory, Opened},
    error::Error,
    journal::Journal,
    observer::{Event, Observer},
    order::Order,
    runner::Runner,
    session::{Passed, Session},
    stop::StopSignal,
    vault::Vault,
};
use crate::{effect::Effects, port::ControlPlane};

/// What a Promotion is run with.
#[derive(Clone)]
pub struct Driver {
    /// What is to be run.
    pub order: Arc<Order>,
    /// What runs steps.
    pub runner: Arc<dyn Runner>,
    /// What expressions ask.
    pub control_plane: Arc<dyn ControlPlane>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where progress is written down.
    pub journal: Arc<dyn Journal>,
    /// Who watches.
    pub observer: Arc<dyn Observer>,
    /// Whether outside effects are done.
    pub effects: Effects,
    /// Where work directories are.
    pub root: PathBuf,
    /// How many bytes the work directory may take; `None` is without limit.
    pub quota_bytes: Option<u64>,
}

/// Steps that write through the jail are refused before they exceed the limit; programs are watched.
fn open_files(path: &Path, quota_bytes: Option<u64>) -> io::Result<Jail> {
    let files = Jail::open(path)?;
    Ok(match quota_bytes {
        Some(bytes) => files.with_quota(bytes)?,
        None => files,
    })
}

impl Driver {
    /// Goes on with a Promotion where it was. If its work directory is gone, everything starts over; outputs
    /// are kept.
    pub fn open(self, mut progress: Progress) -> Result<Session, Error> {
        let (directory, opened) = Directory::open(&self.root, &self.order.uid)?;
        let is_usable =
            matches!(opened, Opened::Adopted { reached } if reached >= progress.current_step);
        if !is_usable && !progress.step_execution_metadata.is_empty() {
            progress.restart();
            self.observer.notice(Event::Restarted);
        }
        if !is_usable {
            directory.forget_progress()?;
        } else if let Some(kept) = directory.kept_progress()
            && kept.is_ahead_of(&progress)
        {
            progress = kept;
        }
        let vault = Vault::open(&directory.private()).map_err(|it| directory.trouble(it))?;
        let files =
            open_files(&directory.files(), self.quota_bytes).map_err(|it| directory.trouble(it))?;
        let engine = Engine::new(self.order.engine_steps(&*self.runner), progress);
        let told = engine.position();
        let (written, unseen) = (None, Duration::ZERO);
        Ok(Session { driver: self, engine, directory, files, vault, told, written, unseen })
    }

    /// Runs a Promotion to its end, with waits in between; `None` when it was suspended. The work directory
    /// stays: see [`Session::close`].
    pub async fn run(
        self,
        progress: Progress,
        mut stop: StopSignal,
    ) -> Result<(Option<End>, Session), Error> {
        let clock = self.clock.clone();
        let mut session = self.open(progress)?;
        loop {
            match session.pass(&mut stop).await? {
                Passed::Ended(end) => return Ok((Some(end), session)),
                Passed::Suspended => return Ok((None, session)),
                Passed::Waiting(after) => {
                    tokio::select! {
                        () = clock.sleep(after) => {}
                        _ = stop.wait() => {}
                    }
                }
            }
        }
    }

    /// The time.
    pub(super) fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.clock.now().as_micros()).unwrap_or_default()
    }
}
