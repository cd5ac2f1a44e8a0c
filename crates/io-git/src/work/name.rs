//! Names that users choose and that become refs or paths: what git forbids is refused before git sees it, and so is what
//! could be read as an option or a refspec.

use super::error::WorkError;

/// Longer names do not fit into file systems.
const MAX_LENGTH: usize = 200;

/// The full ref of a branch.
pub(crate) fn branch(name: &str) -> Result<String, WorkError> {
    checked("branch", name).map(|name| format!("refs/heads/{name}"))
}

/// The full ref of a tag.
pub(crate) fn tag(name: &str) -> Result<String, WorkError> {
    checked("tag", name).map(|name| format!("refs/tags/{name}"))
}

/// A full ref that we made up ourselves from a user's words.
pub(crate) fn full(name: &str) -> Result<&str, WorkError> {
    match name.strip_prefix("refs/") {
        Some(rest) => checked("ref", rest).map(|_| name),
        None => Err(refused("ref", name, "it does not begin with refs/")),
    }
}

/// A directory of a sparse check-out, without slashes at its ends.
pub(crate) fn sparse_directory(name: &str) -> Result<String, WorkError> {
    let refuse = |reason| Err(refused("sparse directory", name, reason));
    if name.starts_with('/') {
        return refuse("it must be relative to the repository");
    }
    if name.contains(['*', '?', '[']) {
        return refuse("directories are named, patterns are not understood");
    }
    if name.contains(['\n', '\r', '\0']) {
        return refuse("it has more than one line");
    }
    let mut parts = Vec::new();
    for part in name.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." {
            return refuse("it leaves the repository");
        }
        parts.push(part);
    }
    Ok(parts.join("/"))
}

fn checked<'a>(what: &'static str, name: &'a str) -> Result<&'a str, WorkError> {
    match flaw(name) {
        None => Ok(name),
        Some(reason) => Err(refused(what, name, reason)),
    }
}

fn refused(what: &'static str, name: &str, reason: &'static str) -> WorkError {
    WorkError::Name { what, name: name.chars().take(MAX_LENGTH).collect(), reason }
}

/// The rules of `git check-ref-format`, and that no name begins like an option.
fn flaw(name: &str) -> Option<&'static str> {
    let forbidden = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
    if name.is_empty() {
        Some("it is empty")
    } else if name.len() > MAX_LENGTH {
        Some("it is too long")
    } else if name.starts_with('-') {
        Some("it begins with a dash")
    } else if name.contains(forbidden) {
        Some("it has characters that git forbids")
    } else if name.contains("..") || name.contains("@{") || name == "@" {
        Some("it has a sequence that means something else to git")
    } else if name.ends_with('.') || name == "HEAD" {
        Some("git keeps such names for itself")
    } else if name
        .split('/')
        .any(|part| part.is_empty() || part.starts_with('.') || has_suffix(part, ".lock"))
    {
        Some("one of its parts is empty, begins with a dot or ends in .lock")
    } else {
        None
    }
}

/// Git compares such endings exactly, also where they look like those of files.
fn has_suffix(part: &str, suffix: &str) -> bool {
    part.ends_with(suffix)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ordinary_names_pass() {
        for name in
            ["main", "stage/test", "kargo/promotion/test.01hz.abc", "ü/ñ", "a.b-c_d+e", "v1.0@x"]
        {
            assert_eq!(branch(name).unwrap(), format!("refs/heads/{name}"));
            assert_eq!(tag(name).unwrap(), format!("refs/tags/{name}"));
        }
        assert_eq!(full("refs/kargo/staging/x").unwrap(), "refs/kargo/staging/x");
    }

    #[test]
    fn hostile_names_are_refused() {
        for name in [
            "",
            "-x",
            "--upload-pack=id",
            "+main",
            "a:b",
            "a..b",
            "a b",
            "a~1",
            "a^",
            "a?",
            "a*",
            "a[b",
            "a\\b",
            "@",
            "a@{1}",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.lock/b",
            "a.",
            "HEAD",
            "a\nb",
            "a\0b",
        ] {
            let allowed = name == "+main";
            assert_eq!(branch(name).is_ok(), allowed, "{name:?}");
        }
        assert!(branch(&"a".repeat(201)).is_err());
        assert!(full("HEAD").is_err() && full("refs/heads/-").is_ok());
    }

    #[test]
    fn sparse_directories_are_plain_and_inside() {
        for (given, expected) in [("a/b", "a/b"), ("./a//b/", "a/b"), (".", ""), ("a b", "a b")] {
            assert_eq!(sparse_directory(given).unwrap(), expected);
        }
        for given in ["/a", "../a", "a/../../b", "a*", "a?", "[a]", "a\nb"] {
            assert!(sparse_directory(given).is_err(), "{given:?}");
        }
    }

    proptest! {
        #[test]
        fn a_name_that_passes_is_one_argument_and_one_ref(name in "\\PC{0,40}") {
            if let Ok(full) = branch(&name) {
                prop_assert!(full.starts_with("refs/heads/"));
                prop_assert!(!name.starts_with('-') && !full.contains(':') && !full.contains(' '));
            }
        }
    }
}
