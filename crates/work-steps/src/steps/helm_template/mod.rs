//! `helm-template`: renders a chart without a cluster, into one file or a directory.
//!
//! Values files are read through the work directory's own paths and handed to Helm as copies. Helm writes
//! trees into a private directory first, so that a link in the work directory cannot send them elsewhere.

mod flat;

use std::{ffi::OsString, path::Path};

use io_exec::{Descend, FileKind, Jail, JailError, Output};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    helm::{Access, Chart, Fetch, check_links, fetch},
    render::{Files, Home, MAX_OUTPUT, Place, documents, write_all},
};
use crate::{
    Credentials, Network, Outcome, Programs, Registries, Step, StepCx, StepError, StepResult,
};

const MAX_VALUES_BYTES: u64 = 16 * 1024 * 1024;
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// Where Helm writes trees, in its home.
const TREE: &str = "tree";

/// The step.
pub(crate) struct HelmTemplate;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The chart: a directory or an archive, relative to the work directory.
    #[schemars(length(min = 1))]
    path: String,
    /// Where the manifests go: a file if the name ends in `.yaml` or `.yml`, a directory otherwise.
    #[schemars(length(min = 1))]
    out_path: String,
    /// How a directory is laid out.
    #[serde(default)]
    out_layout: Layout,
    /// The name of the release.
    #[schemars(length(min = 1))]
    release_name: String,
    /// Whether the tree of the `helm` layout lies in a directory with the name of the release.
    #[serde(default)]
    use_release_name: bool,
    /// The namespace that templates see; the Project's name if empty.
    #[serde(default)]
    namespace: String,
    /// Values files, the later ones over the earlier ones.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    values_files: Vec<String>,
    /// Whether values files that do not exist are passed over.
    #[serde(default)]
    ignore_missing_value_files: bool,
    /// Single values, over those of files.
    #[serde(default)]
    set_values: Vec<SetValue>,
    /// Whether dependencies are fetched before.
    #[serde(default)]
    build_dependencies: bool,
    /// Whether CustomResourceDefinitions of the chart are rendered too.
    #[serde(default, rename = "includeCRDs")]
    include_crds: bool,
    /// Whether hooks are left out.
    #[serde(default)]
    disable_hooks: bool,
    /// Whether hooks for tests are left out.
    #[serde(default)]
    skip_tests: bool,
    /// The Kubernetes version that templates see.
    #[serde(default)]
    kube_version: String,
    /// API versions that templates see.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    api_versions: Vec<String>,
}

/// How a directory is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Layout {
    /// As the templates lie in the chart.
    #[default]
    Helm,
    /// One file per manifest.
    Flat,
}

/// A single value.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SetValue {
    /// Where it goes, in the syntax of `helm --set`.
    #[schemars(length(min = 1))]
    key: String,
    /// The value, in the syntax of `helm --set` unless it is literal.
    value: String,
    /// Whether the value is text and nothing in it has a meaning.
    #[serde(default)]
    literal: bool,
}

impl Step for HelmTemplate {
    const KIND: &'static str = "helm-template";
    const IS_QUIET: bool = true;
    type Config = Config;
    type Needs = (Programs, Credentials, Registries, Network);

    async fn run(
        &self,
        config: Config,
        (programs, credentials, registries, network): Self::Needs,
        cx: &StepCx<'_>,
    ) -> StepResult {
        let access = Access { credentials, registries, network };
        let home = Home::create(&programs, cx).await?;
        if config.build_dependencies {
            let chart = Chart::read(&config.path, cx.files)?;
            if !chart.dependencies.is_empty() {
                fetch(&chart, Fetch::Locked, &home, &access, cx).await?;
            }
        } else if cx.files.metadata(&config.path)?.kind == FileKind::Directory {
            check_links(&Chart::read(&config.path, cx.files)?, cx.files).await?;
        }
        let is_tree =
            Place::of(&config.out_path) == Place::Directory && config.out_layout == Layout::Helm;
        let rendered = render(&config, is_tree, &home, cx).await?;
        match Place::of(&config.out_path) {
            Place::File => cx.files.write(&config.out_path, rendered.as_bytes())?,
            Place::Directory if is_tree => copy_tree(&config.out_path, home.path(), cx).await?,
            Place::Directory => {
                let files = flat::named(documents(&rendered)?)?;
                write_all(&config.out_path, files, cx).await?;
            }
        }
        Ok(Outcome::done())
    }
}

