//! Subscriptions to container images.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{omit::is_zero, string_enum::string_enum};

/// Settings of a subscription to the versions of a container image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ImageSubscription {
    /// Repository of the image, without tag.
    #[serde(rename = "repoURL")]
    #[schemars(length(min = 1))]
    pub repo_url: String,
    /// Regular expression that tags must match. Deprecated: use `allowTagsRegexes`.
    #[serde(skip_serializing_if = "is_zero")]
    pub allow_tags: String,
    /// Regular expressions of which tags must match one.
    #[serde(skip_serializing_if = "is_zero")]
    pub allow_tags_regexes: Vec<String>,
    /// Whether tags never move, so that what is known about one stays true.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_by_tag: bool,
    /// The tag to follow, or the constraint that semantic versions must meet.
    #[serde(skip_serializing_if = "is_zero")]
    pub constraint: String,
    /// How many images to find at most; 0 stands for the default.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(range(min = 1, max = 100), extend("x-kargo-default" = 20))]
    pub discovery_limit: i32,
    /// Tags to pass over. Deprecated: use `ignoreTagsRegexes`.
    #[serde(skip_serializing_if = "is_zero")]
    pub ignore_tags: Vec<String>,
    /// Regular expressions of tags to pass over.
    #[serde(skip_serializing_if = "is_zero")]
    pub ignore_tags_regexes: Vec<String>,
    /// How images are selected; unset means the highest semantic version.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend("x-kargo-default" = "SemVer"))]
    pub image_selection_strategy: ImageSelectionStrategy,
    /// Whether to accept any certificate.
    #[serde(rename = "insecureSkipTLSVerify", skip_serializing_if = "is_zero")]
    pub insecure_skip_tls_verify: bool,
    /// The platform that images must support, as `os/architecture`.
    #[serde(skip_serializing_if = "is_zero")]
    pub platform: String,
    /// Whether tags must be complete semantic versions; admission turns absent into true.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend("x-kargo-default" = true))]
    pub strict_semvers: Option<bool>,
}

string_enum! {
    /// How images are selected; unset means the highest semantic version.
    listed ImageSelectionStrategy {
        /// Whatever one tag points to.
        Digest = "Digest",
        /// The lexically greatest tag first.
        Lexical = "Lexical",
        /// The newest build first.
        NewestBuild = "NewestBuild",
        /// The highest semantic version first.
        SemVer = "SemVer",
    }
}
