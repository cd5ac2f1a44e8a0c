//! Condition reasons, by the kind that carries them.

/// Reasons on Warehouses.
pub mod warehouse {
    /// A discovery is due or under way.
    pub const SCHEDULED_DISCOVERY: &str = "ScheduledDiscovery";
    /// Freight is being created.
    pub const FREIGHT_CREATION_IN_PROGRESS: &str = "FreightCreationInProgress";
    /// The result of the current discovery is awaited.
    pub const DISCOVERY_IN_PROGRESS: &str = "DiscoveryInProgress";
    /// Artifacts could not be discovered (Ready).
    pub const DISCOVERY_FAILURE: &str = "DiscoveryFailure";
    /// Artifacts could not be discovered (Healthy).
    pub const DISCOVERY_FAILED: &str = "DiscoveryFailed";
    /// The criteria for new Freight could not be evaluated.
    pub const CRITERIA_EVALUATION_FAILED: &str = "CriteriaEvaluationFailed";
    /// Artifacts are known, Freight is yet to be created.
    pub const AWAITING_FREIGHT_CREATION: &str = "AwaitingFreightCreation";
    /// Freight could not be assembled from the artifacts.
    pub const FREIGHT_BUILD_FAILURE: &str = "FreightBuildFailure";
    /// Freight could not be stored.
    pub const FREIGHT_CREATION_FAILURE: &str = "FreightCreationFailure";
    /// A subscription found no artifact.
    pub const MISSING_ARTIFACTS: &str = "MissingArtifacts";
    /// A Git subscription found no commit (Ready).
    pub const MISSING_COMMITS: &str = "MissingCommits";
    /// An image subscription found no image (Ready).
    pub const MISSING_IMAGE_REFERENCES: &str = "MissingImageReferences";
    /// A chart subscription found no version (Ready).
    pub const MISSING_CHART_VERSIONS: &str = "MissingChartVersions";
    /// A Git subscription found no commit (Healthy).
    pub const NO_COMMITS_DISCOVERED: &str = "NoCommitsDiscovered";
    /// An image subscription found no image (Healthy).
    pub const NO_IMAGE_REFERENCES_DISCOVERED: &str = "NoImageReferencesDiscovered";
    /// A chart subscription found no version (Healthy).
    pub const NO_CHART_VERSIONS_DISCOVERED: &str = "NoChartVersionsDiscovered";
    /// Every subscription found artifacts.
    pub const ARTIFACTS_DISCOVERED: &str = "ArtifactsDiscovered";
    /// Nothing is known yet.
    pub const PENDING: &str = "Pending";
    /// The last pass ended well.
    pub const RECONCILIATION_SUCCEEDED: &str = "ReconciliationSucceeded";
    /// The artifacts meet the criteria for new Freight.
    pub const CRITERIA_SATISFIED: &str = "CriteriaSatisfied";
    /// The artifacts do not meet the criteria for new Freight.
    pub const CRITERIA_NOT_SATISFIED: &str = "CriteriaNotSatisfied";
    /// Freight was created.
    pub const NEW_FREIGHT: &str = "NewFreight";
    /// The same Freight exists already.
    pub const ALREADY_EXISTS: &str = "AlreadyExists";
}

