//! `delete`: removes files and directories of the work directory.
//!
//! Everything is found before anything is removed. Other than elsewhere a path that leads out of the work
//! directory is an error, and the last component is never followed: a link is removed as a link.

use std::{collections::BTreeSet, path::PathBuf};

use core_pattern::{Glob, slash_path};
use io_exec::{Descend, Jail};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Outcome, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct Delete;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["path"]}, {"required": ["paths"]}]))]
pub(crate) struct Config {
    /// What to delete.
    #[serde(default)]
    #[schemars(length(min = 1))]
    path: String,
    /// What to delete, where it is more than one thing.
    #[serde(default)]
    #[schemars(length(min = 1), inner(length(min = 1)))]
    paths: Vec<String>,
    /// Whether the paths are globs, such as `**/*.yaml`.
    #[serde(default)]
    paths_are_globs: bool,
    /// Whether a path that leads to nothing, or a glob that matches nothing, is an error.
    #[serde(default)]
    strict: bool,
}

impl Step for Delete {
    const KIND: &'static str = "delete";
    type Config = Config;
    type Needs = ();

    async fn run(&self, config: Config, (): (), cx: &StepCx<'_>) -> StepResult {
        let removed = cx.files.blocking(move |jail| delete(jail, &config)).await?;
        cx.say(format!("deleted {removed} files and directories"));
        Ok(Outcome::done())
    }
}

fn delete(jail: &Jail, config: &Config) -> Result<usize, StepError> {
    let mut targets = BTreeSet::new();
    for path in config.paths.iter().chain(Some(&config.path).filter(|path| !path.is_empty())) {
        let found = if config.paths_are_globs {
            matches(jail, path)?
        } else {
            literal(jail, path)?.into_iter().collect()
        };
        if config.strict && found.is_empty() {
            return Err(StepError::retryable(format!(
                "there is nothing at {path}, and strict is set: nothing was deleted"
            )));
        }
        targets.extend(found);
    }
    let mut removed = 0;
    for target in &targets {
        removed += usize::from(jail.remove(target)?);
    }
    Ok(removed)
}

/// Where a path leads, links on the way followed, if there is something.
fn literal(jail: &Jail, path: &str) -> Result<Option<PathBuf>, StepError> {
    let cleaned = slash_path::clean(path.trim_start_matches('/'));
    if cleaned == "." {
        return Err(StepError::retryable(
            "the work directory itself cannot be deleted: name a path inside it",
        ));
    }
    if !slash_path::is_within(".", &cleaned) {
        return Err(StepError::retryable(format!(
            "{path} would traverse outside the work directory: name a path inside it"
        )));
    }
    let located = jail.locate_beneath(&cleaned)?;
    Ok(jail.find_link(&located)?.map(|_| located))
}

/// What a glob matches. Its components up to the first wildcard may be links, the others are not followed.
fn matches(jail: &Jail, pattern: &str) -> Result<Vec<PathBuf>, StepError> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let glob = Glob::parse(pattern)
        .map_err(|error| StepError::fatal(format!("{pattern:?} is not a glob")).because(error))?;
    if pattern.starts_with('/') || pattern.split('/').any(|component| component == "..") {
        return Ok(Vec::new());
    }
    let Some(prefix) = literal_prefix(pattern) else {
        return Ok(literal(jail, pattern)?.into_iter().collect());
    };
    let mut found = Vec::new();
    // Something in the directory, so that a link to it is followed.
    let mut directory = jail.locate_beneath(format!("{prefix}/x"))?;
    directory.pop();
    if !prefix.is_empty() && glob.matches(prefix) {
        found.extend(literal(jail, prefix)?);
    }
    let walked = jail.walk(&directory, |entry| {
        let name = slash_path::join(&[prefix, &entry.path.to_string_lossy()]);
        if !glob.matches(&name) {
            return Ok(Descend::Into);
        }
        found.push(directory.join(&entry.path));
        Ok::<_, io_exec::JailError>(Descend::Past)
    });
    match walked {
        Err(error) if !error.is_not_found() => Err(error.into()),
        _ => Ok(found),
    }
}

