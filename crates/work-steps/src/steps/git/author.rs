//! Who makes commits.

use core_rules::credential::Secret;
use io_git::Identity;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{ControlPlane, GitIdentity, StepCx, StepError};

/// Who makes commits.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Author {
    /// The name.
    #[schemars(length(min = 1))]
    name: String,
    /// The e-mail address.
    #[schemars(extend("format" = "email"))]
    email: String,
    /// An armoured GPG private key to sign with; without it nothing is signed.
    #[serde(default)]
    signing_key: String,
}

impl Author {
    /// As a clone or commit needs it. A signing key is blanked from then on.
    pub(crate) fn identity(&self, cx: &StepCx<'_>) -> Identity {
        let key = Secret::new(self.signing_key.as_str());
        let signing_key = (!self.signing_key.trim().is_empty()).then_some(key);
        if let Some(key) = &signing_key {
            cx.hide(key);
        }
        Identity { name: self.name.clone(), email: self.email.clone(), signing_key }
    }

    /// The author that a step names, or else the installation's own.
    pub(crate) async fn or_system(
        author: Option<&Self>,
        control_plane: &dyn ControlPlane,
        cx: &StepCx<'_>,
    ) -> Result<Identity, StepError> {
        if let Some(author) = author {
            return Ok(author.identity(cx));
        }
        let found = control_plane.git_identity().await.map_err(|cause| {
            StepError::retryable("the identity that commits are made with could not be read")
                .because(cause)
        })?;
        let GitIdentity { name, email, signing_key } = found;
        if let Some(key) = &signing_key {
            cx.hide(key);
        }
        Ok(Identity { name, email, signing_key })
    }
}