/// What Helm prints, or nothing when it writes a tree.
async fn render(
    config: &Config,
    is_tree: bool,
    home: &Home<'_>,
    cx: &StepCx<'_>,
) -> Result<String, StepError> {
    let helm = home.require("helm")?;
    let mut arguments: Vec<OsString> = vec!["template".into()];
    arguments.extend(settings(config, &cx.subject.project));
    arguments.extend(values(config, home, cx)?);
    if is_tree {
        arguments.extend(["--output-dir".into(), home.path().join(TREE).into()]);
        arguments.extend(config.use_release_name.then(|| "--release-name".into()));
    }
    let chart = cx.files.resolve(&config.path)?;
    arguments.extend(["--".into(), config.release_name.clone().into(), chart.into()]);
    let output = if is_tree { Output::Discard } else { Output::Capture(MAX_OUTPUT) };
    let command = home.command("helm template", &helm, Files::Read).args(arguments);
    let finished = home.run(command, output).await?;
    String::from_utf8(finished.stdout)
        .map_err(|_| StepError::retryable("helm template printed something that is not text"))
}

fn settings(config: &Config, project: &str) -> Vec<OsString> {
    let namespace = if config.namespace.is_empty() { project } else { &config.namespace };
    let mut arguments = vec![format!("--namespace={namespace}")];
    for (flag, is_set) in [
        ("--include-crds", config.include_crds),
        ("--no-hooks", config.disable_hooks),
        ("--skip-tests", config.skip_tests),
    ] {
        arguments.extend(is_set.then(|| flag.to_owned()));
    }
    if !config.kube_version.is_empty() {
        arguments.push(format!("--kube-version={}", config.kube_version));
    }
    arguments.extend(config.api_versions.iter().map(|version| format!("--api-versions={version}")));
    arguments.into_iter().map(OsString::from).collect()
}

/// Values in the order in which they count: files, then `--set`, then literals.
fn values(config: &Config, home: &Home<'_>, cx: &StepCx<'_>) -> Result<Vec<OsString>, StepError> {
    let mut arguments: Vec<OsString> = Vec::new();
    for (index, path) in config.values_files.iter().enumerate() {
        let content = match cx.files.read(path, MAX_VALUES_BYTES) {
            Err(error) if error.is_not_found() && config.ignore_missing_value_files => continue,
            content => content?,
        };
        let copy = home.keep(&format!("values-{index}.yaml"), &content)?;
        arguments.extend(["--values".into(), copy.into()]);
    }
    for (flag, literal) in [("--set", false), ("--set-literal", true)] {
        let chosen = config.set_values.iter().filter(|value| value.literal == literal);
        arguments.extend(
            chosen.map(|SetValue { key, value, .. }| format!("{flag}={key}={value}").into()),
        );
    }
    Ok(arguments)
}

/// Moves what Helm wrote into the work directory; other files that are there stay.
async fn copy_tree(to: &str, home: &Path, cx: &StepCx<'_>) -> Result<(), StepError> {
    let unread = |error: std::io::Error| {
        StepError::retryable("what helm wrote could not be read").because(error)
    };
    let written = Jail::open(home).map_err(unread)?;
    let to = Path::new(to).to_owned();
    cx.files
        .blocking(move |files| {
            files.create_dirs(&to)?;
            // A chart may render to nothing.
            if !written.exists(TREE)? {
                return Ok(());
            }
            written.walk(TREE, |entry| {
                if entry.metadata.kind == FileKind::File {
                    let content =
                        written.read(Path::new(TREE).join(&entry.path), MAX_FILE_BYTES)?;
                    files.write(to.join(&entry.path), &content)?;
                }
                Ok::<_, JailError>(Descend::Into)
            })
        })
        .await
        .map_err(|error: JailError| error.into())
}
