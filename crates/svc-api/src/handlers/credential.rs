//! Credentials: Secrets that never leave with what is secret in them.

use api_rest::body::{
    CreateGenericCredentials, CreateRepoCredentials, PatchGenericCredentials, PatchRepoCredentials,
    UpdateGenericCredentials, UpdateRepoCredentials,
};
use axum::Router;
use core_rules::credential::{CredentialError, RedactedSecret, generic, repository};
use k8s_openapi::api::core::v1::Secret;
use serde::Serialize;
use serde_json::json;

use super::{Gone, mount as add};
use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    caller::{Caller, Grant, Target, Verb},
    document::Document,
    json::Json,
    mirror::kinds,
    place::{Place, Scope},
};

const REPOSITORIES: &str = "kargo.akuity.io/cred-type in (git,helm,image)";
const GENERIC: &str = "kargo.akuity.io/cred-type=generic";
const SHARED_REASON: &str = "every Project may use shared credentials";

pub(super) fn mount(mut router: Router<Api>) -> Router<Api> {
    for scope in ["Project", "Shared"] {
        let named = |verb: &str| format!("{verb}{scope}RepoCredentials");
        router = add(router, &named("List"), repo_credentials_list);
        router = add(router, &named("Create"), repo_credentials_create);
        router = add(router, &named("Get"), repo_credentials_get);
        router = add(router, &named("Update"), repo_credentials_update);
        router = add(router, &named("Patch"), repo_credentials_patch);
        router = add(router, &named("Delete"), repo_credentials_delete);
    }
    for scope in ["Project", "Shared", "System"] {
        let named = |verb: &str| format!("{verb}{scope}GenericCredentials");
        router = add(router, &named("List"), generic_credentials_list);
        router = add(router, &named("Create"), generic_credentials_create);
        router = add(router, &named("Get"), generic_credentials_get);
        router = add(router, &named("Update"), generic_credentials_update);
        router = add(router, &named("Patch"), generic_credentials_patch);
        router = add(router, &named("Delete"), generic_credentials_delete);
    }
    router
}

/// Lists credentials of repositories.
async fn repo_credentials_list(caller: Caller, place: Place) -> ApiResult<Document> {
    list(&caller, &place, REPOSITORIES, RedactedSecret::of_repository).await
}

/// Creates credentials of repositories.
async fn repo_credentials_create(
    caller: Caller,
    place: Place,
    Json(sent): Json<CreateRepoCredentials>,
) -> ApiResult<Document> {
    let make = |namespace: &str| repository::create(&sent, namespace);
    create(&caller, &place, make, RedactedSecret::of_repository).await
}

/// Returns credentials of repositories.
async fn repo_credentials_get(caller: Caller, place: Place) -> ApiResult<Document> {
    let secret = fetch(&caller, &place).await?;
    repository::check_stored(&secret).map_err(ApiError::refused)?;
    Document::of(&RedactedSecret::of_repository(&secret))
}

/// Replaces credentials of repositories.
async fn repo_credentials_update(
    caller: Caller,
    place: Place,
    Json(sent): Json<UpdateRepoCredentials>,
) -> ApiResult<Document> {
    let change = |stored: &Secret| repository::put(stored, &sent);
    update(&caller, &place, change, RedactedSecret::of_repository).await
}

/// Changes credentials of repositories.
async fn repo_credentials_patch(
    caller: Caller,
    place: Place,
    Json(sent): Json<PatchRepoCredentials>,
) -> ApiResult<Document> {
    let change = |stored: &Secret| repository::patch(stored, &sent);
    update(&caller, &place, change, RedactedSecret::of_repository).await
}

/// Deletes credentials of repositories.
async fn repo_credentials_delete(caller: Caller, place: Place) -> ApiResult<Gone> {
    delete(&caller, &place, repository::check_stored).await
}

/// Lists other credentials.
async fn generic_credentials_list(caller: Caller, place: Place) -> ApiResult<Document> {
    list(&caller, &place, GENERIC, RedactedSecret::of_generic).await
}

/// Creates other credentials.
async fn generic_credentials_create(
    caller: Caller,
    place: Place,
    Json(sent): Json<CreateGenericCredentials>,
) -> ApiResult<Document> {
    let make = |namespace: &str| generic::create(&sent, namespace);
    create(&caller, &place, make, RedactedSecret::of_generic).await
}

