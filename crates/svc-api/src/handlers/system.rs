//! The server itself, and the configuration of the installation.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use api_rest::body::{AdminLogin, ArgoCdShard, OidcConfig, PublicConfig, ServerConfig};
use axum::{Extension, Router, extract::State, response::Response};
use core_rules::{action, heartbeat};
use k8s_openapi::api::coordination::v1::Lease;

use super::{Done, Gone, delete, get_or_watch, mount as add};
use crate::{
    api::Api,
    api_error::ApiResult,
    caller::{Authorization, Caller, Target, Verb},
    document::Document,
    query::Query,
};

/// The name of the only ClusterConfig.
const CLUSTER: &str = "cluster";

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    let router = add(router, "AdminLogin", admin_log_in);
    let router = add(router, "GetPublicConfig", public_config_get);
    let router = add(router, "GetConfig", config_get);
    let router = add(router, "GetVersionInfo", version_get);
    let router = add(router, "GetControllerHeartbeats", heartbeats_get);
    let router = add(router, "GetClusterConfig", cluster_config_get);
    let router = add(router, "RefreshClusterConfig", cluster_config_refresh);
    add(router, "DeleteClusterConfig", cluster_config_delete)
}

/// Logs the administrator in.
async fn admin_log_in(
    State(api): State<Api>,
    Authorization(authorization): Authorization,
    peer: Option<Extension<SocketAddr>>,
) -> ApiResult<Document> {
    let address = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Extension(peer)| peer.ip());
    let id_token = api.authenticator().log_in(authorization.as_deref(), address).await?;
    Document::of(&AdminLogin { id_token })
}

/// Tells how to log in.
async fn public_config_get(State(api): State<Api>) -> ApiResult<Document> {
    let settings = api.settings();
    let oidc_config = settings.oidc.clone().map(|oidc| OidcConfig {
        issuer_url: oidc.issuer_url,
        client_id: oidc.client_id,
        cli_client_id: oidc.cli_client_id.unwrap_or_default(),
        scopes: oidc.scopes,
    });
    Document::of(&PublicConfig {
        admin_account_enabled: settings.admin.is_some(),
        oidc_config,
        skip_auth: settings.is_local,
    })
}

/// Tells what the web interface must know.
async fn config_get(caller: Caller) -> ApiResult<Document> {
    let settings = caller.api().settings();
    let namespace = &settings.argocd_namespace;
    let shard = |(shard, url): (&String, &String)| {
        (shard.clone(), ArgoCdShard { url: url.clone(), namespace: namespace.clone() })
    };
    Document::of(&ServerConfig {
        argocd_shards: settings.argocd_urls.iter().map(shard).collect(),
        secret_management_enabled: settings.secret_management,
        system_resources_namespace: settings.system_namespace.clone(),
        shared_resources_namespace: settings.shared_namespace.clone(),
        kargo_namespace: settings.namespace.clone(),
        has_analysis_run_logs_url_template: settings.analysis_logs.is_some(),
    })
}

/// Tells which build this is.
async fn version_get(caller: Caller) -> ApiResult<Document> {
    Document::of(caller.api().version())
}

/// Tells which controllers are alive.
async fn heartbeats_get(caller: Caller) -> ApiResult<Document> {
    let (api, settings) = (caller.api(), caller.api().settings());
    let leases = caller.mirrors().leases.ready()?.list(&settings.namespace).objects;
    let leases: Vec<_> = leases.iter().filter_map(|lease| lease.typed::<Lease>()).collect();
    let leases = leases.iter().map(AsRef::as_ref);
    let now = api.ports().clock.now();
    Document::of(&heartbeat::heartbeats(leases, &settings.default_controller, now))
}

/// Returns the ClusterConfig, or the changes of it.
async fn cluster_config_get(caller: Caller, query: Query) -> ApiResult<Response> {
    get_or_watch(&caller, &caller.mirrors().cluster_configs, ("", CLUSTER), &query).await
}

/// Asks for a reconciliation of the ClusterConfig.
async fn cluster_config_refresh(caller: Caller) -> ApiResult<Done> {
    let configs = &caller.mirrors().cluster_configs;
    let target = Target::one(configs.kind(), "", CLUSTER);
    let grant = caller.require(Verb::Patch, &target).await?;
    let patch = action::refresh(caller.api().ports().clock.now());
    caller.merge_patch(grant, configs, &patch).await?;
    Ok(Done)
}

/// Deletes the ClusterConfig.
async fn cluster_config_delete(caller: Caller) -> ApiResult<Gone> {
    delete(&caller, &caller.mirrors().cluster_configs, "", CLUSTER).await
}
