//! Changes of one source, as users write them.

use core_rules::argo_cd::{HelmParameter, KustomizeImage, SourceUpdate};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::{Value, json};

/// A change of one source.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = revision_to_write)]
pub(super) struct Source {
    /// Repository of the source to change.
    #[serde(rename = "repoURL")]
    #[schemars(length(min = 1))]
    repo_url: String,
    /// Chart of the source to change, if its repository holds Helm charts.
    #[serde(default)]
    #[schemars(length(min = 1))]
    chart: String,
    /// The revision that the source must be synced to.
    #[serde(default)]
    #[schemars(with = "String", length(min = 1))]
    desired_revision: Option<String>,
    /// Whether the revision is also written into the source. Needs `desiredRevision`.
    #[serde(default)]
    #[schemars(with = "bool")]
    update_target_revision: Option<bool>,
    /// Changes for Kustomize.
    #[serde(default)]
    #[schemars(with = "Kustomize")]
    kustomize: Option<Kustomize>,
    /// Changes for Helm.
    #[serde(default)]
    #[schemars(with = "Helm")]
    helm: Option<Helm>,
}

/// Changes for Kustomize.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Kustomize {
    /// The images, which replace all that the source had.
    #[serde(default)]
    #[schemars(length(min = 1))]
    images: Vec<Image>,
}

/// An image for Kustomize, by tag or by digest.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = tag_or_digest)]
struct Image {
    /// Repository of the image.
    #[serde(rename = "repoURL")]
    #[schemars(length(min = 1))]
    repo_url: String,
    /// Tag of the image.
    #[serde(default)]
    #[schemars(with = "String")]
    tag: Option<String>,
    /// Digest of the image.
    #[serde(default)]
    #[schemars(with = "String")]
    digest: Option<String>,
    /// The repository that is used instead.
    #[serde(default)]
    #[schemars(length(min = 1))]
    new_name: String,
}

/// Changes for Helm.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Helm {
    /// Parameters to set.
    #[schemars(length(min = 1))]
    images: Vec<Parameter>,
}

/// A parameter for Helm.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Parameter {
    /// Name of the parameter.
    #[schemars(length(min = 1))]
    key: String,
    /// Its value.
    value: String,
}

/// The revision can only be written if there is one.
fn revision_to_write(schema: &mut Schema) {
    let none = json!({"properties": {
        "desiredRevision": {"enum": ["", null]}, "updateTargetRevision": {"enum": [false, null]},
    }});
    let one = json!({"required": ["desiredRevision"], "properties": {"desiredRevision": {"minLength": 1}}});
    schema.insert("oneOf".to_owned(), json!([none, one]));
}

/// At most one of tag and digest; empty counts as none.
fn tag_or_digest(schema: &mut Schema) {
    let unset = || json!({"enum": [null, ""]});
    let set = || json!({"minLength": 1});
    let digest_tag = |digest: Value, tag: Value| json!({"digest": digest, "tag": tag});
    schema.insert(
        "oneOf".to_owned(),
        json!([
            {"properties": digest_tag(unset(), unset())},
            {"required": ["digest"], "properties": digest_tag(set(), unset())},
            {"required": ["tag"], "properties": digest_tag(unset(), set())},
        ]),
    );
}

impl From<&Source> for SourceUpdate {
    fn from(source: &Source) -> Self {
        let image = |image: &Image| KustomizeImage {
            repo_url: image.repo_url.clone(),
            new_name: image.new_name.clone(),
            tag: image.tag.clone().unwrap_or_default(),
            digest: image.digest.clone().unwrap_or_default(),
        };
        let parameter = |parameter: &Parameter| HelmParameter {
            name: parameter.key.clone(),
            value: parameter.value.clone(),
        };
        Self {
            repo_url: source.repo_url.clone(),
            chart: source.chart.clone(),
            desired_revision: source.desired_revision.clone().unwrap_or_default(),
            writes_target_revision: source.update_target_revision == Some(true),
            kustomize_images: source.kustomize.iter().flat_map(|k| &k.images).map(image).collect(),
            helm_parameters: source
                .helm
                .iter()
                .flat_map(|helm| &helm.images)
                .map(parameter)
                .collect(),
        }
    }
}
