//! Tokens that act as a role.

use std::time::Duration;

use api_rest::body::CreateApiToken;
use axum::Router;
use core_rules::access::{
    escalation,
    role::{check_deletable, check_token, is_populated, is_worth_another_try, token, tokens_of},
};
use io_kube::Backoff;
use k8s_openapi::api::core::v1::Secret;

use super::{
    Gone,
    credential::secret_list,
    mount as add,
    role::{find, namespace},
};
use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    caller::{Caller, Target, Verb},
    document::Document,
    json::Json,
    mirror::kinds,
    place::Place,
    query::Query,
};

const TOKENS: &str = "rbac.kargo.akuity.io/api-token=true";
/// How often a new token is looked for, until the cluster has signed it.
const ATTEMPTS: u32 = 6;
const BACKOFF: Backoff = Backoff { base: Duration::from_millis(20), max: Duration::from_secs(2) };

pub(super) fn mount(mut router: Router<Api>) -> Router<Api> {
    for scope in ["Project", "System"] {
        let named = |verb: &str| format!("{verb}{scope}APIToken");
        router = add(router, &named("Create"), api_token_create);
        router = add(router, &format!("List{scope}APITokens"), api_token_list);
        router = add(router, &named("Get"), api_token_get);
        router = add(router, &named("Delete"), api_token_delete);
    }
    router
}

/// Makes a token that acts as a role. Whoever makes one must hold what the role does.
async fn api_token_create(
    caller: Caller,
    place: Place,
    Json(sent): Json<CreateApiToken>,
) -> ApiResult<Document> {
    let parts = find(&caller, &place, &place.name).await?;
    let secret = token(&parts.account, &sent).map_err(ApiError::refused)?;
    let namespace = namespace(&caller, &place);
    let asked = escalation::permissions(&parts.rules(), namespace).map_err(ApiError::refused)?;
    caller.require_held(&asked).await?;
    let target = Target::one(&kinds::SECRET, namespace, &sent.name);
    let grant = caller.require(Verb::Create, &target).await?;
    caller.create(grant, &kinds::SECRET, None, &secret).await?;
    let made = populated(&caller, namespace, &sent.name).await?;
    Ok(Document::of(&made)?.with_status(201))
}

/// The token, once the cluster has signed it.
async fn populated(caller: &Caller, namespace: &str, name: &str) -> ApiResult<Secret> {
    let ports = caller.api().ports();
    for attempt in 1..=ATTEMPTS {
        let grant =
            caller.require(Verb::Get, &Target::one(&kinds::SECRET, namespace, name)).await?;
        match caller.fetch::<Secret>(grant, &kinds::SECRET).await {
            Ok(secret) if is_populated(&secret) => return Ok(secret),
            Err(error) if !is_worth_another_try(error.status().as_u16()) => return Err(error),
            _ => ports.clock.sleep(BACKOFF.delay(attempt, &*ports.entropy)).await,
        }
    }
    Err(ApiError::unavailable("the cluster has not signed the token yet", "not populated"))
}

/// Lists tokens, without what they consist of.
async fn api_token_list(caller: Caller, place: Place, query: Query) -> ApiResult<Document> {
    let role = Some(query.text("role")).filter(|role| !role.is_empty());
    if let Some(role) = role {
        find(&caller, &place, role).await.map(drop)?;
    }
    let target = Target::all(&kinds::SECRET, namespace(&caller, &place));
    let grant = place.require(&caller, Verb::List, &target).await?;
    let secrets: Vec<Secret> = caller.fetch_all(grant, &kinds::SECRET, TOKENS).await?;
    secret_list(&tokens_of(&secrets, role))
}

/// Returns a token, without what it consists of.
async fn api_token_get(caller: Caller, place: Place) -> ApiResult<Document> {
    let secret = fetch(&caller, &place).await?;
    Document::of(&check_token(&secret).map_err(ApiError::refused)?)
}

/// Deletes a token, which ends all logins with it.
async fn api_token_delete(caller: Caller, place: Place) -> ApiResult<Gone> {
    let secret = fetch(&caller, &place).await?;
    check_deletable(&secret).map_err(ApiError::refused)?;
    let grant = place.require(&caller, Verb::Delete, &target(&caller, &place)).await?;
    caller.remove(grant, &kinds::SECRET).await?;
    Ok(Gone)
}

async fn fetch(caller: &Caller, place: &Place) -> ApiResult<Secret> {
    let grant = place.require(caller, Verb::Get, &target(caller, place)).await?;
    caller.fetch(grant, &kinds::SECRET).await
}

fn target(caller: &Caller, place: &Place) -> Target {
    Target::one(&kinds::SECRET, namespace(caller, place), &place.name)
}
