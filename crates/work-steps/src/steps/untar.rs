//! `untar`: unpacks an archive in place of a directory.
//!
//! The archive is unpacked beside it first, so that a failure leaves what was there. Names and links that
//! would lead elsewhere are left out, as are entries that are neither files, directories nor links.

use io_exec::{IgnoreRules, archive};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Outcome, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct Untar;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The archive, compressed with gzip or not.
    #[schemars(length(min = 1))]
    in_path: String,
    /// The directory to unpack it to; what was there is replaced.
    #[schemars(length(min = 1))]
    out_path: String,
    /// How many components to take off the front of every name.
    #[serde(default)]
    strip_components: usize,
    /// What to leave out, in the language of .gitignore.
    #[serde(default)]
    #[schemars(length(min = 1))]
    ignore: String,
}

impl Step for Untar {
    const KIND: &'static str = "untar";
    type Config = Config;
    type Needs = ();

    async fn run(&self, config: Config, (): (), cx: &StepCx<'_>) -> StepResult {
        let unpacked = cx
            .files
            .blocking(move |jail| {
                let rules = IgnoreRules::parse(&config.ignore);
                let Config { in_path, out_path, strip_components, .. } = &config;
                archive::unpack(jail, in_path, out_path, *strip_components, &rules)
                    .map_err(StepError::from)
            })
            .await?;
        cx.say(format!("unpacked {}, left out {}", unpacked.written, unpacked.skipped));
        Ok(Outcome::done())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Class, testbed::Testbed};

    #[tokio::test]
    async fn what_is_no_archive_leaves_everything_as_it_was() {
        let testbed = Testbed::new().await;
        testbed.write("not.tar", "x".repeat(2_000));
        testbed.write("out/kept", "K");
        for (from, to, class) in [
            ("not.tar", "out", Class::Retryable),
            ("missing", "out", Class::Retryable),
            ("not.tar", ".", Class::Failed),
            ("not.tar", "out/..", Class::Failed),
        ] {
            let attempt = testbed.run("untar", json!({"inPath": from, "outPath": to})).await;
            assert_eq!(attempt.class, Some(class), "{from} {to}: {}", attempt.message);
            assert!(!attempt.message.contains(testbed.files().to_str().unwrap()));
        }
        assert_eq!(testbed.read("out/kept").as_deref(), Some("K"));
    }
}
