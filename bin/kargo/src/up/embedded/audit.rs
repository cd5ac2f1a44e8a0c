//! The audit log as a file: rotated by size, so many kept, and never in the way of a request.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread,
    time::Duration,
};

use emb_apiserver::{AuditLevel, AuditSink};

use crate::exit::Failure;

/// Lines that may wait for the disk; more are dropped and counted.
const QUEUE: usize = 8192;
const MEGABYTE: u64 = 1024 * 1024;
/// How long the end of the process waits for the last lines.
const CLOSING: Duration = Duration::from_secs(1);

/// What is logged of requests, and where to.
#[derive(clap::Args, Debug)]
#[expect(clippy::struct_field_names, reason = "the fields are the names of the flags")]
pub(crate) struct AuditArgs {
    /// File to which every request is logged, one JSON object per line
    #[arg(long, value_name = "FILE")]
    audit_log: Option<PathBuf>,
    /// How much is logged of each: who did what, or also what they sent (never the content of Secrets)
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Level::Metadata, requires = "audit_log")]
    audit_level: Level,
    /// Size at which the audit log is put aside and a new one begins
    #[arg(long, value_name = "MEGABYTES", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000), requires = "audit_log")]
    audit_log_size: u64,
    /// How many audit logs that were put aside are kept
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=1_000), requires = "audit_log")]
    audit_log_backups: u32,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Metadata,
    Request,
}

impl AuditArgs {
    /// Opens the log, if one is asked for.
    pub(super) fn open(&self) -> Result<Option<Arc<AuditFile>>, Failure> {
        let Some(path) = &self.audit_log else { return Ok(None) };
        let log = RotatedFile::open(path, self.audit_log_size * MEGABYTE, self.audit_log_backups);
        let log = log.map_err(|error| {
            Failure::usage(format!("--audit-log: cannot write {}: {error}", path.display()))
        })?;
        let level = match self.audit_level {
            Level::Metadata => AuditLevel::Metadata,
            Level::Request => AuditLevel::Request,
        };
        AuditFile::start(log, level, QUEUE).map(|file| Some(Arc::new(file))).map_err(Failure::from)
    }
}

/// Hands lines to the thread that writes them.
pub(super) struct AuditFile {
    lines: SyncSender<Message>,
    level: AuditLevel,
    dropped: Arc<AtomicU64>,
}

enum Message {
    Line(String),
    /// Everything before it is to be on its way to the disk.
    Flush(SyncSender<()>),
}

impl AuditFile {
    fn start(log: RotatedFile, level: AuditLevel, queue: usize) -> io::Result<Self> {
        let (lines, received) = sync_channel(queue);
        let dropped = Arc::new(AtomicU64::new(0));
        let lost = dropped.clone();
        let thread = thread::Builder::new().name("audit-log".to_owned());
        thread.spawn(move || write_lines(log, &received, &lost))?;
        Ok(Self { lines, level, dropped })
    }

    /// Waits, but not long, until what was recorded is written.
    pub(super) fn flush(&self) {
        let (done, written) = sync_channel(1);
        if self.lines.send(Message::Flush(done)).is_ok() {
            // Lines that the disk does not take in time are lost with the process.
            let _ = written.recv_timeout(CLOSING);
        }
    }
}