/// Reasons on Stages.
pub mod stage {
    /// A pass is under way.
    pub const RECONCILING: &str = "Reconciling";
    /// The last pass failed and will be repeated.
    pub const RETRY_AFTER_ERROR: &str = "RetryAfterError";
    /// The last pass failed.
    pub const RECONCILE_ERROR: &str = "ReconcileError";
    /// A Promotion is under way.
    pub const ACTIVE_PROMOTION: &str = "ActivePromotion";
    /// The Promotions of the Stage could not be read.
    pub const LIST_PROMOTIONS_FAILED: &str = "ListPromotionsFailed";
    /// Health is yet to be checked.
    pub const WAITING_FOR_HEALTH_CHECK: &str = "WaitingForHealthCheck";
    /// The Stage holds no Freight.
    pub const NO_FREIGHT: &str = "NoFreight";
    /// The Stage is healthy.
    pub const HEALTHY: &str = "Healthy";
    /// The Stage is not healthy.
    pub const UNHEALTHY: &str = "Unhealthy";
    /// Verification is yet to start.
    pub const WAITING_FOR_VERIFICATION: &str = "WaitingForVerification";
    /// Verification has not ended (Ready).
    pub const PENDING_VERIFICATION: &str = "PendingVerification";
    /// Verification is waiting to run.
    pub const VERIFICATION_PENDING: &str = "VerificationPending";
    /// Verification is running.
    pub const VERIFICATION_RUNNING: &str = "VerificationRunning";
    /// Verification ended without a verdict.
    pub const VERIFICATION_INCONCLUSIVE: &str = "VerificationInconclusive";
    /// Verification is in a phase this version does not know.
    pub const UNKNOWN_VERIFICATION_PHASE: &str = "UnknownVerificationPhase";
    /// Verification failed.
    pub const VERIFICATION_FAILED: &str = "VerificationFailed";
    /// Verification could not be carried out.
    pub const VERIFICATION_ERROR: &str = "VerificationError";
    /// Verification was aborted.
    pub const VERIFICATION_ABORTED: &str = "VerificationAborted";
    /// Verification succeeded.
    pub const VERIFIED: &str = "Verified";
    /// A control-flow Stage passed its Freight on.
    pub const READY: &str = "Ready";
    /// A control-flow Stage could not read its Freight.
    pub const FREIGHT_RETRIEVAL_FAILED: &str = "FreightRetrievalFailed";
    /// A control-flow Stage could not mark its Freight as verified.
    pub const FREIGHT_VERIFICATION_FAILED: &str = "FreightVerificationFailed";
    /// Reading Freight will be repeated.
    pub const RETRY_AFTER_FREIGHT_RETRIEVAL_FAILED: &str = "RetryAfterFreightRetrievalFailed";
    /// Marking Freight as verified will be repeated.
    pub const RETRY_AFTER_VERIFICATION_FAILED: &str = "RetryAfterVerificationFailed";
    /// Followed by the phase in which the last Promotion ended.
    pub const LAST_PROMOTION_PREFIX: &str = "LastPromotion";
}

/// Reasons on Projects.
pub mod project {
    /// The namespace and permissions are being set up.
    pub const SYNCING: &str = "Syncing";
    /// The namespace and permissions are set up.
    pub const SYNCED: &str = "Synced";
    /// The namespace could not be set up.
    pub const ENSURING_NAMESPACE_FAILED: &str = "EnsuringNamespaceFailed";
    /// Permissions of the system could not be set up.
    pub const ENSURING_SYSTEM_PERMISSIONS_FAILED: &str = "EnsuringSystemPermissionsFailed";
    /// Permissions of controllers could not be set up.
    pub const ENSURING_CONTROLLER_PERMISSIONS_FAILED: &str = "EnsuringControllerPermissionsFailed";
    /// The default roles could not be set up.
    pub const ENSURING_DEFAULT_USER_ROLES: &str = "EnsuringDefaultUserRoles";
    /// Additional permissions could not be set up.
    pub const ENSURING_EXTENDED_PERMISSIONS_FAILED: &str = "EnsuringExtendedPermissionsFailed";
    /// A namespace of that name exists and is not marked for a Project.
    pub const EXISTING_NAMESPACE_MISSING_LABEL: &str = "ExistingNamespaceMissingLabel";
    /// The Warehouses could not be counted.
    pub const COLLECTING_WAREHOUSE_STATS_FAILED: &str = "CollectingWarehouseStatsFailed";
    /// The Stages could not be counted.
    pub const COLLECTING_STAGE_STATS_FAILED: &str = "CollectingStageStatsFailed";
}

/// Reasons on ProjectConfigs and ClusterConfigs.
pub mod config {
    /// Webhook receivers are being set up.
    pub const SYNCING_WEBHOOKS: &str = "SyncingWebhooks";
    /// A webhook receiver could not be set up.
    pub const SYNC_WEBHOOK_RECEIVERS_FAILED: &str = "SyncWebhookReceiversFailed";
    /// All webhook receivers are set up.
    pub const SYNCED: &str = "Synced";
}

/// Reasons on PromotionRequests.
pub mod promotion_request {
    /// Written by versions that do not serve PromotionRequests.
    pub const ENTERPRISE_ONLY_FEATURE: &str = "EnterpriseOnlyFeature";
}
