//! `oci-download`: puts one layer of an artifact into the work directory, as the registry keeps it.
//!
//! The file appears when all of it came and has the digest that the manifest names; until then an older one
//! stays. An index stands for its image for Linux on amd64.

use io_oci::{Artifact, Blob, Descriptor, Error, Reference, Repository};
use schemars::JsonSchema;
use serde::Deserialize;

use super::oci::{self, Certificates};
use crate::{Credentials, Outcome, Registries, Step, StepCx, StepError, StepResult};

/// The largest layer that is downloaded.
const MAX_BYTES: u64 = 100 * 1024 * 1024;

/// The step.
pub(crate) struct OciDownload;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The artifact, as `registry/repository:tag` or `registry/repository@digest`; `oci://` before it
    /// selects credentials of Helm repositories.
    #[schemars(
        length(min = 1),
        regex(
            pattern = r"^(oci://)?[a-zA-Z0-9._-]+(:\d+)?(/[a-zA-Z0-9._-]+)*[@:][a-zA-Z0-9._:-]+$"
        )
    )]
    image_ref: String,
    /// Where the layer is written to, relative to the work directory.
    #[schemars(length(min = 1))]
    out_path: String,
    /// Whether a file that is there may be replaced.
    #[serde(default)]
    allow_overwrite: bool,
    /// Media type of the layer; without it the first layer is taken.
    #[serde(default)]
    #[schemars(with = "String", length(min = 1))]
    media_type: Option<String>,
    /// Whether any certificate of the registry is accepted.
    #[serde(default, rename = "insecureSkipTLSVerify")]
    insecure_skip_tls_verify: bool,
}

impl Step for OciDownload {
    const KIND: &'static str = "oci-download";
    const IS_QUIET: bool = true;
    type Config = Config;
    type Needs = (Registries, Credentials);

    async fn run(
        &self,
        config: Config,
        (Registries { registries, .. }, credentials): Self::Needs,
        cx: &StepCx<'_>,
    ) -> StepResult {
        let Config { image_ref, out_path, .. } = &config;
        if !config.allow_overwrite && cx.files.exists(out_path)? {
            return Err(StepError::fatal(format!(
                "{out_path} exists: choose another outPath, or set allowOverwrite"
            )));
        }
        let failed = |error| oci::failure(format!("{image_ref} could not be downloaded"), error);
        let reference: Reference = image_ref.parse().map_err(failed)?;
        let certificates = Certificates::ignored_if(config.insecure_skip_tls_verify);
        let access = oci::access(&reference, certificates, &credentials, cx).await?;
        let repository = registries.source(&reference, &access).map_err(failed)?;
        let artifact = repository.image_artifact(&reference).await.map_err(failed)?;
        let layer = select(&artifact, config.media_type.as_deref(), image_ref)?;
        cx.say(format!("downloading {} ({} bytes)", layer.digest(), layer.size()));
        download(&repository, layer, out_path, cx).await.map_err(|error| match error {
            Failure::Registry(error @ Error::Length { .. }) => {
                StepError::fatal(format!("{image_ref} could not be downloaded")).because(error)
            }
            Failure::Registry(error) => failed(error),
            Failure::Files(error) => error,
        })?;
        Ok(Outcome::done())
    }
}

/// The first layer, or the first of a media type.
fn select<'a>(
    artifact: &'a Artifact,
    media_type: Option<&str>,
    name: &str,
) -> Result<&'a Descriptor, StepError> {
    let fits = |layer: &&Descriptor| media_type.is_none_or(|wanted| layer.media_type() == wanted);
    let layer = artifact.layers().iter().find(fits).ok_or_else(|| {
        StepError::retryable(match media_type {
            Some(media_type) => format!("{name} has no layer of media type {media_type:?}"),
            None => format!("{name} has no layers"),
        })
    })?;
    if layer.size() > MAX_BYTES {
        let size = layer.size();
        return Err(StepError::fatal(format!(
            "the layer of {name} has {size} bytes, and at most {MAX_BYTES} are downloaded"
        )));
    }
    Ok(layer)
}

enum Failure {
    Registry(Error),
    Files(StepError),
}

async fn download(
    repository: &Repository,
    layer: &Descriptor,
    path: &str,
    cx: &StepCx<'_>,
) -> Result<(), Failure> {
    let files = |error: io_exec::JailError| Failure::Files(error.into());
    let mut blob: Blob = repository.blob(layer).await.map_err(Failure::Registry)?;
    let mut file = cx.files.create(path).map_err(files)?;
    while let Some(piece) = blob.chunk().await.map_err(Failure::Registry)? {
        file.append(&piece).map_err(files)?;
    }
    file.commit().map_err(files)
}
