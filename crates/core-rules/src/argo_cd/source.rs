//! Changes of the sources of an Application.

use core_pattern::normalize_git;
use serde_json::{Value, json};

use super::{Application, Source};

/// What to change about one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceUpdate {
    /// Which source: its repository, and for a Helm repository its chart.
    pub repo_url: String,
    pub chart: String,
    /// The revision the source should be synced to; empty when any will do.
    pub desired_revision: String,
    /// Whether the revision is also written into the source.
    pub writes_target_revision: bool,
    /// Images that replace those of Kustomize.
    pub kustomize_images: Vec<KustomizeImage>,
    /// Helm parameters to set.
    pub helm_parameters: Vec<HelmParameter>,
}

/// An image for Kustomize.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KustomizeImage {
    pub repo_url: String,
    pub new_name: String,
    pub tag: String,
    pub digest: String,
}

/// A parameter for Helm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelmParameter {
    pub name: String,
    pub value: String,
}

/// A change that fits no source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Application {application:?} has no source with repoURL {repo_url:?}{}", chart_text(.chart))]
pub struct SourceMismatch {
    pub application: String,
    pub repo_url: String,
    pub chart: String,
}

fn chart_text(chart: &str) -> String {
    if chart.is_empty() { String::new() } else { format!(" and chart {chart:?}") }
}

impl SourceUpdate {
    fn fits(&self, source: &Source) -> bool {
        if self.chart.is_empty() && source.chart.is_empty() {
            return normalize_git(&self.repo_url) == normalize_git(&source.repo_url);
        }
        self.chart == source.chart && self.repo_url == source.repo_url
    }

    fn apply(&self, source: &mut Value) {
        let Some(source) = source.as_object_mut() else { return };
        if self.writes_target_revision && !self.desired_revision.is_empty() {
            source.insert("targetRevision".to_owned(), json!(self.desired_revision));
        }
        if !self.kustomize_images.is_empty() {
            let images: Vec<String> =
                self.kustomize_images.iter().map(KustomizeImage::text).collect();
            member(source, "kustomize")["images"] = json!(images);
        }
        if !self.helm_parameters.is_empty() {
            let parameters = &mut member(source, "helm")["parameters"];
            for parameter in &self.helm_parameters {
                parameter.set_in(parameters);
            }
        }
    }
}

/// The member of this name, made an object if it is none.
fn member<'a>(object: &'a mut serde_json::Map<String, Value>, name: &str) -> &'a mut Value {
    let value = object.entry(name).or_insert_with(|| json!({}));
    if !value.is_object() {
        *value = json!({});
    }
    value
}

impl KustomizeImage {
    /// As Kustomize writes it: `repository[=newName](@digest|:tag)`.
    fn text(&self) -> String {
        let Self { repo_url, new_name, tag, digest } = self;
        let name = if new_name.is_empty() { String::new() } else { format!("={new_name}") };
        if digest.is_empty() {
            format!("{repo_url}{name}:{tag}")
        } else {
            format!("{repo_url}{name}@{digest}")
        }
    }
}

impl HelmParameter {
    /// Sets the parameter in a list, where it stands or at the end; what else is known of it stays.
    fn set_in(&self, parameters: &mut Value) {
        if !parameters.is_array() {
            *parameters = json!([]);
        }
        let Some(list) = parameters.as_array_mut() else { return };
        let present = list.iter_mut().find(|entry| entry["name"] == self.name);
        if let Some(entry) = present {
            entry["value"] = json!(self.value);
        } else {
            list.push(json!({"name": self.name, "value": self.value}));
        }
    }
}

/// The revision each source should be synced to, in the order of the sources; empty where any will do.
pub fn desired_revisions(application: &Application, updates: &[SourceUpdate]) -> Vec<String> {
    let revision = |source: &Source| {
        let update = updates.iter().find(|update| update.fits(source));
        update.map(|update| update.desired_revision.clone()).unwrap_or_default()
    };
    application.sources().iter().map(revision).collect()
}

/// The sources as they are to be written: a patch of `spec`, or nothing when they stay as they are.
/// Each change must fit a source; the first that fits is taken.
pub fn update_sources(
    application: &Application,
    updates: &[SourceUpdate],
) -> Result<Option<Value>, SourceMismatch> {
    let has_several = !application.spec.sources.is_empty();
    let written = |pointer: &str| application.object.pointer(pointer).cloned().unwrap_or_default();
    let before = if has_several {
        written("/spec/sources").as_array().cloned().unwrap_or_default()
    } else {
        vec![written("/spec/source")]
    };
    let mut after = before.clone();
    for update in updates {
        let position = application.sources().iter().position(|source| update.fits(source));
        let target = position.and_then(|position| after.get_mut(position));
        update.apply(target.ok_or_else(|| SourceMismatch {
            application: application.key(),
            repo_url: update.repo_url.clone(),
            chart: update.chart.clone(),
        })?);
    }
    if before == after {
        return Ok(None);
    }
    Ok(Some(if has_several { json!({"sources": after}) } else { json!({"source": after.pop()}) }))
}
