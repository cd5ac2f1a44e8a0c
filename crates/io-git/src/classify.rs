//! Tells from a program's last words what went wrong.

use io_exec::Error as ExecError;

use crate::{
    error::{Error, remote_words},
    remote::Target,
    wire::is_not_found,
};

const REFUSED: [&str; 7] = [
    "authentication failed",
    "could not read username",
    "could not read password",
    "permission denied (",
    "returned error: 401",
    "returned error: 403",
    "terminal prompts disabled",
];
const HOST_KEY: [&str; 3] = [
    "host key verification failed",
    "remote host identification has changed",
    "no matching host key",
];
const UNREACHABLE: [&str; 25] = [
    "could not resolve host",
    "failed to connect",
    "connection refused",
    "connection timed out",
    "connection reset",
    "connection closed",
    "operation timed out",
    "operation too slow",
    "no route to host",
    "network is unreachable",
    "couldn't connect",
    "unable to access",
    "the remote end hung up",
    "early eof",
    "rpc failed",
    "unexpected disconnect",
    "broken pipe",
    "kex_exchange_identification",
    "expected flush after",
    "expected 'acknowledgments'",
    "expected 'packfile'",
    "transfer closed",
    "bad line length",
    "protocol error",
    "index-pack failed",
];
const DISK: [&str; 3] = ["no space left on device", "disk quota exceeded", "read-only file system"];
const DAMAGE: [&str; 16] = [
    "bad object",
    "is corrupt",
    "is empty",
    "does not match index",
    "does not point to a valid object",
    "not a git repository",
    "bad config",
    "could not parse commit",
    "is too small",
    "inflate: data stream error",
    "unable to read tree",
    "unable to unpack",
    "bad ref",
    "cannot be accessed",
    "is not a git packfile",
    "wrong index",
];

/// What a failed `git` or `ssh` means for the repository.
pub(crate) fn failure(error: &ExecError, target: &Target) -> Error {
    let repository = target.to_string();
    match error {
        ExecError::Stalled { quiet, .. } => Error::Stalled { repository, quiet: *quiet },
        ExecError::Deadline { after, .. } => Error::Deadline { repository, after: *after },
        ExecError::Cancelled { .. } => Error::Interrupted { repository },
        ExecError::Failed { stderr, .. } => from_words(stderr, target),
        ExecError::Start { source, .. } | ExecError::Wait { source, .. } => {
            Error::Local { what: "git or ssh could not be run", reason: source.to_string() }
        }
        ExecError::TooMuchOutput { .. } => Error::Git { repository, reason: error.to_string() },
    }
}

fn from_words(stderr: &str, target: &Target) -> Error {
    let lower = stderr.to_ascii_lowercase();
    let says = |known: &[&str]| known.iter().any(|words| lower.contains(words));
    let repository = target.to_string();
    let host = target.host();
    let reason = remote_words(stderr);
    if let Some(name) = missing_ref(stderr) {
        return Error::NoSuchRef { repository, name };
    }
    if says(&HOST_KEY) {
        return Error::HostKey { host, reason };
    }
    if says(&REFUSED) {
        return Error::Credential { host, offered: target.offered() };
    }
    if says(&DISK) {
        return Error::Local { what: "the repository could not be stored", reason };
    }
    if is_not_found(&lower) && !lower.contains("not a git repository: ") {
        return Error::NotFound { repository };
    }
    if says(&UNREACHABLE) {
        return Error::Unreachable { host, reason };
    }
    // `ssh` ends without a word when the other side goes away in the middle of the log-in.
    if reason.is_empty() {
        return Error::Unreachable { host, reason: "the connection broke off".to_owned() };
    }
    Error::Git { repository, reason }
}

fn missing_ref(stderr: &str) -> Option<String> {
    let (_, rest) = stderr.split_once("couldn't find remote ref ")?;
    rest.split([';', ' ']).next().map(remote_words)
}

/// Whether a failure of `git` may come from a damaged mirror rather than from the server.
pub(crate) fn hints_at_damage(error: &Error) -> bool {
    let (Error::Git { reason, .. } | Error::Unreachable { reason, .. }) = error else {
        return false;
    };
    let reason = reason.to_ascii_lowercase();
    let ours = reason.split("; ").filter(|line| !line.starts_with("remote:"));
    ours.into_iter().any(|line| DAMAGE.iter().any(|words| line.contains(words)))
}

#[cfg(test)]
mod tests {
    use io_http::outbound::Tls;

    use super::*;
    use crate::remote::Remote;

    fn classify(stderr: &str) -> Error {
        let url = "https://example.com/a.git".to_owned();
        let target = Target::of(&Remote { url, credential: None, tls: Tls::default() }).unwrap();
        from_words(stderr, &target)
    }

    #[test]
    fn the_last_words_of_git_and_ssh_are_understood() {
        let kinds = [
            ("fatal: Authentication failed for 'https://example.com/a.git/'", "refused access"),
            (
                "fatal: could not read Username for 'https://example.com': terminal prompts disabled",
                "refused access",
            ),
            ("git@example.com: Permission denied (publickey).", "refused access"),
            ("Host key verification failed.", "host key"),
            ("fatal: couldn't find remote ref refs/heads/x", "has no refs/heads/x"),
            ("fatal: repository 'https://example.com/a.git/' not found", "was not found"),
            ("ssh: connect to host 10.0.0.1 port 22: Connection refused", "could not be reached"),
            ("error: RPC failed; curl 18; fatal: early EOF", "could not be reached"),
            ("fatal: expected flush after ref listing", "could not be reached"),
            ("", "could not be reached: the connection broke off"),
            ("fatal: write error: No space left on device", "could not be stored"),
            ("fatal: something new", "could not be fetched: fatal: something new"),
        ];
        for (words, expected) in kinds {
            let text = classify(words).to_string();
            assert!(text.contains(expected), "{words}: {text}");
        }
    }

    #[test]
    fn damage_is_told_from_what_a_server_says() {
        assert!(hints_at_damage(&classify("fatal: bad object refs/mirror/1")));
        assert!(hints_at_damage(&classify("error: object file ./objects/aa/b is empty")));
        assert!(!hints_at_damage(&classify("remote: bad object")));
        assert!(!hints_at_damage(&classify("fatal: something new")));
    }
}
