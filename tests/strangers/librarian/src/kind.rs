//! The kind that the controller sees to: a Shelf wants so many books of a language.

use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client, CustomResource, CustomResourceExt,
    api::{Patch, PatchParams},
    runtime::{conditions::is_crd_established, wait::await_condition},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controller::MANAGER;

/// How long a server may take to serve a new kind.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a person asks for.
#[derive(Clone, CustomResource, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(
    group = "strangers.example.com",
    version = "v1",
    kind = "Shelf",
    plural = "shelves",
    namespaced,
    status = "ShelfStatus"
)]
pub(crate) struct ShelfSpec {
    pub(crate) books: u32,
    pub(crate) language: String,
}

/// What the controller has seen to.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShelfStatus {
    pub(crate) books: u32,
    pub(crate) observed_generation: i64,
}

/// Applies the definition, and waits until the kind is served.
pub(crate) async fn install(client: &Client) -> Result<()> {
    let kinds: Api<CustomResourceDefinition> = Api::all(client.clone());
    let params = PatchParams::apply(MANAGER).force();
    kinds.patch(Shelf::crd_name(), &params, &Patch::Apply(Shelf::crd())).await?;
    let established = await_condition(kinds, Shelf::crd_name(), is_crd_established());
    tokio::time::timeout(PATIENCE, established).await.context("the kind is not served")??;
    Ok(())
}
