//! The repository that a credential is wanted for.

use core_pattern::sanitize;

use crate::Kind;

/// The longest address shown in a message.
const SHOWN_CHARS: usize = 256;

/// An address as it was given, and its normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) kind: Kind,
    pub(crate) raw: String,
    pub(crate) normalized: String,
}

impl Address {
    pub(crate) fn new(kind: Kind, url: &str) -> Self {
        Self { kind, raw: url.to_owned(), normalized: kind.normalize(url) }
    }

    /// Whether a credential sent there could be read on the way. Both forms count, so that neither
    /// blanks nor upper case hide the scheme.
    pub(crate) fn is_plain_http(&self) -> bool {
        [&self.raw, &self.normalized].into_iter().any(|url| {
            let url = sanitize(url);
            url.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http://"))
        })
    }

    /// Whether this is Git over SSH.
    pub(crate) fn is_ssh(&self) -> bool {
        self.kind == Kind::Git && self.normalized.starts_with("ssh://")
    }

    /// The address for messages: bounded, printable, and without what a person may have written
    /// before an `@` or into a query.
    pub(crate) fn shown(&self) -> String {
        let url: String = sanitize(&self.raw).chars().take(SHOWN_CHARS).collect();
        let url = url.split_once('?').map_or(url.as_str(), |(url, _)| url);
        let (scheme, rest) = match url.split_once("://") {
            Some((scheme, rest)) => (format!("{scheme}://"), rest),
            // Not for images, whose digest follows an `@`.
            None if self.kind == Kind::Git => (String::new(), url),
            None => return url.to_owned(),
        };
        let (authority, path) = rest.split_at(rest.find(['/', '#']).unwrap_or(rest.len()));
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        format!("{scheme}{host}{path}")
    }
}
