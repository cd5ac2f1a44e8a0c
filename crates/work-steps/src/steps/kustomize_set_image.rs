//! `kustomize-set-image`: sets entries of `images` in a kustomization; those it is told, or those of the Freight.

use std::{collections::BTreeSet, sync::Arc};

use api_kinds::warehouse::Source;
use core_edit::{
    MAX_BYTES,
    kustomization::{Image, set_images},
};
use core_pattern::normalize_image;
use io_exec::{FileKind, Jail};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{ControlPlane, Outcome, Step, StepCx, StepError, StepResult};

/// The names that kustomize looks for.
const FILE_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The step.
pub(crate) struct KustomizeSetImage;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The directory with the kustomization, relative to the work directory.
    #[schemars(length(min = 1))]
    path: String,
    /// What is set. Without it every image of the Freight is, by tag and digest.
    #[serde(default)]
    images: Vec<Target>,
}

/// An image to set. `*` for `newName`, `tag` or `digest` keeps what the kustomization has.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {"required": ["tag"], "properties": {"digest": {"enum": ["", null]}, "tag": {"minLength": 1}}},
    {"required": ["digest"], "properties": {"tag": {"enum": ["", null]}, "digest": {"minLength": 1}}}
]))]
pub(crate) struct Target {
    /// Repository of the image.
    #[schemars(length(min = 1))]
    image: String,
    /// The image in the manifests, if that has another name.
    #[serde(default)]
    name: String,
    /// The image that takes its place, if that has another name.
    #[serde(default)]
    new_name: String,
    /// The tag; not together with a digest.
    #[serde(default)]
    tag: String,
    /// The digest; not together with a tag.
    #[serde(default)]
    digest: String,
}

impl From<Target> for Image {
    fn from(target: Target) -> Self {
        let Target { image, name, new_name, tag, digest } = target;
        Self {
            name: if name.is_empty() { image } else { name },
            new_name: Some(new_name),
            new_tag: Some(tag),
            digest: Some(digest),
        }
    }
}

impl Step for KustomizeSetImage {
    const KIND: &'static str = "kustomize-set-image";
    const IS_QUIET: bool = true;
    type Config = Config;
    type Needs = Arc<dyn ControlPlane>;

    async fn run(
        &self,
        Config { path, images }: Config,
        control_plane: Arc<dyn ControlPlane>,
        cx: &StepCx<'_>,
    ) -> StepResult {
        let images = if images.is_empty() {
            refuse_ambiguity(&*control_plane, cx).await?;
            images_of_freight(cx)
        } else {
            images.into_iter().map(Image::from).collect()
        };
        let directory = path.clone();
        let set = cx.files.blocking(move |files| set(files, &directory, &images)).await?;
        Ok(match commit_message(&path, &set) {
            Some(message) => Outcome::done().with("commitMessage", message),
            None => Outcome::done(),
        })
    }
}

/// Makes sure that no repository is subscribed to twice: the Freight would have two versions of its image.
async fn refuse_ambiguity(
    control_plane: &dyn ControlPlane,
    cx: &StepCx<'_>,
) -> Result<(), StepError> {
    let mut repositories = BTreeSet::new();
    for request in &cx.subject.requests {
        let name = &request.origin.name;
        let warehouse = control_plane.warehouse(&cx.subject.project, name).await;
        let warehouse = warehouse.map_err(|error| {
            StepError::retryable(format!("the Warehouse {name:?} could not be read")).because(error)
        })?;
        let warehouse = warehouse.ok_or_else(|| {
            StepError::retryable(format!("there is no Warehouse {name:?}: set `images` yourself"))
        })?;
        for subscription in &warehouse.spec.subscriptions {
            let Source::Image(image) = &subscription.source else { continue };
            if !repositories.insert(normalize_image(&image.repo_url)) {
                return Err(StepError::retryable(format!(
                    "the image {} is subscribed to more than once: set `images` yourself",
                    image.repo_url
                )));
            }
        }
    }
    Ok(())
}

fn images_of_freight(cx: &StepCx<'_>) -> Vec<Image> {
    let images = cx.subject.freight.iter().flat_map(|freight| &freight.images);
    let image = |image: &api_kinds::artifact::Image| Image {
        name: image.repo_url.clone(),
        new_name: None,
        new_tag: Some(image.tag.clone()),
        digest: Some(image.digest.clone()),
    };
    images.map(image).collect()
}

/// Sets the images in the kustomization of a directory; gives them as they are set.
fn set(files: &Jail, directory: &str, images: &[Image]) -> Result<Vec<Image>, StepError> {
    let path = kustomization(files, directory)?;
    let text = files.read_text(&path, MAX_BYTES as u64)?;
    let updated = set_images(&text, images).map_err(|error| {
        StepError::retryable(format!("the images in {path} could not be set")).because(error)
    })?;
    if updated.text != text {
        files.write(&path, updated.text.as_bytes())?;
    }
    Ok(updated.images)
}

/// The only kustomization of a directory.
fn kustomization(files: &Jail, directory: &str) -> Result<String, StepError> {
    let mut found = Vec::new();
    for name in FILE_NAMES {
        let path = format!("{}/{name}", directory.trim_end_matches('/'));
        if files.find_link(&path)?.is_some_and(|metadata| metadata.kind == FileKind::File) {
            found.push(path);
        }
    }
    let names = FILE_NAMES.join(", ");
    match <[String; 1]>::try_from(found) {
        Ok([path]) => Ok(path),
        Err(found) if found.is_empty() => {
            Err(StepError::retryable(format!("{directory} has no kustomization: none of {names}")))
        }
        Err(_) => {
            Err(StepError::retryable(format!("{directory} has more than one of {names}: keep one")))
        }
    }
}

fn commit_message(path: &str, images: &[Image]) -> Option<String> {
    if images.is_empty() {
        return None;
    }
    let plural = if images.len() == 1 { "" } else { "s" };
    let list = images.iter().map(reference).collect::<Vec<_>>().join("\n- ");
    Some(format!("Updated {path} to use new image{plural}\n\n- {list}"))
}

fn reference(Image { name, new_name, new_tag, digest }: &Image) -> String {
    let tag = new_tag.iter().map(|tag| format!(":{tag}"));
    let digest = digest.iter().map(|digest| format!("@{digest}"));
    format!("{}{}", new_name.as_ref().unwrap_or(name), tag.chain(digest).collect::<String>())
}

#[cfg(test)]
mod tests;
