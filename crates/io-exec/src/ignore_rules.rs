//! Which files a step leaves out, in the language of `.gitignore`.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Rules, the first of which is always `.git`; a later rule wins, so `!.git/` takes it back.
#[derive(Clone, Debug)]
pub struct IgnoreRules {
    rules: Gitignore,
}

impl IgnoreRules {
    /// Reads rules, one per line. A line that is no rule matches nothing, as it does for git.
    pub fn parse(text: &str) -> Self {
        let mut builder = GitignoreBuilder::new("");
        for line in std::iter::once(".git").chain(text.lines()) {
            // The error is the line's, and the rest stands.
            let _ = builder.add_line(None, line);
        }
        Self { rules: builder.build().unwrap_or_else(|_| Gitignore::empty()) }
    }

    /// Whether a file is left out, not counting the directories it lies in: for walks, which pass over
    /// a directory that is left out.
    pub fn ignores(&self, path: &Path, is_directory: bool) -> bool {
        self.rules.matched(path, is_directory).is_ignore()
    }

    /// Whether a file or a directory it lies in is left out: for lists of paths in any order.
    pub fn ignores_within(&self, path: &Path, is_directory: bool) -> bool {
        self.ignores(path, is_directory)
            || path
                .ancestors()
                .skip(1)
                .any(|parent| !parent.as_os_str().is_empty() && self.ignores(parent, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignores(text: &str, path: &str, is_directory: bool) -> bool {
        IgnoreRules::parse(text).ignores_within(Path::new(path), is_directory)
    }

    #[test]
    fn git_is_left_out_unless_it_is_taken_back() {
        assert!(ignores("", ".git", true) && ignores("", "a/.git", false));
        assert!(ignores("*.md", "a/.git/config", false));
        assert!(!ignores("!.git/", ".git", true));
        assert!(!ignores("!.git/", ".git/config", false));
        assert!(ignores("!.git/", ".git", false), "the rule names directories only");
        assert!(!ignores("", ".gitignore", false));
    }

    #[test]
    fn rules_are_those_of_git() {
        for (rules, path, is_directory, expected) in [
            ("*.yaml", "a/b.yaml", false, true),
            ("/c.yaml", "c.yaml", false, true),
            ("/c.yaml", "a/c.yaml", false, false),
            ("sub/", "sub", false, false),
            ("sub/", "sub/x", false, true),
            ("# comment\n\n  \nx", "x", false, true),
            ("c.yaml ", "c.yaml", false, true),
            ("a/**/z", "a/b/c/z", false, true),
            ("*\n!keep", "keep", false, false),
            ("dir\n!dir/keep", "dir/keep", false, true),
            ("[\nx", "x", false, true),
        ] {
            assert_eq!(ignores(rules, path, is_directory), expected, "{rules:?} {path}");
        }
    }
}
