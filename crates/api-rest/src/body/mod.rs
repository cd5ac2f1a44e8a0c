//! Bodies of requests and responses that are not Kubernetes objects.
//!
//! Objects travel as they are stored and have no type here. Fields keep upstream's names; one that
//! is empty is left out where upstream leaves it out.

mod access_review;
mod announcement;
mod config_map;
mod credential;
mod eligibility;
mod freight;
mod link;
mod overview;
mod project;
mod promotion;
mod resource;
mod role;
mod schemas;
mod step_response;
mod system;

pub use access_review::{AccessAnswer, AccessQuestion, AccessReviewRequest, AccessReviewResponse};
pub use announcement::{Announcement, AnnouncementsResponse, Severity};
pub use config_map::{CreateConfigMap, PatchConfigMap, UpdateConfigMap};
pub use credential::{
    CreateGenericCredentials, CreateRepoCredentials, PatchGenericCredentials, PatchRepoCredentials,
    UpdateGenericCredentials, UpdateRepoCredentials,
};
pub use eligibility::{Eligibility, EligibilityCheck, EligibilityRequest, EligibilityResponse};
pub use freight::{FreightGroup, FreightGroups};
pub use link::{Links, ResolvedLink};
pub use overview::{OverviewResponse, ProjectOverview, StageCounts, WarehouseCounts};
pub use project::{ImageStages, ImageTags, Images, Projects};
pub use promotion::{DownstreamPromotions, PromoteDownstream, PromoteToStage};
pub use resource::{ResourceResult, ResourceResults};
pub use role::{Claim, CreateApiToken, GrantOrRevoke, ResourceDetails, Role, UserClaims};
pub use schemas::SchemasResponse;
pub use step_response::{RespondRequest, ResponderRule, StepPrompt, StepResponse};
pub use system::{
    AdminLogin, ArgoCdShard, ControllerHeartbeats, Heartbeat, HeartbeatStatus, OidcConfig,
    PublicConfig, ServerConfig, VersionInfo,
};
