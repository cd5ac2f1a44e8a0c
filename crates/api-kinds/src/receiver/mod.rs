//! Webhook receivers: endpoints that other systems call when something changed.

mod generic;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{omit::is_zero, pattern, secret::LocalObjectReference};

pub use generic::{
    GenericWebhookAction, GenericWebhookActionType, GenericWebhookReceiverConfig,
    GenericWebhookTargetKind, GenericWebhookTargetSelectionCriteria, IndexSelector,
    IndexSelectorKey, IndexSelectorOperator, IndexSelectorRequirement,
};

/// A webhook receiver: a name and the settings of exactly one kind of sender.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookReceiverConfig {
    /// Settings for calls from Artifactory.
    #[serde(skip_serializing_if = "is_zero")]
    pub artifactory: Option<ArtifactoryWebhookReceiverConfig>,
    /// Settings for calls from Azure Container Registry or Azure DevOps.
    #[serde(skip_serializing_if = "is_zero")]
    pub azure: Option<AzureWebhookReceiverConfig>,
    /// Settings for calls from Bitbucket.
    #[serde(skip_serializing_if = "is_zero")]
    pub bitbucket: Option<BitbucketWebhookReceiverConfig>,
    /// Settings for calls from Docker Hub.
    #[serde(skip_serializing_if = "is_zero")]
    pub dockerhub: Option<DockerHubWebhookReceiverConfig>,
    /// Settings for calls from any sender, with expressions that say what to do.
    #[serde(skip_serializing_if = "is_zero")]
    pub generic: Option<GenericWebhookReceiverConfig>,
    /// Settings for calls from Gitea.
    #[serde(skip_serializing_if = "is_zero")]
    pub gitea: Option<GiteaWebhookReceiverConfig>,
    /// Settings for calls from GitHub.
    #[serde(skip_serializing_if = "is_zero")]
    pub github: Option<GitHubWebhookReceiverConfig>,
    /// Settings for calls from GitLab.
    #[serde(skip_serializing_if = "is_zero")]
    pub gitlab: Option<GitLabWebhookReceiverConfig>,
    /// Settings for calls from Harbor.
    #[serde(skip_serializing_if = "is_zero")]
    pub harbor: Option<HarborWebhookReceiverConfig>,
    /// Name of the receiver, unique among the receivers beside it. It is part of the secret from
    /// which the receiver's address is made.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::NAME))]
    pub name: String,
    /// Settings for calls from Quay.
    #[serde(skip_serializing_if = "is_zero")]
    pub quay: Option<QuayWebhookReceiverConfig>,
}

/// Declares the settings of a sender that needs nothing but a Secret.
macro_rules! secret_only_receiver {
    ($name:ident, $sender:literal, $secret:literal) => {
        #[doc = concat!("Settings for calls from ", $sender, ".")]
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name {
            #[doc = $secret]
            pub secret_ref: LocalObjectReference,
        }
    };
}

secret_only_receiver!(
    AzureWebhookReceiverConfig,
    "Azure Container Registry or Azure DevOps",
    "The Secret whose `secret` key holds a value that makes the receiver's address unguessable."
);
secret_only_receiver!(
    BitbucketWebhookReceiverConfig,
    "Bitbucket",
    "The Secret whose `secret` key holds the value with which Bitbucket signs its calls."
);
secret_only_receiver!(
    DockerHubWebhookReceiverConfig,
    "Docker Hub",
    "The Secret whose `secret` key holds a value that makes the receiver's address unguessable."
);
secret_only_receiver!(
    GiteaWebhookReceiverConfig,
    "Gitea",
    "The Secret whose `secret` key holds the value with which Gitea signs its calls."
);
secret_only_receiver!(
    GitHubWebhookReceiverConfig,
    "GitHub",
    "The Secret whose `secret` key holds the value with which GitHub signs its calls."
);
secret_only_receiver!(
    GitLabWebhookReceiverConfig,
    "GitLab",
    "The Secret whose `secret-token` key holds the token that GitLab sends with its calls."
);
secret_only_receiver!(
    HarborWebhookReceiverConfig,
    "Harbor",
    "The Secret whose `auth-header` key holds the Authorization header that Harbor sends."
);
secret_only_receiver!(
    QuayWebhookReceiverConfig,
    "Quay",
    "The Secret whose `secret` key holds a value that makes the receiver's address unguessable."
);

/// Settings for calls from Artifactory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ArtifactoryWebhookReceiverConfig {
    /// The Secret whose `secret-token` key holds the value with which Artifactory signs its calls.
    pub secret_ref: LocalObjectReference,
    /// Name of the virtual repository through which images are pulled, put in place of the local
    /// repository that the call names.
    #[serde(skip_serializing_if = "is_zero")]
    pub virtual_repo_name: String,
}

/// Where a configured webhook receiver can be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookReceiverDetails {
    /// Name of the receiver.
    #[serde(skip_serializing_if = "is_zero")]
    pub name: String,
    /// Path of its address.
    #[serde(skip_serializing_if = "is_zero")]
    pub path: String,
    /// Its full address.
    #[serde(skip_serializing_if = "is_zero")]
    pub url: String,
}