impl AuditSink for AuditFile {
    fn record(&self, line: &str) {
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) =
            self.lines.try_send(Message::Line(line.to_owned()))
        {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn level(&self) -> AuditLevel {
        self.level
    }

    fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

/// Writes until nobody can send any more. Lines that came together are written together.
fn write_lines(mut log: RotatedFile, received: &Receiver<Message>, dropped: &AtomicU64) {
    let mut failing = false;
    while let Ok(first) = received.recv() {
        let mut lines = Vec::new();
        let mut waiting = Vec::new();
        for message in std::iter::once(first).chain(received.try_iter().take(QUEUE)) {
            match message {
                Message::Line(line) => lines.push(line),
                Message::Flush(done) => waiting.push(done),
            }
        }
        match log.write(&lines) {
            Ok(()) => failing = false,
            Err(error) => {
                dropped.fetch_add(lines.len() as u64, Ordering::Relaxed);
                if !std::mem::replace(&mut failing, true) {
                    tracing::error!(%error, path = %log.path.display(), "audit lines are lost");
                }
            }
        }
        for done in waiting {
            // Whoever waited may have given up.
            let _ = done.send(());
        }
    }
}

/// A file that makes place for a new one when it is large, and follows its name when somebody moves it away.
struct RotatedFile {
    path: PathBuf,
    max_bytes: u64,
    backups: u32,
    file: Option<BufWriter<File>>,
    bytes: u64,
}

impl RotatedFile {
    fn open(path: &Path, max_bytes: u64, backups: u32) -> io::Result<Self> {
        let mut log = Self { path: path.to_owned(), max_bytes, backups, file: None, bytes: 0 };
        log.reopen()?;
        Ok(log)
    }

    /// Writes lines and hands them to the operating system. After a failure the file is opened anew the next time.
    fn write(&mut self, lines: &[String]) -> io::Result<()> {
        let written = self.try_write(lines);
        if written.is_err() {
            self.file = None;
        }
        written
    }

    fn try_write(&mut self, lines: &[String]) -> io::Result<()> {
        if !self.is_in_place() {
            self.reopen()?;
        }
        for line in lines {
            let length = line.len() as u64 + 1;
            if self.bytes > 0 && self.bytes + length > self.max_bytes {
                self.rotate()?;
            }
            if let Some(file) = &mut self.file {
                writeln!(file, "{line}")?;
            }
            self.bytes += length;
        }
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }

    /// Whether the name still leads to the file that is open.
    fn is_in_place(&self) -> bool {
        let Some(open) = self.file.as_ref().and_then(|file| file.get_ref().metadata().ok()) else {
            return false;
        };
        fs::metadata(&self.path).is_ok_and(|named| named.ino() == open.ino())
    }

    fn reopen(&mut self) -> io::Result<()> {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)?;
        self.bytes = file.metadata()?.len();
        self.file = Some(BufWriter::new(file));
        Ok(())
    }

    /// Puts the file aside as the first of those that are kept; each of them moves on by one, and the last one goes.
    fn rotate(&mut self) -> io::Result<()> {
        if let Some(mut file) = self.file.take() {
            file.flush()?;
        }
        for number in (1..=self.backups).rev() {
            let from = if number == 1 { self.path.clone() } else { self.backup(number - 1) };
            if from.exists() {
                fs::rename(from, self.backup(number))?;
            }
        }
        if self.backups == 0 {
            fs::remove_file(&self.path)?;
        }
        self.reopen()
    }

    fn backup(&self, number: u32) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(directory: &Path, max_bytes: u64, backups: u32) -> RotatedFile {
        RotatedFile::open(&directory.join("audit.log"), max_bytes, backups).unwrap()
    }

    fn text(directory: &Path, name: &str) -> String {
        fs::read_to_string(directory.join(name)).unwrap_or_default()
    }

    fn lines(numbers: std::ops::Range<u32>) -> Vec<String> {
        numbers.map(|number| format!("line {number}")).collect()
    }

    #[test]
    fn a_large_log_is_put_aside_and_only_so_many_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let mut log = log(directory.path(), 14, 2);
        log.write(&lines(0..7)).unwrap();
        let names = ["audit.log", "audit.log.1", "audit.log.2", "audit.log.3"];
        let found = names.map(|name| text(directory.path(), name));
        assert_eq!(found, ["line 6\n", "line 4\nline 5\n", "line 2\nline 3\n", ""]);
        // A restart goes on where it was.
        let mut log = self::log(directory.path(), 14, 2);
        log.write(&lines(7..9)).unwrap();
        assert_eq!(text(directory.path(), "audit.log.1"), "line 6\nline 7\n");
    }

    #[test]
    fn a_log_that_somebody_moved_away_begins_anew() {
        let directory = tempfile::tempdir().unwrap();
        let mut log = log(directory.path(), 1_000, 0);
        log.write(&lines(0..1)).unwrap();
        fs::rename(directory.path().join("audit.log"), directory.path().join("moved")).unwrap();
        log.write(&lines(1..2)).unwrap();
        let found = ["moved", "audit.log"].map(|name| text(directory.path(), name));
        assert_eq!(found, ["line 0\n", "line 1\n"]);
    }

    #[test]
    fn nobody_waits_for_the_disk_and_what_is_dropped_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        let log = log(directory.path(), 1_000_000, 0);
        let (lines, received) = sync_channel(2);
        let dropped = Arc::new(AtomicU64::new(0));
        let file = AuditFile { lines, level: AuditLevel::Metadata, dropped: dropped.clone() };
        for number in 0..5 {
            file.record(&format!("line {number}"));
        }
        assert_eq!(file.dropped(), 3);
        let writer = thread::spawn(move || write_lines(log, &received, &dropped));
        file.flush();
        assert_eq!(text(directory.path(), "audit.log"), "line 0\nline 1\n");
        drop(file);
        writer.join().unwrap();
    }

    #[test]
    fn lines_that_cannot_be_written_are_counted_and_later_ones_are_written() {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("logs");
        fs::create_dir(&folder).unwrap();
        let file = AuditFile::start(log(&folder, 1_000, 0), AuditLevel::Request, 8).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        file.record("lost");
        file.flush();
        assert_eq!((file.dropped(), file.level()), (1, AuditLevel::Request));
        fs::create_dir(&folder).unwrap();
        file.record("kept");
        file.flush();
        assert_eq!((text(&folder, "audit.log").as_str(), file.dropped()), ("kept\n", 1));
    }
}
