//! `copy`: copies a file or a directory inside the work directory.
//!
//! Directories merge into what is there, files replace it. Links are left out. A copy onto itself changes
//! nothing.

use io_exec::IgnoreRules;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Outcome, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct Copy;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The file or directory to copy.
    #[schemars(length(min = 1))]
    in_path: String,
    /// Where to copy it.
    #[schemars(length(min = 1))]
    out_path: String,
    /// What to leave out of a directory, in the language of .gitignore. `.git` is always left out unless
    /// a rule takes it back.
    #[serde(default)]
    #[schemars(length(min = 1))]
    ignore: String,
}

impl Step for Copy {
    const KIND: &'static str = "copy";
    type Config = Config;
    type Needs = ();

    async fn run(&self, config: Config, (): (), cx: &StepCx<'_>) -> StepResult {
        cx.files
            .blocking(move |jail| {
                let rules = IgnoreRules::parse(&config.ignore);
                jail.copy(&config.in_path, &config.out_path, &rules).map_err(StepError::from)
            })
            .await?;
        Ok(Outcome::done())
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::promotion::PromotionStepStatus as Status;
    use serde_json::json;

    use crate::{Class, testbed::Testbed};

    #[tokio::test]
    async fn git_and_links_stay_behind_unless_git_is_taken_back() {
        let testbed = Testbed::new().await;
        testbed.write("in/a", "A");
        testbed.write("in/.git/config", "g");
        testbed.write("in/worktree/.git", "gitdir: /x");
        std::os::unix::fs::symlink("a", testbed.files().join("in/link")).unwrap();
        for _ in 0..2 {
            let attempt = testbed.run("copy", json!({"inPath": "in", "outPath": "out"})).await;
            assert_eq!(attempt.status, Status::Succeeded, "{}", attempt.message);
        }
        assert_eq!(testbed.read("out/a").as_deref(), Some("A"));
        for path in ["out/link", "out/.git", "out/worktree/.git"] {
            assert!(!testbed.files().join(path).exists(), "{path}");
        }
        let all = json!({"inPath": "in", "outPath": "all", "ignore": "!.git/"});
        assert_eq!(testbed.run("copy", all).await.status, Status::Succeeded);
        assert_eq!(testbed.read("all/.git/config").as_deref(), Some("g"));
    }

    #[tokio::test]
    async fn what_cannot_be_copied_is_told_without_absolute_paths() {
        let testbed = Testbed::new().await;
        testbed.write("in/a", "A");
        for (from, to, class) in [
            ("missing", "x", Class::Retryable),
            ("in", "in/x", Class::Retryable),
            ("in/a", "in/.git/hooks/post-commit", Class::Failed),
        ] {
            let attempt = testbed.run("copy", json!({"inPath": from, "outPath": to})).await;
            assert_eq!(attempt.class, Some(class), "{}", attempt.message);
            assert!(!attempt.message.contains(testbed.files().to_str().unwrap()));
        }
    }
}
