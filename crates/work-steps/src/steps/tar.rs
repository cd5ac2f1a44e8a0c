//! `tar`: packs a file or directory into an archive. The same files make the same archive.

use io_exec::{
    IgnoreRules,
    archive::{self, Compression},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Outcome, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct Tar;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The file or directory to pack.
    #[schemars(length(min = 1))]
    in_path: String,
    /// The archive to write.
    #[schemars(length(min = 1))]
    out_path: String,
    /// What to leave out of a directory, in the language of .gitignore. `.git` is always left out unless
    /// a rule takes it back.
    #[serde(default)]
    #[schemars(length(min = 1))]
    ignore: String,
    /// Whether to compress the archive.
    #[serde(default)]
    gzip: bool,
}

impl Step for Tar {
    const KIND: &'static str = "tar";
    type Config = Config;
    type Needs = ();

    async fn run(&self, config: Config, (): (), cx: &StepCx<'_>) -> StepResult {
        cx.files
            .blocking(move |jail| {
                let rules = IgnoreRules::parse(&config.ignore);
                let compression = if config.gzip { Compression::Gzip } else { Compression::None };
                archive::pack(jail, &config.in_path, &config.out_path, &rules, compression)
                    .map_err(StepError::from)
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
    async fn what_is_packed_is_unpacked_again() {
        let testbed = Testbed::new().await;
        testbed.write("in/a", "A");
        testbed.write("in/sub/b", "B");
        testbed.write("in/sub/c.md", "C");
        testbed.write("in/.git/config", "g");
        for gzip in [false, true] {
            let config =
                json!({"inPath": "in", "outPath": "x.tar", "gzip": gzip, "ignore": "*.md"});
            let packed = testbed.run("tar", config).await;
            assert_eq!(packed.status, Status::Succeeded, "{}", packed.message);
            let config = json!({"inPath": "x.tar", "outPath": "out", "stripComponents": 0});
            let unpacked = testbed.run("untar", config).await;
            assert_eq!(unpacked.status, Status::Succeeded, "{}", unpacked.message);
            assert_eq!(testbed.read("out/sub/b").as_deref(), Some("B"));
            assert_eq!(testbed.read("out/sub/c.md"), None);
            assert_eq!(testbed.read("out/.git/config"), None);
        }
    }

    #[tokio::test]
    async fn what_is_missing_too_large_or_in_git_has_no_archive() {
        let testbed = Testbed::new().await;
        testbed.write("large", "");
        let file =
            std::fs::File::options().write(true).open(testbed.files().join("large")).unwrap();
        file.set_len((50 << 20) + 1).unwrap();
        for (from, to, class) in [
            ("missing", "x.tar", Class::Retryable),
            ("large", "x.tar", Class::Retryable),
            ("large", ".git/x.tar", Class::Failed),
        ] {
            let attempt = testbed.run("tar", json!({"inPath": from, "outPath": to})).await;
            assert_eq!(attempt.class, Some(class), "{}", attempt.message);
        }
        assert_eq!(testbed.read("x.tar"), None);
    }
}
