//! Which paths a sparse check-out holds: git's cone mode.
//!
//! A cone is a set of directories. Everything below them is checked out, and so are the files (not the directories) that
//! stand directly in the root and in each directory on the way to them.

use std::collections::BTreeSet;

use super::{error::WorkError, name::sparse_directory};

/// The directories of a sparse check-out; without any, all of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cone {
    directories: Option<Directories>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Directories {
    /// Checked out with everything below.
    deep: BTreeSet<String>,
    /// On the way to one of those.
    parents: BTreeSet<String>,
}

/// How much of a directory is checked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    All,
    /// Its files, and perhaps some of its directories.
    Files,
    Nothing,
}

impl Cone {
    /// The cone of these directories; all of the repository when there are none.
    pub(crate) fn of(directories: &[String]) -> Result<Self, WorkError> {
        if directories.is_empty() {
            return Ok(Self::default());
        }
        let mut cone = Directories::default();
        for directory in directories {
            let directory = sparse_directory(directory)?;
            if !directory.is_empty() {
                let slashes = directory.match_indices('/');
                cone.parents
                    .extend(slashes.filter_map(|(at, _)| directory.get(..at)).map(str::to_owned));
                cone.deep.insert(directory);
            }
        }
        let deep = cone.deep.clone();
        cone.deep.retain(|directory| !ancestors(directory).any(|parent| deep.contains(parent)));
        cone.parents.retain(|parent| {
            !deep.contains(parent) && !ancestors(parent).any(|above| deep.contains(above))
        });
        Ok(Self { directories: Some(cone) })
    }

    /// How much of `directory` is checked out; the root is the empty path.
    pub(crate) fn share(&self, directory: &str) -> Share {
        let Some(cone) = &self.directories else { return Share::All };
        if cone.deep.contains(directory)
            || ancestors(directory).any(|above| cone.deep.contains(above))
        {
            Share::All
        } else if directory.is_empty() || cone.parents.contains(directory) {
            Share::Files
        } else {
            Share::Nothing
        }
    }

    /// The file `info/sparse-checkout` of such a check-out; `None` when it is not sparse.
    pub(crate) fn patterns(&self) -> Option<String> {
        let cone = self.directories.as_ref()?;
        let mut lines = vec!["/*".to_owned(), "!/*/".to_owned()];
        for parent in &cone.parents {
            lines.push(format!("/{}/", escaped(parent)));
            lines.push(format!("!/{}/*/", escaped(parent)));
        }
        lines.extend(cone.deep.iter().map(|directory| format!("/{}/", escaped(directory))));
        lines.push(String::new());
        Some(lines.join("\n"))
    }
}

fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(at, _)| path.get(..at))
}

fn escaped(path: &str) -> String {
    path.replace('\\', r"\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cone(directories: &[&str]) -> Cone {
        let directories: Vec<String> = directories.iter().map(|&each| each.to_owned()).collect();
        Cone::of(&directories).unwrap()
    }

    #[test]
    fn without_directories_everything_is_checked_out() {
        assert_eq!((cone(&[]).share("a/b"), cone(&[]).patterns()), (Share::All, None));
    }

    #[test]
    fn a_cone_holds_its_directories_and_the_files_on_the_way() {
        let cone = cone(&["a/b/c", "x/"]);
        for (directory, share) in [
            ("", Share::Files),
            ("a", Share::Files),
            ("a/b", Share::Files),
            ("a/b/c", Share::All),
            ("a/b/c/d/e", Share::All),
            ("a/b/cc", Share::Nothing),
            ("x/y", Share::All),
            ("z", Share::Nothing),
        ] {
            assert_eq!(cone.share(directory), share, "{directory}");
        }
        assert_eq!(
            cone.patterns().unwrap(),
            "/*\n!/*/\n/a/\n!/a/*/\n/a/b/\n!/a/b/*/\n/a/b/c/\n/x/\n"
        );
    }

    #[test]
    fn a_directory_inside_another_adds_nothing() {
        assert_eq!(cone(&["a", "a/b/c"]), cone(&["a"]));
        assert_eq!(cone(&["."]).patterns().unwrap(), "/*\n!/*/\n");
    }
}
