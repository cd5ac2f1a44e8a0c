//! What all paths begin with.

/// A prefix of all paths: empty, or `/a/b` without a slash at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BasePath(String);

/// What a path means behind the prefix.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place<'a> {
    /// A path of ours.
    Inside(&'a str),
    /// The prefix itself, without the slash that must follow.
    Edge,
    /// Not ours.
    Outside,
}

impl BasePath {
    /// The prefix in its canonical form.
    pub fn new(text: &str) -> Self {
        let trimmed = text.trim().trim_matches('/');
        Self(if trimmed.is_empty() { String::new() } else { format!("/{trimmed}") })
    }

    /// The prefix.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What `path` means behind the prefix.
    pub(crate) fn place<'a>(&self, path: &'a str) -> Place<'a> {
        if self.0.is_empty() {
            return Place::Inside(path);
        }
        match path.strip_prefix(self.0.as_str()) {
            Some("") => Place::Edge,
            Some(rest) if rest.starts_with('/') => Place::Inside(rest),
            _ if path == "/healthz" => Place::Inside(path),
            _ => Place::Outside,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BasePath, Place};

    #[test]
    fn prefixes_are_brought_into_one_form() {
        for (text, expected) in [
            ("", ""),
            ("/", ""),
            ("  ", ""),
            ("kargo", "/kargo"),
            ("/teams/kargo/", "/teams/kargo"),
        ] {
            assert_eq!(BasePath::new(text).as_str(), expected, "{text:?}");
        }
    }

    #[test]
    fn paths_without_the_prefix_are_not_ours_and_health_is_both_ways() {
        let base = BasePath::new("/teams/kargo");
        for (path, place) in [
            ("/teams/kargo", Place::Edge),
            ("/teams/kargo/", Place::Inside("/")),
            ("/teams/kargo/v1beta1/projects", Place::Inside("/v1beta1/projects")),
            ("/teams/kargonaut/x", Place::Outside),
            ("/v1beta1/projects", Place::Outside),
            ("/healthz", Place::Inside("/healthz")),
            ("/teams/kargo/healthz", Place::Inside("/healthz")),
        ] {
            assert_eq!(base.place(path), place, "{path}");
        }
        assert_eq!(BasePath::default().place("/x"), Place::Inside("/x"));
    }
}
