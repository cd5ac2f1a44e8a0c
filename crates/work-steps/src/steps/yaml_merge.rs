//! `yaml-merge`: puts YAML files over each other and writes the result, comments included.

use core_edit::{MAX_BYTES, yaml};
use io_exec::Jail;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Outcome, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct YamlMerge;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The files, relative to the work directory, from the lowest to the one that wins.
    #[schemars(length(min = 1))]
    in_files: Vec<String>,
    /// Where the result is written to; may be one of the files.
    #[schemars(length(min = 1))]
    out_file: String,
    /// Whether files that are not there are passed over.
    #[serde(default)]
    ignore_missing_files: bool,
}

impl Step for YamlMerge {
    const KIND: &'static str = "yaml-merge";
    type Config = Config;
    type Needs = ();

    async fn run(&self, config: Config, (): (), cx: &StepCx<'_>) -> StepResult {
        let message = cx.files.blocking(move |files| merge(&config, files)).await?;
        Ok(match message {
            Some(message) => Outcome::done().with("commitMessage", message),
            None => Outcome::done(),
        })
    }
}

/// Merges the files that are there; says what it did, unless there were none.
fn merge(config: &Config, files: &Jail) -> Result<Option<String>, StepError> {
    let Config { in_files, out_file, ignore_missing_files } = config;
    let mut names = Vec::new();
    let mut texts = Vec::new();
    for name in in_files {
        match files.read_text(name, MAX_BYTES as u64) {
            Ok(text) => {
                names.push(name.as_str());
                texts.push(text);
            }
            Err(error) if *ignore_missing_files && error.is_not_found() => {}
            Err(error) => return Err(error.into()),
        }
    }
    let merged = yaml::merge(&texts).map_err(|error| {
        let name = names.get(error.index).copied().unwrap_or_default();
        StepError::retryable(format!("{name} could not be merged")).because(error)
    })?;
    files.write(out_file, merged.as_bytes())?;
    Ok(commit_message(&names, out_file))
}

fn commit_message(names: &[&str], out_file: &str) -> Option<String> {
    match names {
        [] => None,
        [name] => Some(format!("Wrote {name} to {out_file}")),
        _ => {
            let (count, list) = (names.len(), names.join("\n- "));
            Some(format!("Merged {count} YAML files to {out_file}\n- {list}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::promotion::PromotionStepStatus;
    use serde_json::json;

    use crate::{Class, testbed::Testbed};

    #[tokio::test]
    async fn files_are_merged_in_their_order() {
        let testbed = Testbed::new().await;
        testbed.write("base.yaml", "# base\na: 1 # one\nb: {c: 1}\n");
        testbed.write("over.yaml", "a: 2\nb: {c: null, d: 2}\n");
        let config = json!({"inFiles": ["base.yaml", "over.yaml", "no.yaml"],
            "outFile": "out/merged.yaml", "ignoreMissingFiles": true});
        for _ in 0..2 {
            let attempt = testbed.run("yaml-merge", config.clone()).await;
            assert_eq!(attempt.status, PromotionStepStatus::Succeeded, "{}", attempt.message);
            let expected = "Merged 2 YAML files to out/merged.yaml\n- base.yaml\n- over.yaml";
            assert_eq!(attempt.output()["commitMessage"], expected);
            let text = testbed.read("out/merged.yaml");
            assert_eq!(text.as_deref(), Some("# base\na: 2 # one\nb: {d: 2}\n"));
        }
    }

    #[tokio::test]
    async fn without_any_file_the_result_is_empty_and_nothing_is_told() {
        let testbed = Testbed::new().await;
        let config = json!({"inFiles": ["no"], "outFile": "out", "ignoreMissingFiles": true});
        let attempt = testbed.run("yaml-merge", config).await;
        assert_eq!(attempt.status, PromotionStepStatus::Succeeded, "{}", attempt.message);
        assert_eq!((attempt.output, testbed.read("out").as_deref()), (None, Some("")));
    }

    #[tokio::test]
    async fn what_cannot_be_merged_is_named_and_nothing_is_written() {
        let testbed = Testbed::new().await;
        testbed.write("a.yaml", "a: 1\n");
        testbed.write("b.yaml", "a: {b: 1}\n");
        for (name, cause) in
            [("b.yaml", "b.yaml could not be merged"), ("no.yaml", "no.yaml"), ("", "")]
        {
            let config = json!({"inFiles": ["a.yaml", name], "outFile": "out"});
            let attempt = testbed.run("yaml-merge", config).await;
            assert_eq!(attempt.class, Some(Class::Retryable));
            assert!(attempt.message.contains(cause), "{}", attempt.message);
            assert_eq!(testbed.read("out"), None);
        }
        let attempt = testbed.run("yaml-merge", json!({"inFiles": [], "outFile": "x"})).await;
        assert_eq!(attempt.class, Some(Class::Failed));
    }
}
