//! What a step tells, in a file of its own: bounded and blanked.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use parking_lot::Mutex;

/// How much is kept of one step.
const MAX_BYTES: u64 = 64 << 10;
/// What stands where the rest would be.
const CUT: &str = "… the rest was cut: a step may tell 64 kB\n";

/// The log of one step, over all its attempts.
pub(super) struct StepLog {
    path: PathBuf,
    open: Mutex<Option<Open>>,
}

struct Open {
    file: File,
    left: u64,
}

impl StepLog {
    /// A log at this place; the file appears with the first line.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, open: Mutex::new(None) }
    }

    /// Adds a line. A log that cannot be written is no reason to fail a step.
    pub(super) fn add(&self, line: &str) {
        if let Err(error) = self.try_add(line) {
            tracing::debug!(path = %self.path.display(), %error, "step log not written");
        }
    }

    fn try_add(&self, line: &str) -> io::Result<()> {
        let mut open = self.open.lock();
        let open = match &mut *open {
            Some(open) => open,
            closed => closed.insert(Open::at(&self.path)?),
        };
        open.add(line)
    }
}

impl Open {
    fn at(path: &Path) -> io::Result<Self> {
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)?;
        }
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).read(true).mode(0o600).open(path)?;
        let length = file.metadata()?.len();
        let left = if is_cut(&file, length)? { 0 } else { MAX_BYTES.saturating_sub(length) };
        Ok(Self { file, left })
    }

    fn add(&mut self, line: &str) -> io::Result<()> {
        let needed = line.len() as u64 + 1;
        if self.left == 0 {
            return Ok(());
        }
        if needed + CUT.len() as u64 > self.left {
            self.left = 0;
            return self.file.write_all(CUT.as_bytes());
        }
        self.left -= needed;
        self.file.write_all(format!("{line}\n").as_bytes())
    }
}

/// Whether the log reached its limit in an earlier attempt.
fn is_cut(file: &File, length: u64) -> io::Result<bool> {
    let mut end = vec![0; CUT.len()];
    let Some(start) = length.checked_sub(CUT.len() as u64) else { return Ok(false) };
    file.read_exact_at(&mut end, start)?;
    Ok(end == CUT.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_cut_at_its_limit_also_when_it_is_opened_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("logs/0-a.log");
        for _ in 0..3 {
            let log = StepLog::new(path.clone());
            (0..700).for_each(|_| log.add(&"x".repeat(60)));
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.len() as u64 <= MAX_BYTES, "{}", text.len());
        assert!(text.ends_with(CUT));
        assert_eq!(text.matches(CUT).count(), 1);
    }
}
