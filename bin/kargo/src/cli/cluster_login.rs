//! Who the user is in the cluster of the kubeconfig.

use std::future::{Ready, ready};

use cli_client::BoxFuture;
use cli_verbs::ports::ClusterLogin;
use http::{Request, Response, header::AUTHORIZATION};
use k8s_openapi::api::{
    authentication::v1::{TokenRequest, TokenRequestSpec},
    core::v1::ServiceAccount,
};
use kube::{
    Api, Client, Config,
    api::PostParams,
    client::{Body, ConfigExt as _},
};
use tower::{BoxError, Layer as _, ServiceExt as _};

/// A day's work.
const LIFETIME_SECONDS: i64 = 12 * 60 * 60;
const CERTIFICATE: &str = "its current context has no token but perhaps a client certificate, which only the cluster \
    itself understands; use a context with a token, or name an account with --service-account NAMESPACE/NAME";

/// The current context of `KUBECONFIG`, of the home directory, or of the pod that this runs in.
pub(super) struct Kubeconfig;

impl ClusterLogin for Kubeconfig {
    fn bearer_token(&self, account: Option<String>) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async move {
            let config = Config::infer().await.map_err(|error| error.to_string())?;
            match account {
                Some(account) => issued(config, &account).await,
                None => own(&config).await,
            }
        })
    }
}

/// The user's own token. Has the client prepare a request that goes nowhere, which also runs the plugins that fetch tokens.
async fn own(config: &Config) -> Result<String, String> {
    let layer = config.auth_layer().map_err(|error| error.to_string())?;
    let layer = layer.ok_or_else(|| CERTIFICATE.to_owned())?;
    let captured = tower::service_fn(captured);
    let response = layer.layer(captured).oneshot(Request::new(Body::empty())).await;
    let header = response.map_err(|error| error.to_string())?.into_body();
    match header.strip_prefix("Bearer ") {
        Some(token) => Ok(token.to_owned()),
        None => Err("its current context logs in with a password, not with a token".to_owned()),
    }
}

/// A new token of a ServiceAccount, if the user may ask for one.
async fn issued(config: Config, account: &str) -> Result<String, String> {
    let (namespace, name) = account
        .split_once('/')
        .ok_or_else(|| format!("{account:?} is no ServiceAccount: NAMESPACE/NAME is needed"))?;
    let client = Client::try_from(config).map_err(|error| error.to_string())?;
    let accounts: Api<ServiceAccount> = Api::namespaced(client, namespace);
    let request = TokenRequest {
        spec: Some(TokenRequestSpec {
            expiration_seconds: Some(LIFETIME_SECONDS),
            ..TokenRequestSpec::default()
        }),
        ..TokenRequest::default()
    };
    let given = accounts.create_token_request(name, &PostParams::default(), &request).await;
    let given = given.map_err(|error| error.to_string())?;
    let token = given.status.and_then(|status| status.token);
    token.ok_or_else(|| "the cluster answered without a token".to_owned())
}

/// The header that a request came with.
fn captured(request: Request<Body>) -> Ready<Result<Response<String>, BoxError>> {
    let value = request.headers().get(AUTHORIZATION);
    let value = value.and_then(|value| value.to_str().ok()).unwrap_or_default();
    ready(Ok(Response::new(value.to_owned())))
}
