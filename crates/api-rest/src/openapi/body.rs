//! The schemas of bodies that are not objects, under the names that the route table uses.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{Schemas, schema};
use crate::{ErrorBody, body};

/// The name of the schema of errors.
pub(super) const ERROR: &str = "ErrorBody";

/// Every body. Of what is received nothing is required: what is missing is told in a sentence.
pub(super) fn schemas() -> Schemas {
    let mut schemas = received();
    schemas.extend(sent());
    schemas
}

fn received() -> Schemas {
    let mut bodies = Bodies::new(settings());
    bodies.add::<body::CreateConfigMap>("CreateConfigMapRequest");
    bodies.add::<body::UpdateConfigMap>("UpdateConfigMapRequest");
    bodies.add::<body::PatchConfigMap>("PatchConfigMapRequest");
    bodies.add::<body::CreateRepoCredentials>("CreateRepoCredentialsRequest");
    bodies.add::<body::UpdateRepoCredentials>("UpdateRepoCredentialsRequest");
    bodies.add::<body::PatchRepoCredentials>("PatchRepoCredentialsRequest");
    bodies.add::<body::CreateGenericCredentials>("CreateGenericCredentialsRequest");
    bodies.add::<body::UpdateGenericCredentials>("UpdateGenericCredentialsRequest");
    bodies.add::<body::PatchGenericCredentials>("PatchGenericCredentialsRequest");
    bodies.add::<body::PromoteToStage>("PromoteToStageRequest");
    bodies.add::<body::PromoteDownstream>("PromoteDownstreamRequest");
    bodies.add::<body::GrantOrRevoke>("GrantRequest");
    bodies.add::<body::GrantOrRevoke>("RevokeRequest");
    bodies.add::<body::CreateApiToken>("CreateAPITokenRequest");
    bodies.add::<body::EligibilityRequest>("EligibilityRequest");
    bodies.add::<body::AccessReviewRequest>("AccessReviewRequest");
    bodies.add::<body::RespondRequest>("RespondRequest");
    bodies.finish()
}

fn sent() -> Schemas {
    let mut bodies = Bodies::new(settings().for_serialize());
    bodies.add::<ErrorBody>(ERROR);
    bodies.add::<body::AdminLogin>("AdminLoginResponse");
    bodies.add::<body::PublicConfig>("PublicConfig");
    bodies.add::<body::ServerConfig>("GetConfigResponse");
    bodies.add::<body::VersionInfo>("VersionInfo");
    bodies.add::<body::ControllerHeartbeats>("GetControllerHeartbeatsResponse");
    bodies.add::<body::Projects>("ListProjectsResponse");
    bodies.add::<body::Images>("Images");
    bodies.add::<body::FreightGroups>("QueryFreightResponse");
    bodies.add::<body::Links>("Links");
    bodies.add::<body::DownstreamPromotions>("PromoteDownstreamResponse");
    bodies.add::<body::ResourceResults>("ResourceResults");
    bodies.add::<body::Role>("RbacRole");
    bodies.add::<body::EligibilityResponse>("EligibilityResponse");
    bodies.add::<body::AccessReviewResponse>("AccessReviewResponse");
    bodies.add::<body::OverviewResponse>("OverviewResponse");
    bodies.add::<body::SchemasResponse>("SchemasResponse");
    bodies.add::<body::AnnouncementsResponse>("AnnouncementsResponse");
    bodies.add::<body::StepPrompt>("StepPrompt");
    bodies.add::<body::StepResponse>("StepResponse");
    let mut schemas = bodies.finish();
    schemas.insert("Any".to_owned(), json!({ "description": "Any JSON." }));
    schemas
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.definitions_path = "/components/schemas".into();
    })
}

struct Bodies {
    generator: SchemaGenerator,
    schemas: Schemas,
}

impl Bodies {
    fn new(settings: SchemaSettings) -> Self {
        Self { generator: settings.into_generator(), schemas: Schemas::new() }
    }

    fn add<T: JsonSchema>(&mut self, name: &str) {
        let schema = T::json_schema(&mut self.generator).to_value();
        self.schemas.insert(name.to_owned(), schema);
    }

    /// All that were added, and what they are made of.
    fn finish(mut self) -> Schemas {
        let parts: Map<String, Value> = self.generator.take_definitions(true);
        self.schemas.extend(parts);
        self.schemas.values_mut().for_each(schema::tidy);
        self.schemas
    }
}
