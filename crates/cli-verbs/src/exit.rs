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
    /// What would change could not be found out.
    NotCompared = 7,
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

    /// A code that says all there is to say.
    pub(crate) fn silent(exit: Exit) -> Self {
        Self::new(exit, "")
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
        let (hint, details) = (way_out(&error).map(str::to_owned), error.details());
        Self { hint, details, ..Self::new(exit, error.to_string()) }
    }
}

/// What helps against what went wrong between here and the server.
fn way_out(error: &cli_client::Error) -> Option<&'static str> {
    use cli_client::{Error, TransportError};
    match error {
        Error::Api(error) => match error.status {
            401 => Some("log in again with `kargo login`, or check KARGO_API_TOKEN"),
            403 => {
                Some("it takes a role that may do this; who administers the Project can grant it")
            }
            404 if error.message.contains("projects.kargo.akuity.io") => {
                Some("`kargo get projects` shows those that there are")
            }
            404 if error.message.contains("namespaces \"") => Some(
                "a namespace is that of a Project, which must be there first: `kargo create project NAME`",
            ),
            429 | 503 => Some("try again in a moment"),
            _ if error.message.contains("no matches for kind") => Some(
                "check apiVersion and kind; those of Kargo begin with `apiVersion: kargo.akuity.io/v1alpha1`",
            ),
            _ => None,
        },
        Error::Transport(TransportError::Unreachable(_) | TransportError::TimedOut(_)) => Some(
            "see that the server runs and is reached from here: `kargo doctor` tells what is wrong",
        ),
        Error::Transport(TransportError::Untrusted(_)) => Some(
            "have this machine trust the server's certificate, or believe any with --insecure-skip-tls-verify",
        ),
        _ => None,
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

#[cfg(test)]
mod tests {
    use cli_client::{ApiError, Error, TransportError};

    use super::*;

    fn hint(status: u16, message: &str) -> String {
        let message = message.to_owned();
        let error = Error::Api(ApiError { status, message, code: None, request_id: None });
        Failure::from(error).hint.unwrap_or_default()
    }

    #[test]
    fn what_goes_wrong_comes_with_a_way_out() {
        assert!(hint(401, "invalid token").contains("kargo login"));
        assert!(hint(403, "delete is not permitted").contains("role"));
        assert!(
            hint(404, "projects.kargo.akuity.io \"x\" not found").contains("kargo get projects")
        );
        assert!(hint(404, "namespaces \"x\" not found").contains("kargo create project"));
        assert!(hint(400, "no matches for kind \"Stage\" in version \"\"").contains("apiVersion"));
        assert_eq!(hint(404, "stages.kargo.akuity.io \"x\" not found"), "");
        let unreachable = Error::Transport(TransportError::Unreachable("refused".to_owned()));
        assert!(Failure::from(unreachable).hint.unwrap().contains("kargo doctor"));
        let untrusted = Error::Transport(TransportError::Untrusted("unknown issuer".to_owned()));
        let hint = Failure::from(untrusted).hint.unwrap();
        assert!(hint.contains("--insecure-skip-tls-verify"));
    }
}
