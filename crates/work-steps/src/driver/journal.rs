//! Where the progress of a Promotion is written down, so that a kill at any moment loses nothing.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use api_kinds::promotion::PromotionPhase;
use core_engine::Progress;
use futures::{FutureExt, future::BoxFuture};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Nothing larger is read back.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Why progress cannot be written or read: one sentence, no secret.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct JournalError {
    /// What went wrong.
    pub message: String,
    /// Why.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What is written down. It holds no secret.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// How far the Promotion is.
    pub phase: &'a PromotionPhase,
    /// Why, once it ended.
    pub message: &'a str,
    /// Which step is under way, and how the ones before it went.
    pub progress: &'a Progress,
}

/// Why something is written down; who pays for each write may leave out what costs it nothing to lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A step is about to be run for the first time.
    Started,
    /// The current step needs another look.
    Waiting,
    /// The Promotion ended.
    Ended,
}

/// Where progress is written down. Nothing further happens before a write has succeeded.
pub trait Journal: Send + Sync {
    /// Writes an entry in the place of the one before it.
    fn write<'a>(
        &'a self,
        entry: Entry<'a>,
        moment: Moment,
    ) -> BoxFuture<'a, Result<(), JournalError>>;

    /// Whether the start of a step that changes nothing outside may stay unwritten. The work directory keeps
    /// the progress then; if that is lost, so is all that such steps did, and they are repeated.
    fn leaves_out(&self, _start: Entry<'_>) -> bool {
        false
    }
}

/// A journal in a file: replaced as a whole, and on disk before a write returns.
pub struct FileJournal {
    path: PathBuf,
    uid: String,
    started_at: Timestamp,
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Saved {
    /// Which Promotion it is.
    pub uid: String,
    /// When it started; commits of its steps carry this time.
    pub started_at: Timestamp,
    /// How far it is.
    pub phase: PromotionPhase,
    /// Why, once it ended.
    pub message: String,
    /// Which step is under way, and how the ones before it went.
    #[serde(flatten)]
    pub progress: Progress,
}

impl FileJournal {
    /// A journal of the Promotion of this uid, which started at this time.
    pub fn new(path: impl Into<PathBuf>, uid: impl Into<String>, started_at: Timestamp) -> Self {
        Self { path: path.into(), uid: uid.into(), started_at }
    }

    /// What was written last; `None` when there is no file.
    pub fn load(path: &Path) -> Result<Option<Saved>, JournalError> {
        let trouble = |error: io::Error| JournalError {
            message: format!("the journal {} cannot be read", path.display()),
            source: Some(Box::new(error)),
        };
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(trouble(error)),
        };
        let saved = serde_json::from_reader(file.take(MAX_FILE_BYTES));
        saved.map(Some).map_err(|error| trouble(error.into()))
    }

    fn replace(&self, entry: Entry<'_>) -> io::Result<()> {
        let saved = Saved {
            uid: self.uid.clone(),
            started_at: self.started_at,
            phase: entry.phase.clone(),
            message: entry.message.to_owned(),
            progress: entry.progress.clone(),
        };
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".new");
        let fresh = self.path.with_file_name(name);
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
        file.write_all(&serde_json::to_vec(&saved)?)?;
        file.sync_all()?;
        std::fs::rename(&fresh, &self.path)?;
        // The rename is on disk only when the directory is.
        let directory = self.path.parent().filter(|path| !path.as_os_str().is_empty());
        File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
    }
}

impl Journal for FileJournal {
    fn write<'a>(&'a self, entry: Entry<'a>, _: Moment) -> BoxFuture<'a, Result<(), JournalError>> {
        let written = self.replace(entry).map_err(|error| JournalError {
            message: format!("the journal {} cannot be written", self.path.display()),
            source: Some(Box::new(error)),
        });
        std::future::ready(written).boxed()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_tells_what_was_written_last() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.json");
        assert_eq!(FileJournal::load(&path).unwrap(), None);
        let started_at = Timestamp::from_second(1).unwrap();
        let journal = FileJournal::new(&path, "u", started_at);
        let mut progress = Progress::default();
        for step in 0..3 {
            progress.current_step = step;
            progress.state.insert("a".to_owned(), json!({"x": step}));
            let entry = Entry { phase: &PromotionPhase::Running, message: "", progress: &progress };
            journal.write(entry, Moment::Started).now_or_never().unwrap().unwrap();
        }
        let saved = FileJournal::load(&path).unwrap().unwrap();
        assert_eq!((saved.uid.as_str(), saved.started_at), ("u", started_at));
        assert_eq!(saved.progress, progress);
        std::fs::write(&path, "{").unwrap();
        assert!(FileJournal::load(&path).is_err());
    }
}
