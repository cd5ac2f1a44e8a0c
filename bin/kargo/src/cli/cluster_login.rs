//! Who the user is in the cluster of the kubeconfig.

use std::future::{Ready, ready};

use cli_client::BoxFuture;
use cli_verbs::ports::ClusterLogin;
use http::{Request, Response, header::AUTHORIZATION};
use kube::{
    Config,
    client::{Body, ConfigExt as _},
};
use tower::{BoxError, Layer as _, ServiceExt as _};

/// The current context of `KUBECONFIG`, of the home directory, or of the pod that this runs in.
pub(super) struct Kubeconfig;

impl ClusterLogin for Kubeconfig {
    /// Has the client prepare a request that goes nowhere, which also runs the plugins that fetch tokens.
    fn bearer_token(&self) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async {
            let config = Config::infer().await.map_err(|error| error.to_string())?;
            let layer = config.auth_layer().map_err(|error| error.to_string())?;
            let Some(layer) = layer else {
                return Err(
                    "its current context has no token but perhaps a client certificate, which \
                     only the cluster itself understands; use a context with a token"
                        .to_owned(),
                );
            };
            let captured = tower::service_fn(captured);
            let request = Request::new(Body::empty());
            let response = layer.layer(captured).oneshot(request).await;
            let header = response.map_err(|error| error.to_string())?.into_body();
            match header.strip_prefix("Bearer ") {
                Some(token) => Ok(token.to_owned()),
                None => {
                    Err("its current context logs in with a password, not with a token".to_owned())
                }
            }
        })
    }
}

/// The header that a request came with.
fn captured(request: Request<Body>) -> Ready<Result<Response<String>, BoxError>> {
    let value = request.headers().get(AUTHORIZATION);
    let value = value.and_then(|value| value.to_str().ok()).unwrap_or_default();
    ready(Ok(Response::new(value.to_owned())))
}
