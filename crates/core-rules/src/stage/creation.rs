//! The objects that automatic promotion creates.

use api_kinds::promotion::PromotionSpec;
use api_kinds::promotion_request::{PromotionRequestSpec, PromotionRequestTarget};
use api_kinds::{ObjectMeta, Promotion, PromotionRequest, Stage, labels};

use super::effect::Creation;
use crate::admission::promotion::owned_by;
use crate::promotion::promotion_request_name;
use crate::shorten;
use crate::ulid::Ulid;

const GENERATED_NAME_PREFIX: &str = "promo-";

impl Creation {
    /// The Promotion. Admission gives it its name, its steps and everything else.
    pub fn promotion(&self, stage: &Stage) -> Promotion {
        let spec = PromotionSpec {
            stage: stage.metadata.name.clone().unwrap_or_default(),
            freight: self.freight.clone(),
            ..PromotionSpec::default()
        };
        let metadata = ObjectMeta {
            generate_name: Some(GENERATED_NAME_PREFIX.to_owned()),
            namespace: stage.metadata.namespace.clone(),
            ..ObjectMeta::default()
        };
        Promotion { metadata, spec, ..Promotion::default() }
    }

    /// The PromotionRequest.
    pub fn request(&self, stage: &Stage, id: Ulid) -> PromotionRequest {
        let name = stage.metadata.name.clone().unwrap_or_default();
        let mut own = [(labels::STAGE.to_owned(), shorten::label_value(&name))].to_vec();
        if !stage.spec.shard.is_empty() {
            own.push((labels::SHARD.to_owned(), stage.spec.shard.clone()));
        }
        let metadata = ObjectMeta {
            name: promotion_request_name(&name, &self.freight, id),
            namespace: stage.metadata.namespace.clone(),
            labels: Some(own.into_iter().collect()),
            owner_references: Some(vec![owned_by(stage)]),
            ..ObjectMeta::default()
        };
        let target = |name: &String| PromotionRequestTarget { name: name.clone() };
        let spec = PromotionRequestSpec {
            stage: name,
            freight: self.freight.clone(),
            targets: self.targets.iter().map(target).collect(),
        };
        PromotionRequest { metadata, spec, ..PromotionRequest::default() }
    }
}
