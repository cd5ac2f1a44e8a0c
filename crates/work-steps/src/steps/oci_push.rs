//! `oci-push`: copies an artifact to another repository or tag, with all its platforms.
//!
//! Without annotations the copy is the same to the byte, and so is its digest. Blobs that the destination
//! has, or can take from a neighbour on the same registry, are not sent. Pushing again changes nothing.

use std::collections::BTreeMap;

use io_oci::{Annotations, Artifact, Error, Reference};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::oci::{self, Certificates};
use crate::{
    Credentials, Effect, Outcome, Registries, Settings, Step, StepCx, StepError, StepResult,
};

/// The step.
pub(crate) struct OciPush;

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
    src_ref: String,
    /// Where it goes, as `registry/repository:tag`.
    #[schemars(
        length(min = 1),
        regex(pattern = r"^(oci://)?[a-zA-Z0-9._-]+(:\d+)?(/[a-zA-Z0-9._-]+)*[:][a-zA-Z0-9._-]+$")
    )]
    dest_ref: String,
    /// Annotations to add. Keys that begin with `index:` are for the index, all others, with `manifest:`
    /// before them or not, for the manifests of images.
    #[serde(default)]
    annotations: BTreeMap<String, String>,
    /// Whether any certificate of both registries is accepted.
    #[serde(default, rename = "insecureSkipTLSVerify")]
    insecure_skip_tls_verify: bool,
}

impl Step for OciPush {
    const KIND: &'static str = "oci-push";
    type Config = Config;
    type Needs = (Registries, Credentials);

    async fn run(
        &self,
        config: Config,
        (Registries { registries, settings }, credentials): Self::Needs,
        cx: &StepCx<'_>,
    ) -> StepResult {
        let (from, to) = (parse(&config.src_ref)?, parse(&config.dest_ref)?);
        let Some(tag) = to.tag() else {
            return Err(StepError::failed(format!("{to} has no tag to push to")));
        };
        let is_copy = !from.shares_repository_with(&to);
        if is_copy && settings.oci_push_max_bytes == Some(0) {
            return Err(StepError::fatal(
                "pushing to another repository is switched off in this installation (MAX_OCI_PUSH_ARTIFACT_SIZE is 0)",
            ));
        }
        let certificates = Certificates::ignored_if(config.insecure_skip_tls_verify);
        let source_access = oci::access(&from, certificates, &credentials, cx).await?;
        let source =
            registries.source(&from, &source_access).map_err(|error| unread(&from, error))?;
        let artifact = source.artifact(&from).await.map_err(|error| unread(&from, error))?;
        if is_copy {
            check_size(&artifact, &from, &settings)?;
        }
        let annotations = Annotations::new(config.annotations);
        let artifact = artifact.annotated(&annotations).map_err(|error| unread(&from, error))?;
        let outcome = Outcome::done()
            .with("image", to.to_string())
            .with("digest", artifact.digest())
            .with("tag", tag);
        if cx.effects.intercepts(|| effect(&from, &to, &artifact, cx)) {
            return Ok(outcome);
        }
        let access = oci::access(&to, certificates, &credentials, cx).await?;
        let unpushed = |error| oci::failure(format!("{to} could not be pushed"), error);
        let destination = registries.destination(&to, &access, &source).map_err(unpushed)?;
        cx.say(format!("pushing {} ({})", artifact.digest(), bytes(artifact.size())));
        destination.push(&source, &artifact, tag).await.map_err(unpushed)?;
        Ok(outcome)
    }
}

fn parse(name: &str) -> Result<Reference, StepError> {
    name.parse().map_err(|error: Error| StepError::failed(error.to_string()))
}

fn unread(from: &Reference, error: Error) -> StepError {
    let what = format!("{from} could not be read");
    match error {
        // It stays what it is, however often it is read.
        Error::ArtifactType(_) => StepError::fatal(what).because(error),
        error => oci::failure(what, error),
    }
}

fn check_size(artifact: &Artifact, from: &Reference, settings: &Settings) -> Result<(), StepError> {
    match settings.oci_push_max_bytes {
        Some(limit) if artifact.size() > limit => Err(StepError::fatal(format!(
            "{from} has {}, and at most {} are copied to another repository (MAX_OCI_PUSH_ARTIFACT_SIZE)",
            bytes(artifact.size()),
            bytes(limit)
        ))),
        _ => Ok(()),
    }
}

fn effect(from: &Reference, to: &Reference, artifact: &Artifact, cx: &StepCx<'_>) -> Effect {
    Effect {
        step: cx.alias.to_owned(),
        action: "push artifact",
        target: to.to_string(),
        detail: json!({"from": from.to_string(), "digest": artifact.digest()}),
    }
}

/// A number of bytes as people read it.
fn bytes(number: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let Some((size, unit)) = UNITS.into_iter().find(|(size, _)| number >= *size) else {
        return format!("{number} bytes");
    };
    let (whole, rest) = (number / size, number % size);
    format!("{whole}.{} {unit}", rest * 10 / size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_in_the_largest_unit_that_fits() {
        for (number, text) in [
            (0, "0 bytes"),
            (1_023, "1023 bytes"),
            (1_536, "1.5 KiB"),
            (1 << 20, "1.0 MiB"),
            (1 << 30, "1.0 GiB"),
            (1_610_612_736, "1.5 GiB"),
        ] {
            assert_eq!(bytes(number), text);
        }
    }
}
