//! Normal form of Git repository addresses.

use super::uri::Uri;
use super::{MAX_URL_BYTES, lower, sanitize};

/// The address in lower case without `.git` and trailing slash; web addresses without user. An
/// address in the short form `user@host:path` becomes `ssh://user@host/path`.
pub fn normalize_git(address: &str) -> String {
    if address.len() > MAX_URL_BYTES {
        return address.to_owned();
    }
    let cleaned = sanitize(&lower(address));
    let normalized = if cleaned.starts_with("http://") || cleaned.starts_with("https://") {
        normalize_uri(&cleaned, UserPart::Dropped)
    } else if cleaned.starts_with("ssh://") {
        normalize_uri(&cleaned, UserPart::Kept)
    } else {
        normalize_short_form(&cleaned)
    };
    normalized.unwrap_or_else(|| address.to_owned())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum UserPart {
    Dropped,
    Kept,
}

fn normalize_uri(cleaned: &str, user: UserPart) -> Option<String> {
    let mut uri = Uri::parse(cleaned).ok()?;
    if uri.has_query_parameters() {
        return None;
    }
    if user == UserPart::Dropped {
        uri.remove_user();
    }
    strip_repository_suffixes(&mut uri);
    Some(uri.to_string())
}

/// What follows the colon is read as an address of its own, which is why a query survives here and
/// a path such as `a:b` does not.
fn normalize_short_form(cleaned: &str) -> Option<String> {
    let (user_and_host, path) = cleaned.split_once(':').unwrap_or((cleaned, ""));
    if !is_user_and_host(user_and_host) {
        return None;
    }
    let mut path = Uri::parse(path).ok()?;
    strip_repository_suffixes(&mut path);
    Some(if path.has_empty_path() {
        format!("ssh://{user_and_host}")
    } else {
        format!("ssh://{user_and_host}/{path}")
    })
}

fn strip_repository_suffixes(uri: &mut Uri) {
    uri.strip_path_suffix("/");
    uri.strip_path_suffix(".git");
}

/// `host.name` or `user@host.name`, of ASCII words and hyphens.
fn is_user_and_host(text: &str) -> bool {
    let is_word = |word: &str| {
        let is_word_byte = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        !word.is_empty() && word.bytes().all(is_word_byte)
    };
    let host = match text.split_once('@') {
        Some((user, _)) if !is_word(user) => return false,
        Some((_, host)) => host,
        None => text,
    };
    host.split('.').all(is_word)
}
