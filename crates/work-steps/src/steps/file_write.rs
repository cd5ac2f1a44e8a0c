//! `file-write`: writes a text to a file.
//!
//! The path is taken at its word: other than elsewhere it may not be absolute, lead up or go through a link.

use std::path::Path;

use core_pattern::slash_path;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Outcome, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct FileWrite;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The file to write, relative to the work directory.
    #[schemars(length(min = 1))]
    path: String,
    /// What to write, exactly.
    contents: String,
    /// Permissions of the file in octal; nobody may be allowed to execute it, and not everybody to write it.
    #[serde(default = "private")]
    #[schemars(regex(pattern = r"^0[0-7]{3}$"))]
    permissions: String,
    /// Whether an existing file is replaced.
    #[serde(default)]
    overwrite: bool,
}

fn private() -> String {
    "0600".to_owned()
}

impl Step for FileWrite {
    const KIND: &'static str = "file-write";
    type Config = Config;
    type Needs = ();

    async fn run(&self, config: Config, (): (), cx: &StepCx<'_>) -> StepResult {
        let path = check_path(&config.path)?;
        let mode = check_permissions(&config.permissions)?;
        if cx.files.locate(&path)? != Path::new(&path) && path != "." {
            return Err(StepError::failed(format!(
                "{path} leads through a symbolic link: name the path that it leads to"
            )));
        }
        if !config.overwrite && cx.files.find_link(&path)?.is_some() {
            return Err(StepError::failed(format!(
                "{path} exists: choose another path, or set overwrite to true"
            )));
        }
        let mut file = cx.files.create(&path)?.with_mode(mode)?;
        file.append(config.contents.as_bytes())?;
        file.commit()?;
        Ok(Outcome::done())
    }
}

fn check_path(path: &str) -> Result<String, StepError> {
    let cleaned = slash_path::clean(path);
    let refusal = if path.starts_with('/') {
        "is absolute: name a path relative to the work directory"
    } else if !slash_path::is_within(".", &cleaned) {
        "leads out of the work directory: name a path inside it"
    } else if cleaned.split('/').any(|component| component.eq_ignore_ascii_case(".git")) {
        "lies in a .git directory, which only git steps write to: choose another path"
    } else {
        return Ok(cleaned);
    };
    Err(StepError::failed(format!("{path} {refusal}")))
}

fn check_permissions(octal: &str) -> Result<u32, StepError> {
    let refused = |why| StepError::failed(format!("permissions {octal} {why}"));
    let mode = u32::from_str_radix(octal, 8).map_err(|_| refused("are no octal number"))?;
    if mode & !0o777 != 0 {
        return Err(refused("set more than who may read and write the file"));
    }
    if mode & 0o111 != 0 {
        return Err(refused("would allow to execute the file"));
    }
    if mode & 0o002 != 0 {
        return Err(refused("would allow everybody to write the file"));
    }
    Ok(mode)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use api_kinds::promotion::PromotionStepStatus as Status;
    use serde_json::json;

    use crate::{Class, testbed::Testbed};

    #[tokio::test]
    async fn the_bytes_are_exact_and_the_mode_is_set_also_on_a_file_that_was_there() {
        let testbed = Testbed::new().await;
        let text = "no newline at the end, \r\n and \u{65e5}\u{672c}";
        for (permissions, mode) in [(None, 0o600), (Some("0640"), 0o640)] {
            let mut config = json!({"path": "a/b", "contents": text, "overwrite": true});
            if let Some(permissions) = permissions {
                config["permissions"] = permissions.into();
            }
            let attempt = testbed.run("file-write", config).await;
            assert_eq!(attempt.status, Status::Succeeded, "{}", attempt.message);
            let metadata = testbed.files().join("a/b").metadata().unwrap();
            assert_eq!(metadata.permissions().mode() & 0o7777, mode);
            assert_eq!(testbed.read("a/b").as_deref(), Some(text));
        }
    }

    #[tokio::test]
    async fn paths_that_are_not_what_they_seem_are_refused() {
        let testbed = Testbed::new().await;
        testbed.write("dir/a", "A");
        symlink("dir", testbed.files().join("link")).unwrap();
        symlink("a", testbed.files().join("dir/leaf")).unwrap();
        for path in [
            "/a",
            "../a",
            "x/../../a",
            "..",
            ".git",
            ".git/config",
            "out/.git/hooks/x",
            "src/.GIT/x",
            "link/new",
            "dir/leaf",
        ] {
            let config = json!({"path": path, "contents": "x", "overwrite": true});
            let attempt = testbed.run("file-write", config).await;
            assert_eq!(attempt.class, Some(Class::Failed), "{path}: {}", attempt.message);
        }
        let config = json!({"path": ".gitignore", "contents": "x"});
        assert_eq!(testbed.run("file-write", config).await.class, None);
        assert_eq!(testbed.read("dir/a").as_deref(), Some("A"));
    }

    #[tokio::test]
    async fn risky_permissions_are_refused() {
        let testbed = Testbed::new().await;
        for permissions in ["0700", "0610", "0601", "0602", "0777", "1600", "600", "0999", ""] {
            let config = json!({"path": "a", "contents": "x", "permissions": permissions});
            assert_eq!(
                testbed.run("file-write", config).await.class,
                Some(Class::Failed),
                "{permissions}"
            );
        }
        assert_eq!(testbed.read("a"), None);
    }

    #[tokio::test]
    async fn a_file_is_replaced_only_on_request_and_a_directory_never() {
        let testbed = Testbed::new().await;
        testbed.write("dir/a", "A");
        let config = |path: &str, overwrite: bool| json!({"path": path, "contents": "B", "overwrite": overwrite});
        assert_eq!(
            testbed.run("file-write", config("dir/a", false)).await.class,
            Some(Class::Failed)
        );
        assert_eq!(
            testbed.run("file-write", config("dir", true)).await.class,
            Some(Class::Retryable)
        );
        assert_eq!(
            testbed.run("file-write", config(".", true)).await.class,
            Some(Class::Retryable)
        );
        assert_eq!(testbed.run("file-write", config("dir/a", true)).await.class, None);
        assert_eq!(testbed.read("dir/a").as_deref(), Some("B"));
    }
}
