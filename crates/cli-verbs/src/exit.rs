//! How a verb ends, so that scripts can tell what happened.

use std::fmt;

/// The exit codes of the verbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Anything without a code of its own.
    Error = 1,
    /// Wrong arguments.
    Usage = 2,
    /// Something that was named does not exist.
    NotFound = 3,
    /// Nobody is logged in, or the user may not.
    Denied = 4,
    /// It exists already, or is not in a state for that.
    Conflict = 5,
    /// It took longer than it was given.
    TimedOut = 6,
    /// The Promotion that was waited for ended, but not well.
    PromotionFailed = 10,
}

/// What a verb returns.
pub type CliResult<T = ()> = Result<T, Failure>;

/// Why a verb did not do what was asked.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The code.
    pub exit: Exit,
    /// What is told after `Error: `.
    pub message: String,
    /// What to do about it, on a line of its own.
    pub hint: Option<String>,
    /// What only a user who asked for it sees.
    pub details: Option<String>,
    /// The command whose usage is told first.
    pub usage_of: Option<&'static str>,
}

impl Failure {
    /// A failure with a code of its own.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: None, details: None, usage_of: None }
    }

    /// A failure without one.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Exit::Error, message)
    }

    /// Wrong arguments.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, told by what was being done.
    #[must_use]
    pub fn context(mut self, action: impl fmt::Display) -> Self {
        self.message = format!("{action}: {}", self.message);
        self
    }

    /// All failures as one, a line each; the code of the first.
    pub(crate) fn joined(failures: Vec<Self>) -> CliResult {
        let messages: Vec<&str> = failures.iter().map(|one| one.message.as_str()).collect();
        let message = messages.join("\n");
        match failures.into_iter().next() {
            Some(first) => Err(Self { message, ..first }),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<cli_client::Error> for Failure {
    fn from(error: cli_client::Error) -> Self {
        let exit = match error.status() {
            Some(404) => Exit::NotFound,
            Some(401 | 403) => Exit::Denied,
            Some(409) => Exit::Conflict,
            Some(408 | 504) => Exit::TimedOut,
            _ if is_timeout(&error) => Exit::TimedOut,
            _ => Exit::Error,
        };
        let hint = (error.status() == Some(401))
            .then(|| "log in again with `kargo login`, or check KARGO_API_TOKEN".to_owned());
        let details = error.details();
        Self { hint, details, ..Self::new(exit, error.to_string()) }
    }
}

fn is_timeout(error: &cli_client::Error) -> bool {
    use cli_client::{Error, TransportError};
    matches!(error, Error::Transport(TransportError::TimedOut(_)))
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::error(error.to_string())
    }
}

/// Says what was being done when something failed.
pub(crate) trait Context<T> {
    /// The same result, told by what was being done.
    fn context(self, action: impl fmt::Display) -> CliResult<T>;
}

impl<T, E: Into<Failure>> Context<T> for Result<T, E> {
    fn context(self, action: impl fmt::Display) -> CliResult<T> {
        self.map_err(|error| error.into().context(action))
    }
}
