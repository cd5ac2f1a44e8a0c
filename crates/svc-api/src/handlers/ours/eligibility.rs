//! Whether Freight may enter Stages, and why not: the gate's answer, with the caller's permission in it.

use std::sync::Arc;

use api_kinds::{Freight, Stage};
use api_rest::body::{EligibilityRequest, EligibilityResponse};
use axum::extract::Path;
use core_rules::{
    eligibility::eligibility,
    gate::{Arrival, Permission, Situation, judge},
};
use serde::de::DeserializeOwned;

use super::find_stage;
use crate::{
    api_error::{ApiError, ApiResult},
    caller::{Caller, Target, Verb},
    document::Document,
    handlers::{freight, promote::passing_stages},
    json::Json,
    mirror::{Mirror, kinds},
    turn::Turn,
};

/// More answers than fit on a screen.
const MAX_ANSWERS: usize = 2_000;

/// Answers for each of the Stages and each of the pieces of Freight.
pub(super) async fn eligibility_check(
    caller: Caller,
    _turn: Turn,
    Path(project): Path<String>,
    Json(asked): Json<EligibilityRequest>,
) -> ApiResult<Document> {
    let stages = stages(&caller, &project, &asked.stages).await?;
    let pieces = pieces(&caller, &project, &asked.freight).await?;
    if stages.len().saturating_mul(pieces.len()) > MAX_ANSWERS {
        let text =
            format!("at most {MAX_ANSWERS} answers at once: name fewer Stages or less Freight");
        return Err(ApiError::bad_request(text));
    }
    let (user, now) = (caller.actor(), caller.api().ports().clock.now());
    let mut answer = EligibilityResponse::default();
    for (name, stage) in &stages {
        let target = Target::one(&kinds::STAGE, &project, name);
        let permission = if may(&caller, Verb::Promote, &target).await? {
            Permission::Granted { user: &user }
        } else {
            Permission::Denied { user: &user }
        };
        let passing_stages = passing_stages(&caller, &project, [&**stage]);
        let window = stage.status.promotion_window_status.as_ref();
        for (piece, freight) in &pieces {
            let arrival = Arrival { freight, stage, passing_stages: &passing_stages, now };
            let judged = judge(&Situation::by_hand(arrival, permission).with_window(window));
            answer.items.push(eligibility(name, piece, &judged));
        }
    }
    Document::of(&answer)
}

/// Whether the caller may; that nobody can say is an error.
async fn may(caller: &Caller, verb: Verb, target: &Target) -> ApiResult<bool> {
    match caller.require(verb, target).await {
        Ok(_) => Ok(true),
        Err(error) if error.status() == http::StatusCode::FORBIDDEN => Ok(false),
        Err(error) => Err(error),
    }
}

async fn stages(
    caller: &Caller,
    project: &str,
    names: &[String],
) -> ApiResult<Vec<(String, Arc<Stage>)>> {
    if names.is_empty() {
        return all(caller, &caller.mirrors().stages, project).await;
    }
    let mut stages = Vec::new();
    for name in names {
        stages.push((name.clone(), find_stage(caller, project, name).await?));
    }
    Ok(stages)
}

async fn pieces(
    caller: &Caller,
    project: &str,
    names: &[String],
) -> ApiResult<Vec<(String, Arc<Freight>)>> {
    if names.is_empty() {
        return all(caller, &caller.mirrors().freight, project).await;
    }
    let mut pieces = Vec::new();
    for name in names {
        let piece = freight::find(caller, project, name).await?;
        pieces.push((piece.object.name.clone(), piece.freight));
    }
    Ok(pieces)
}

async fn all<T: DeserializeOwned + Send + Sync + 'static>(
    caller: &Caller,
    mirror: &Mirror,
    project: &str,
) -> ApiResult<Vec<(String, Arc<T>)>> {
    let objects = caller.list(mirror, project).await?.list(project).objects;
    Ok(objects.iter().filter_map(|one| Some((one.name.clone(), one.typed()?))).collect())
}
