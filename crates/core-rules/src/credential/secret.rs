//! The credential types that discovery, steps and clients share.
//!
//! A secret is a type of its own, so that no log line, error or snapshot can show one by accident.

use std::fmt;

/// A value that came from a Secret or from a token service. `Debug` and `Display` never show it.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value itself, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// How to log in to a repository. Ordered and hashable because caches are kept per credential.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Credential {
    Basic {
        username: String,
        password: Secret,
    },
    /// A PEM private key; Git over SSH only.
    SshKey(Secret),
}

impl Credential {
    pub fn basic(username: impl Into<String>, password: impl Into<String>) -> Self {
        Self::Basic { username: username.into(), password: Secret::new(password) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_shown() {
        let credential = Credential::basic("kargo", "hunter2");
        assert_eq!(
            format!("{credential:?} {}", Secret::new("hunter2")),
            r#"Basic { username: "kargo", password: *** } ***"#
        );
    }
}
