//! Which version of the program this is.

use api_rest::body::VersionInfo;
use core_semver::Version;

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

/// What a client is told whose version is more than one minor version away from the server's. Builds without a version
/// of their own fit everything.
pub fn skew(client: &str, server: &str) -> Option<String> {
    let client = Version::parse_lenient(client).ok()?;
    let server = Version::parse_lenient(server).ok()?;
    let is_near = client.major() == server.major() && client.minor().abs_diff(server.minor()) <= 1;
    (!is_near).then(|| {
        let (client, server) = (release(&client), release(&server));
        format!(
            "the command line is {client} and the server is {server}: they are made to be at most one minor version \
             apart"
        )
    })
}

/// The numbers alone: the rest of a version is what its sender likes.
fn release(version: &Version) -> String {
    format!("v{}.{}.{}", version.major(), version.minor(), version.patch())
}

#[cfg(test)]
mod tests {
    use super::{Build, skew, version_info};

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

    #[test]
    fn versions_that_are_far_apart_are_told() {
        for (client, server) in [
            ("v1.2.3", "v1.2.9"),
            ("v1.3.0", "v1.2.9"),
            ("1.1.0", "v1.2.9"),
            ("devel+0123456", "v1.2.9"),
            ("v1.2.3", "devel+unknown.dirty"),
            ("", "v1.2.9"),
            ("v1.2\n.9", "v1.9.0"),
        ] {
            assert_eq!(skew(client, server), None, "{client} {server}");
        }
        for (client, server) in [("v1.4.0", "v1.2.9"), ("v1.0.0", "v1.2.9"), ("v2.2.0", "v1.2.9")] {
            assert!(skew(client, server).is_some(), "{client} {server}");
        }
        assert_eq!(
            skew("v1.9.0-rc.1+<b>", "v1.2.9").as_deref(),
            None,
            "what is no version is not repeated"
        );
        assert_eq!(
            skew("v1.9.0-rc.1", "v1.2.9").as_deref(),
            Some(
                "the command line is v1.9.0 and the server is v1.2.9: they are made to be at most one minor version \
                 apart"
            )
        );
    }
}