/// Returns other credentials.
async fn generic_credentials_get(caller: Caller, place: Place) -> ApiResult<Document> {
    check_enabled(&caller)?;
    let secret = fetch(&caller, &place).await?;
    generic::check_stored(&secret).map_err(ApiError::refused)?;
    Document::of(&RedactedSecret::of_generic(&secret))
}

/// Replaces other credentials.
async fn generic_credentials_update(
    caller: Caller,
    place: Place,
    Json(sent): Json<UpdateGenericCredentials>,
) -> ApiResult<Document> {
    let change = |stored: &Secret| generic::put(stored, &sent);
    update(&caller, &place, change, RedactedSecret::of_generic).await
}

/// Changes other credentials.
async fn generic_credentials_patch(
    caller: Caller,
    place: Place,
    Json(sent): Json<PatchGenericCredentials>,
) -> ApiResult<Document> {
    let change = |stored: &Secret| generic::patch(stored, &sent);
    update(&caller, &place, change, RedactedSecret::of_generic).await
}

/// Deletes other credentials.
async fn generic_credentials_delete(caller: Caller, place: Place) -> ApiResult<Gone> {
    delete(&caller, &place, generic::check_stored).await
}

/// Shows a Secret without what is secret in it.
type Show = fn(&Secret) -> RedactedSecret;

fn check_enabled(caller: &Caller) -> ApiResult<()> {
    if caller.api().settings().secret_management {
        return Ok(());
    }
    Err(ApiError::not_enabled("secret management is not enabled"))
}

async fn list(caller: &Caller, place: &Place, selector: &str, show: Show) -> ApiResult<Document> {
    let target = Target::all(&kinds::SECRET, place.namespace(caller.api().settings()));
    let grant = if place.scope == Scope::Shared {
        Grant::of_the_server(SHARED_REASON, Verb::List, target)
    } else {
        place.require(caller, Verb::List, &target).await?
    };
    let mut secrets: Vec<Secret> = caller.fetch_all(grant, &kinds::SECRET, selector).await?;
    secrets.sort_by(|one, other| one.metadata.name.cmp(&other.metadata.name));
    secret_list(&secrets.iter().map(show).collect::<Vec<_>>())
}

/// Secrets as a list.
pub(super) fn secret_list(items: &[impl Serialize]) -> ApiResult<Document> {
    Document::of(&json!({"apiVersion": "v1", "kind": "SecretList", "metadata": {}, "items": items}))
}

async fn create(
    caller: &Caller,
    place: &Place,
    make: impl FnOnce(&str) -> Result<Secret, CredentialError>,
    show: Show,
) -> ApiResult<Document> {
    check_enabled(caller)?;
    let namespace = place.namespace(caller.api().settings());
    let secret = make(namespace).map_err(ApiError::refused)?;
    let name = secret.metadata.name.clone().unwrap_or_default();
    let target = Target::one(&kinds::SECRET, namespace, &name);
    let grant = place.require(caller, Verb::Create, &target).await?;
    let written = caller.create(grant, &kinds::SECRET, None, &secret).await?;
    let written: Secret = serde_json::from_value(written).map_err(ApiError::internal)?;
    Ok(Document::of(&show(&written))?.with_status(201))
}

async fn fetch(caller: &Caller, place: &Place) -> ApiResult<Secret> {
    let grant = place.require(caller, Verb::Get, &target(caller, place)).await?;
    caller.fetch(grant, &kinds::SECRET).await
}

fn target(caller: &Caller, place: &Place) -> Target {
    Target::one(&kinds::SECRET, place.namespace(caller.api().settings()), &place.name)
}

async fn update(
    caller: &Caller,
    place: &Place,
    change: impl FnOnce(&Secret) -> Result<Secret, CredentialError>,
    show: Show,
) -> ApiResult<Document> {
    check_enabled(caller)?;
    let stored = fetch(caller, place).await?;
    let changed = change(&stored).map_err(ApiError::refused)?;
    let grant = place.require(caller, Verb::Update, &target(caller, place)).await?;
    let written = caller.replace(grant, &kinds::SECRET, &changed).await?;
    Document::of(&show(&written))
}

async fn delete(
    caller: &Caller,
    place: &Place,
    check: fn(&Secret) -> Result<(), CredentialError>,
) -> ApiResult<Gone> {
    check_enabled(caller)?;
    let stored = fetch(caller, place).await?;
    check(&stored).map_err(ApiError::refused)?;
    let grant = place.require(caller, Verb::Delete, &target(caller, place)).await?;
    caller.remove(grant, &kinds::SECRET).await?;
    Ok(Gone)
}
