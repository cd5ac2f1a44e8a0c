//! Subscriptions to Git repositories.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{omit::is_zero, pattern, string_enum::string_enum};

/// Settings of a subscription to the commits of a Git repository.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GitSubscription {
    /// URL of the repository.
    #[serde(rename = "repoURL")]
    #[schemars(length(min = 1), regex(pattern = pattern::GIT_URL))]
    pub repo_url: String,
    /// Regular expression that tags must match. Deprecated: use `allowTagsRegexes`.
    #[serde(skip_serializing_if = "is_zero")]
    pub allow_tags: String,
    /// Regular expressions of which tags must match one.
    #[serde(skip_serializing_if = "is_zero")]
    pub allow_tags_regexes: Vec<String>,
    /// Whether to clone without file contents until they are needed.
    #[serde(skip_serializing_if = "is_zero")]
    pub blobless: Option<bool>,
    /// The branch to watch; empty means the repository's default branch.
    #[serde(skip_serializing_if = "is_zero")]
    pub branch: String,
    /// How commits are selected; unset means the newest of the branch.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend("x-kargo-default" = "NewestFromBranch"))]
    pub commit_selection_strategy: CommitSelectionStrategy,
    /// How many commits to find at most; 0 stands for the default.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(range(min = 1, max = 100), extend("x-kargo-default" = 20))]
    pub discovery_limit: i32,
    /// Paths whose changes do not count.
    #[serde(skip_serializing_if = "is_zero")]
    pub exclude_paths: Vec<String>,
    /// Expression that commits or tags must meet.
    #[serde(skip_serializing_if = "is_zero")]
    pub expression_filter: String,
    /// Tags to pass over. Deprecated: use `ignoreTagsRegexes`.
    #[serde(skip_serializing_if = "is_zero")]
    pub ignore_tags: Vec<String>,
    /// Regular expressions of tags to pass over.
    #[serde(skip_serializing_if = "is_zero")]
    pub ignore_tags_regexes: Vec<String>,
    /// Paths of which a change must touch one to count.
    #[serde(skip_serializing_if = "is_zero")]
    pub include_paths: Vec<String>,
    /// Whether to accept any certificate.
    #[serde(rename = "insecureSkipTLSVerify", skip_serializing_if = "is_zero")]
    pub insecure_skip_tls_verify: bool,
    /// Constraint that semantic versions must meet.
    #[serde(skip_serializing_if = "is_zero")]
    pub semver_constraint: String,
    /// The time before which commits are passed over.
    #[serde(skip_serializing_if = "is_zero")]
    pub since: Option<Time>,
    /// Whether tags must be complete semantic versions; admission turns absent into true.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend("x-kargo-default" = true))]
    pub strict_semvers: Option<bool>,
}

string_enum! {
    /// How commits are selected; unset means the newest of the branch.
    listed CommitSelectionStrategy {
        /// By tag, the lexically greatest first.
        Lexical = "Lexical",
        /// The newest of the branch.
        NewestFromBranch = "NewestFromBranch",
        /// By tag, the newest first.
        NewestTag = "NewestTag",
        /// By tag, the highest semantic version first.
        SemVer = "SemVer",
    }
}
