//! Exit codes: one meaning each, so that scripts can tell what happened.

use std::{error::Error, fmt, io::Write, process::ExitCode};

/// Why the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// All went well.
    Success = 0,
    /// Anything without a code of its own.
    Error = 1,
    /// Wrong arguments or settings.
    Usage = 2,
    /// The Promotion ended, but not well.
    PromotionFailed = 3,
    /// Interrupted; it can be gone on with.
    Interrupted = 4,
    /// The port is taken.
    PortTaken = 20,
    /// Another process uses the data directory.
    DataDirectoryLocked = 21,
    /// No room on the disk.
    DiskFull = 22,
    /// The database is damaged.
    Damaged = 23,
    /// The data directory was written by a newer version.
    NewerFormat = 24,
    /// The cluster cannot be reached.
    ClusterUnreachable = 25,
    /// The user of the kubeconfig may not do what is needed.
    ClusterForbids = 26,
    /// Another installation works on the cluster.
    ClusterTaken = 27,
    /// The cluster does not reach the webhooks.
    WebhooksUnreachable = 28,
    /// Something is not in the target as it was in the source.
    Incomplete = 29,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// A failure on its way to the user: what went wrong, and the exit code that says so.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    error: Box<dyn Error + Send + Sync>,
    hint: Option<String>,
}

impl Failure {
    /// A failure with a code of its own.
    pub(crate) fn new(exit: Exit, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { exit, error: error.into(), hint: None }
    }

    /// Wrong arguments or settings.
    pub(crate) fn usage(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(Exit::Usage, error)
    }

    /// The same failure with what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same failure, told by what it means.
    pub(crate) fn context(self, meaning: &str) -> Self {
        let error = format!("{meaning}: {self}").into();
        Self { error, ..self }
    }

    /// The code that it ends with.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Prints the chain of causes and the hint to stderr.
    pub(crate) fn report(&self) -> ExitCode {
        let mut stderr = std::io::stderr().lock();
        drop(writeln!(stderr, "error: {self}"));
        if let Some(hint) = &self.hint {
            drop(writeln!(stderr, "hint: {hint}"));
        }
        self.exit.into()
    }
}

/// The chain of causes.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_causes(&*self.error))
    }
}

/// An error with the chain of its causes. Some errors repeat their cause in their own words.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let exit = if error.kind() == std::io::ErrorKind::StorageFull {
            Exit::DiskFull
        } else {
            Exit::Error
        };
        Self::new(exit, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tells its cause itself.
    #[derive(Debug)]
    struct Telling(std::io::Error);

    impl fmt::Display for Telling {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "the file cannot be read: {}", self.0)
        }
    }

    impl Error for Telling {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn a_cause_is_told_once() {
        let failure = Failure::usage(Telling(std::io::Error::other("no disk")));
        assert_eq!(failure.to_string(), "the file cannot be read: no disk");
    }
}
