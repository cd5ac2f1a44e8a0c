//! Which version of the program this is.

use api_rest::body::VersionInfo;

const EPOCH: &str = "1970-01-01T00:00:00Z";
const CLEAN: &str = "clean";

/// What was written into the program when it was built; nothing where nobody said so.
#[derive(Clone, Copy, Debug, Default)]
pub struct Build<'a> {
    /// The version.
    pub version: &'a str,
    /// The commit.
    pub commit: &'a str,
    /// `clean` when every change was committed.
    pub tree_state: &'a str,
    /// When it was built, in RFC 3339.
    pub date: &'a str,
    /// The version of the compiler.
    pub compiler_version: &'a str,
    /// The operating system and architecture, such as `linux/amd64`.
    pub platform: &'a str,
}

/// The version of a build.
pub fn version_info(build: &Build<'_>) -> VersionInfo {
    let is_dirty = build.tree_state != CLEAN;
    VersionInfo {
        version: version(build, is_dirty),
        build_date: if build.date.is_empty() { EPOCH } else { build.date }.to_owned(),
        git_commit: build.commit.to_owned(),
        git_tree_dirty: is_dirty,
        // Clients know the version of the compiler under this name.
        go_version: build.compiler_version.to_owned(),
        compiler: "rustc".to_owned(),
        platform: build.platform.to_owned(),
    }
}

fn version(build: &Build<'_>, is_dirty: bool) -> String {
    if !build.version.is_empty() && !build.commit.is_empty() && !is_dirty {
        return build.version.to_owned();
    }
    let commit: String = match build.commit {
        "" => "unknown".to_owned(),
        commit => commit.chars().take(7).collect(),
    };
    let dirty = if is_dirty { ".dirty" } else { "" };
    format!("devel+{commit}{dirty}")
}

#[cfg(test)]
mod tests {
    use super::{Build, version_info};

    #[test]
    fn only_a_clean_build_of_a_release_is_called_by_its_version() {
        for (version, commit, tree_state, expected) in [
            ("v1.2.3", "0123456789", "clean", "v1.2.3"),
            ("v1.2.3", "0123456789", "dirty", "devel+0123456.dirty"),
            ("v1.2.3", "", "clean", "devel+unknown"),
            ("", "0123456789", "clean", "devel+0123456"),
            ("", "", "", "devel+unknown.dirty"),
        ] {
            let build = Build { version, commit, tree_state, ..Build::default() };
            assert_eq!(version_info(&build).version, expected);
        }
        assert_eq!(version_info(&Build::default()).build_date, "1970-01-01T00:00:00Z");
    }
}