/// The components before the first one with a wildcard; `None` when there is none.
fn literal_prefix(pattern: &str) -> Option<&str> {
    let wildcard = pattern.find(['*', '?', '[', '{', '\\'])?;
    let before = pattern.get(..wildcard)?;
    Some(before.rfind('/').and_then(|slash| before.get(..slash)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use api_kinds::promotion::PromotionStepStatus as Status;
    use serde_json::json;

    use crate::{Class, testbed::Testbed};

    #[tokio::test]
    async fn a_link_is_removed_and_what_it_leads_to_stays() {
        let testbed = Testbed::new().await;
        testbed.write("dir/a", "A");
        symlink("dir", testbed.files().join("link")).unwrap();
        symlink("/etc", testbed.files().join("etc")).unwrap();
        let config = json!({"paths": ["link", "etc"], "strict": true});
        let attempt = testbed.run("delete", config).await;
        assert_eq!(attempt.status, Status::Succeeded, "{}", attempt.message);
        assert_eq!(testbed.read("dir/a").as_deref(), Some("A"));
        assert!(testbed.files().join("link").symlink_metadata().is_err());
    }

    #[tokio::test]
    async fn a_parent_that_leads_outside_is_an_error_and_one_inside_is_followed() {
        let testbed = Testbed::new().await;
        testbed.write("dir/a", "A");
        symlink("../..", testbed.files().join("out")).unwrap();
        symlink("/etc", testbed.files().join("etc")).unwrap();
        symlink("dir", testbed.files().join("in")).unwrap();
        for path in ["out/x", "etc/hostname", "../x", "/../x"] {
            let attempt = testbed.run("delete", json!({"path": path})).await;
            assert_eq!(attempt.class, Some(Class::Retryable), "{path}");
            assert!(attempt.message.contains("outside"), "{}", attempt.message);
        }
        for config in [json!({"path": "out/*", "pathsAreGlobs": true})] {
            assert_eq!(testbed.run("delete", config).await.class, Some(Class::Retryable));
        }
        let config = json!({"path": "in/*", "pathsAreGlobs": true, "strict": true});
        assert_eq!(testbed.run("delete", config).await.class, None);
        assert_eq!(testbed.read("dir/a"), None);
    }

    #[tokio::test]
    async fn globs_that_are_none_end_for_good_and_those_that_lead_up_match_nothing() {
        let testbed = Testbed::new().await;
        testbed.write("a", "A");
        let glob = |glob: &str, strict: bool| json!({"path": glob, "pathsAreGlobs": true, "strict": strict});
        assert_eq!(testbed.run("delete", glob("[", false)).await.class, Some(Class::Fatal));
        for pattern in ["../*", "a/../*", "/a", "missing/*"] {
            assert_eq!(testbed.run("delete", glob(pattern, false)).await.class, None, "{pattern}");
            let strict = testbed.run("delete", glob(pattern, true)).await;
            assert_eq!(strict.class, Some(Class::Retryable), "{pattern}");
        }
        assert_eq!(testbed.read("a").as_deref(), Some("A"));
        assert_eq!(testbed.run("delete", glob("./**", true)).await.class, None);
        assert_eq!(testbed.read("a"), None);
    }

    #[tokio::test]
    async fn strict_deletes_all_or_nothing() {
        let testbed = Testbed::new().await;
        testbed.write("a", "A");
        let strict = testbed.run("delete", json!({"paths": ["a", "b"], "strict": true})).await;
        assert_eq!(
            (strict.class, testbed.read("a").as_deref()),
            (Some(Class::Retryable), Some("A"))
        );
        for _ in 0..2 {
            assert_eq!(testbed.run("delete", json!({"paths": ["a", "b"]})).await.class, None);
        }
        assert_eq!(testbed.read("a"), None);
    }
}
