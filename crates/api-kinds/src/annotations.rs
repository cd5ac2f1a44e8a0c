//! Annotation keys and their fixed values.

/// Stage or Promotion: asks to abort a verification or the Promotion.
pub const ABORT: &str = "kargo.akuity.io/abort";
/// Stage: JSON list of the Argo CD Applications its Promotions touched.
pub const ARGOCD_CONTEXT: &str = "kargo.akuity.io/argocd-context";
/// Argo CD Application: the Stages that may change it, `project:stage`, separated by commas.
pub const AUTHORIZED_STAGE: &str = "kargo.akuity.io/authorized-stage";
/// Promotion: the origin for which it puts auto-promotion on hold when it ends.
pub const AUTO_PROMOTION_HOLD: &str = "kargo.akuity.io/auto-promotion-hold";
/// Promotion: the origin for which it lifts the hold when it ends.
pub const AUTO_PROMOTION_RESUME: &str = "kargo.akuity.io/auto-promotion-resume";
/// Stage: its colour in the pipeline view.
pub const COLOR: &str = "kargo.akuity.io/color";
/// Promotion, Project, PromotionRequest: who created it.
pub const CREATE_ACTOR: &str = "kargo.akuity.io/create-actor";
/// Any object: free text for people.
pub const DESCRIPTION: &str = "kargo.akuity.io/description";
/// Secret of a GitHub App: JSON object naming the repositories each Project may get a token for.
pub const GITHUB_TOKEN_SCOPES: &str = "kargo.akuity.io/github-token-scopes";
/// Project or Namespace: `true` keeps the namespace when the Project is deleted.
pub const KEEP_NAMESPACE: &str = "kargo.akuity.io/keep-namespace";
/// Any object: JSON object of the migrations already done.
pub const MIGRATED: &str = "kargo.akuity.io/migrated";
/// Copy made by the former Secret synchronisation: the namespace of its source.
pub const ORIGIN_NAMESPACE: &str = "kargo.akuity.io/origin-namespace";
/// AnalysisRun, and Argo CD operation info: the Promotion behind it.
pub const PROMOTION: &str = "kargo.akuity.io/promotion";
/// Asks for a reconciliation; handled once `status.lastHandledRefresh` holds the same token.
pub const REFRESH: &str = "kargo.akuity.io/refresh";
/// Replica: when it was last written.
pub const REPLICATED_AT: &str = "kargo.akuity.io/replicated-at";
/// Secret or ConfigMap among the shared resources: where to copy it.
pub const REPLICATE_TO: &str = "kargo.akuity.io/replicate-to";
/// Promotion: JSON object of what people answered to its steps, by the alias of the step. Only the control plane
/// changes it.
pub const RESPONSES: &str = "kargo.akuity.io/responses";
/// Stage: asks to repeat a verification.
pub const REVERIFY: &str = "kargo.akuity.io/reverify";
/// Promotion: `true` marks a return to Freight known to be good.
pub const ROLLBACK: &str = "kargo.akuity.io/rollback";
/// Promotion, and AnalysisRun whose label had to be shortened: the full name of the Stage.
pub const STAGE: &str = "kargo.akuity.io/stage";
/// Copy made by the former Secret synchronisation: the hash of its content.
pub const SYNCED_DATA_HASH: &str = "kargo.akuity.io/synced-data-hash";

/// ServiceAccount: JSON object from claim to the values that grant the role.
pub const RBAC_CLAIMS: &str = "rbac.kargo.akuity.io/claims";
/// ServiceAccount: prefix of keys that end in a claim; the value lists the values, by commas.
pub const RBAC_CLAIM_PREFIX: &str = "rbac.kargo.akuity.io/claim.";
/// ServiceAccount, Role, RoleBinding: `true` marks objects that we maintain.
pub const RBAC_MANAGED: &str = "rbac.kargo.akuity.io/managed";

/// Event: prefix of every key of the structured payload.
pub const EVENT_PREFIX: &str = "event.kargo.akuity.io/";

/// Stage: JSON object of annotations added to the pods of its Promotions.
pub const PROMOTION_POD_ANNOTATIONS: &str = "ee.kargo.akuity.io/promotion-annotations";
/// Stage: JSON object of labels added to the pods of its Promotions.
pub const PROMOTION_POD_LABELS: &str = "ee.kargo.akuity.io/promotion-labels";
/// Stage: the ServiceAccount its Promotions run as.
pub const PROMOTION_POD_SERVICE_ACCOUNT: &str = "ee.kargo.akuity.io/promotion-sa";

/// The only accepted value of `replicate-to`: every Project.
pub const REPLICATE_TO_ALL: &str = "*";
/// The action of an abort request on a Promotion.
pub const ABORT_ACTION_TERMINATE: &str = "terminate";
