//! `kustomize-build`: renders a kustomization into one file, or into a directory with one file per manifest.
//!
//! Files outside the kustomization may be named as long as they are in the work directory; the program is
//! confined to it. Charts are inflated with Helm; functions and plugins that would run programs are not.

use std::{collections::BTreeSet, ffi::OsString};

use io_exec::Output;
use schemars::JsonSchema;
use serde::Deserialize;

use super::render::{Document, Files, Home, MAX_OUTPUT, Place, documents, plain_name, write_all};
use crate::{Outcome, Programs, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct KustomizeBuild;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The directory with the kustomization, relative to the work directory.
    #[schemars(length(min = 1))]
    path: String,
    /// Where the manifests go: a file if the name ends in `.yaml` or `.yml`, a directory otherwise.
    #[schemars(length(min = 1))]
    out_path: String,
    /// How files in a directory are named.
    #[serde(default)]
    output_format: Format,
    /// Settings of plugins.
    #[serde(default)]
    plugin: Plugin,
}

/// How files are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Format {
    /// `[namespace-]kind-name.yaml`
    #[default]
    Kargo,
    /// `[namespace_]group_version_kind_name.yaml`, with a namespace when there are several.
    Kustomize,
}

/// Settings of plugins.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Plugin {
    /// Settings of Helm, for kustomizations with charts.
    helm: Helm,
}

/// Settings of Helm.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Helm {
    /// API versions that charts see.
    #[schemars(inner(length(min = 1)))]
    api_versions: Vec<String>,
    /// The Kubernetes version that charts see.
    kube_version: String,
}

impl Step for KustomizeBuild {
    const KIND: &'static str = "kustomize-build";
    const IS_QUIET: bool = true;
    type Config = Config;
    type Needs = Programs;

    async fn run(&self, config: Config, programs: Programs, cx: &StepCx<'_>) -> StepResult {
        let stream = build(&config, &programs, cx).await?;
        cx.files.check_quota()?;
        match Place::of(&config.out_path) {
            Place::File => cx.files.write(&config.out_path, stream.as_bytes())?,
            Place::Directory => {
                let files = named(documents(&stream)?, config.output_format)?;
                write_all(&config.out_path, files, cx).await?;
            }
        }
        Ok(Outcome::done())
    }
}

async fn build(config: &Config, programs: &Programs, cx: &StepCx<'_>) -> Result<String, StepError> {
    let directory = cx.files.resolve(&config.path)?;
    let home = Home::create(programs, cx).await?;
    let kustomize = home.require("kustomize")?;
    let helm = home.find("helm").unwrap_or_else(|| "helm".into());
    let Helm { api_versions, kube_version } = &config.plugin.helm;
    let mut arguments: Vec<OsString> = vec![
        "build".into(),
        "--load-restrictor=LoadRestrictionsNone".into(),
        "--enable-helm".into(),
        "--helm-command".into(),
        helm.into(),
    ];
    if !kube_version.is_empty() {
        arguments.push(format!("--helm-kube-version={kube_version}").into());
    }
    let versions =
        api_versions.iter().map(|version| format!("--helm-api-versions={version}").into());
    arguments.extend(versions);
    arguments.extend(["--".into(), directory.into()]);
    let command = home.command("kustomize build", &kustomize, Files::Write).args(arguments);
    let finished = home.run(command, Output::Capture(MAX_OUTPUT)).await?;
    String::from_utf8(finished.stdout)
        .map_err(|_| StepError::retryable("kustomize build printed something that is not text"))
}

/// The files of a directory; of those with the same name the last counts.
fn named(documents: Vec<Document>, format: Format) -> Result<Vec<(String, String)>, StepError> {
    let namespaces: BTreeSet<&str> = documents
        .iter()
        .map(|document| &*document.namespace)
        .filter(|namespace| !namespace.is_empty())
        .collect();
    let shows_namespace = format == Format::Kargo || namespaces.len() > 1;
    let name = |document: &Document| {
        let Document { group, version, kind, namespace, name, .. } = document;
        let namespace = if shows_namespace { namespace.as_str() } else { "" };
        let (parts, separator) = match format {
            Format::Kargo => (vec![namespace, kind, name], "-"),
            Format::Kustomize => (vec![namespace, group, version, kind, name], "_"),
        };
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        plain_name(format!("{}.yaml", parts.join(separator)).to_lowercase())
    };
    documents.into_iter().map(|document| Ok((name(&document)?, document.text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(stream: &str, format: Format) -> Result<Vec<String>, StepError> {
        let files = named(documents(stream)?, format)?;
        Ok(files.into_iter().map(|(name, _)| name).collect())
    }

    const ONE: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: Web, namespace: prod}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: prod}\n";
    const TWO: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: qa}\n";

    #[test]
    fn files_are_named_by_kind_and_name() {
        assert_eq!(
            names(ONE, Format::Kargo).unwrap(),
            ["prod-deployment-web.yaml", "namespace-prod.yaml"]
        );
        assert_eq!(
            names(ONE, Format::Kustomize).unwrap(),
            ["apps_v1_deployment_web.yaml", "v1_namespace_prod.yaml"]
        );
    }

    #[test]
    fn the_other_format_shows_namespaces_only_when_there_are_several() {
        let stream = format!("{ONE}---\n{TWO}");
        assert_eq!(
            names(&stream, Format::Kustomize).unwrap(),
            [
                "prod_apps_v1_deployment_web.yaml",
                "v1_namespace_prod.yaml",
                "qa_v1_service_web.yaml"
            ]
        );
    }

    #[test]
    fn a_manifest_cannot_choose_a_place_elsewhere() {
        for name in ["../../x", "a/b", "a\\\\b"] {
            let stream = format!("apiVersion: v1\nkind: A\nmetadata: {{name: \"{name}\"}}\n");
            for format in [Format::Kargo, Format::Kustomize] {
                assert!(names(&stream, format).is_err(), "{name}");
            }
        }
    }
}
