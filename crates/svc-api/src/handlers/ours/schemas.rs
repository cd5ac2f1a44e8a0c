//! What objects, configurations of steps and subscriptions look like. It is the same for everybody until another build
//! runs.

use std::{collections::BTreeMap, sync::OnceLock};

use api_kinds::crd;
use api_rest::body::SchemasResponse;
use serde_json::Value;
use work_steps::{catalogue::STEPS, schema::document};

use crate::{
    api_error::{ApiError, ApiResult},
    caller::Caller,
    document::Document,
};

/// Made and packed once for everybody.
static DOCUMENT: OnceLock<Document> = OnceLock::new();

/// Returns all schemas.
pub(super) async fn schemas_get(caller: Caller) -> ApiResult<Document> {
    if let Some(made) = DOCUMENT.get() {
        return Ok(made.clone());
    }
    let body = serde_json::to_vec(&schemas()).map_err(ApiError::internal)?;
    let version = format!("{}-{}", caller.api().version().version, body.len());
    Ok(DOCUMENT.get_or_init(|| Document::of_bytes(body).with_version(version)).clone())
}

fn schemas() -> SchemasResponse {
    let steps = STEPS.iter().map(|step| (step.kind().to_owned(), document(*step)));
    let subscriptions = crd::subscriptions().into_iter();
    SchemasResponse {
        kinds: kinds(),
        steps: steps.collect(),
        subscriptions: subscriptions.map(|(name, schema)| (name.to_owned(), schema)).collect(),
    }
}

fn kinds() -> BTreeMap<String, Value> {
    let schema = |crd: Value| {
        let kind = crd.pointer("/spec/names/kind")?.as_str()?.to_owned();
        Some((kind, crd.pointer("/spec/versions/0/schema/openAPIV3Schema")?.clone()))
    };
    crd::crds().into_iter().filter_map(schema).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_step_and_subscription_is_described() {
        let all = schemas();
        assert_eq!((all.kinds.len(), all.steps.len()), (11, STEPS.len()));
        assert_eq!(all.subscriptions.keys().collect::<Vec<_>>(), ["chart", "git", "image"]);
        let subscriptions = all.subscriptions.values();
        for schema in all.kinds.values().chain(all.steps.values()).chain(subscriptions) {
            assert_eq!(schema["type"], "object", "{schema}");
        }
    }
}
