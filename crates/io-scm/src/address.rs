//! Addresses of repositories, taken apart.
//!
//! The same address forms as in comparisons (`core_pattern::normalize_git`) are read, but the letter case of the
//! path is kept: services show and redirect by it, and some tell `App` from `app`.

use core_pattern::{Uri, sanitize};
use percent_encoding::percent_decode_str;

/// A repository's address without its user, `.git` and trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// `http` where the address says so; otherwise the service is spoken to over `https`.
    pub(crate) scheme: &'static str,
    /// In lower case, with its port. Empty for an address without a host.
    pub(crate) host: String,
    /// Decoded, with its leading slash.
    pub(crate) path: String,
}

impl Address {
    /// Takes an address apart; `None` when it is none.
    pub(crate) fn parse(url: &str) -> Option<Self> {
        let cleaned = sanitize(url);
        if has_scheme(&cleaned, &["http", "https", "ssh"]) {
            let mut uri = Uri::parse(&cleaned).ok()?;
            if !uri.has_query_parameters() {
                strip_repository_suffixes(&mut uri);
            }
            return Some(Self::of(&cleaned, &uri));
        }
        Self::parse_short_form(&cleaned)
            .or_else(|| Uri::parse(url).ok().map(|uri| Self::of(&cleaned, &uri)))
    }

    fn of(cleaned: &str, uri: &Uri) -> Self {
        Self {
            scheme: if has_scheme(cleaned, &["http"]) { "http" } else { "https" },
            host: uri.host().to_ascii_lowercase(),
            path: decode(&uri.encoded_path()),
        }
    }

    /// `user@host:path`, or only `host:path`.
    fn parse_short_form(cleaned: &str) -> Option<Self> {
        let (user_and_host, path) = cleaned.split_once(':').unwrap_or((cleaned, ""));
        let host = match user_and_host.split_once('@') {
            Some((user, host)) if is_word(user) => host,
            Some(_) => return None,
            None => user_and_host,
        };
        if !host.split('.').all(is_word) {
            return None;
        }
        let mut path = Uri::parse(path).ok()?;
        strip_repository_suffixes(&mut path);
        let path = decode(&path.encoded_path());
        let path = path.trim_start_matches('/');
        Some(Self {
            scheme: "https",
            host: host.to_ascii_lowercase(),
            path: if path.is_empty() { String::new() } else { format!("/{path}") },
        })
    }

    /// The path without its leading slash.
    pub(crate) fn name(&self) -> &str {
        self.path.strip_prefix('/').unwrap_or(&self.path)
    }

    /// For messages: no user, no password.
    pub(crate) fn shown(url: &str) -> String {
        Self::parse(url).map_or_else(
            || "the given repoURL".to_owned(),
            |address| format!("{}://{}{}", address.scheme, address.host, address.path),
        )
    }
}

fn has_scheme(cleaned: &str, schemes: &[&str]) -> bool {
    let Some((scheme, _)) = cleaned.split_once("://") else { return false };
    schemes.iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

fn strip_repository_suffixes(uri: &mut Uri) {
    uri.strip_path_suffix("/");
    uri.strip_path_suffix(".git");
}

fn decode(encoded: &str) -> String {
    percent_decode_str(encoded).decode_utf8_lossy().into_owned()
}

fn is_word(text: &str) -> bool {
    let is_word_byte = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !text.is_empty() && text.bytes().all(is_word_byte)
}

#[cfg(test)]
mod tests {
    use core_pattern::normalize_git;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_letter_case_of_the_path_is_kept_and_that_of_the_host_is_not() {
        for url in [
            "HTTPS://User:secret@Git.Example.com/Acme/App.git/",
            "ssh://git@git.example.com/Acme/App.git",
            "git@git.example.com:Acme/App.git",
            "git@git.example.com:/Acme/App",
        ] {
            let address = Address::parse(url).unwrap();
            assert_eq!(
                (address.scheme, address.host.as_str(), address.path.as_str()),
                ("https", "git.example.com", "/Acme/App"),
                "{url}"
            );
        }
    }

    #[test]
    fn an_address_in_a_message_shows_no_login() {
        assert_eq!(Address::shown("https://user:secret@host/a/b.git"), "https://host/a/b");
        assert_eq!(Address::shown("https://user:secret@[::1"), "the given repoURL");
    }

    proptest! {
        #[test]
        fn the_same_repositories_are_meant_as_in_comparisons(
            scheme in "(https://|http://|ssh://git@|git@)",
            path in "[A-Za-z0-9_.-]{1,8}/[A-Za-z0-9_-]{1,8}(\\.git)?/?",
        ) {
            let separator = if scheme == "git@" { ":" } else { "/" };
            let url = format!("{scheme}git.example.com{separator}{path}");
            let normal = Address::parse(&normalize_git(&url)).unwrap();
            let kept = Address::parse(&url).unwrap();
            prop_assert_eq!(normal.path, kept.path.to_lowercase());
            prop_assert_eq!((normal.scheme, normal.host), (kept.scheme, kept.host));
        }

        #[test]
        fn any_text_is_an_address_or_none(url in ".*") {
            let _ = Address::parse(&url);
        }
    }
}
