//! Which build this is.

use serde_json::{Value, json};

/// What it was built from; empty where nobody knows.
pub(crate) const COMMIT: &str = env!("KARGO_COMMIT");
const DIRTY: bool = !env!("KARGO_TREE").is_empty();

/// The released version, or `devel+<commit>` for anything built from a work tree.
pub(crate) fn number() -> String {
    shown(option_env!("KARGO_VERSION").unwrap_or_default(), COMMIT, DIRTY)
}

/// The document of the control plane; `goVersion` keeps its name for clients that read it.
pub(crate) fn document() -> Value {
    json!({
        "version": number(),
        "buildDate": env!("KARGO_BUILD_DATE"),
        "gitCommit": COMMIT,
        "gitTreeDirty": DIRTY,
        "goVersion": env!("KARGO_COMPILER"),
        "compiler": "rustc",
        "platform": format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
    })
}

fn shown(released: &str, commit: &str, dirty: bool) -> String {
    if !released.is_empty() && !commit.is_empty() && !dirty {
        return released.to_owned();
    }
    let commit = commit.get(..7).unwrap_or("unknown");
    let suffix = if dirty { ".dirty" } else { "" };
    format!("devel+{commit}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn only_a_clean_release_has_its_plain_version() {
        assert_eq!(shown("v1.2.3", "0123456789", false), "v1.2.3");
        assert_eq!(shown("v1.2.3", "0123456789", true), "devel+0123456.dirty");
        assert_eq!(shown("", "0123456789", false), "devel+0123456");
        assert_eq!(shown("v1.2.3", "", false), "devel+unknown");
    }
}
