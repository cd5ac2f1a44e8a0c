//! What a credential is for.

use std::fmt;

use core_pattern::{normalize_chart, normalize_git, normalize_image};

/// The kind of repository a credential opens: the value of the label on its Secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Git repositories.
    Git,
    /// Chart repositories, plain or in a registry.
    Helm,
    /// Image repositories.
    Image,
}

impl Kind {
    /// Reads the value of the label; `generic` Secrets and unknown kinds open no repository.
    pub(crate) fn of_label(value: &str) -> Option<Self> {
        match value {
            "git" => Some(Self::Git),
            "helm" => Some(Self::Helm),
            "image" => Some(Self::Image),
            _ => None,
        }
    }

    /// The normal form of an address of this kind. Each kind has its own: `host:port/path` is an
    /// image repository, and would be a path over SSH to Git.
    pub(crate) fn normalize(self, url: &str) -> String {
        match self {
            Self::Git => normalize_git(url),
            Self::Helm => normalize_chart(url),
            Self::Image => normalize_image(url),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Git => "git",
            Self::Helm => "helm",
            Self::Image => "image",
        })
    }
}
