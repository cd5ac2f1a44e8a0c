//! What relying parties need to check our ServiceAccount tokens.

use emb_auth::TokenKeys;
use http::{Response, StatusCode};
use serde_json::json;

use crate::{
    response::{Body, document},
    state::State,
};

/// Answers `/openid/v1/jwks`.
pub(super) fn keys(state: &State) -> Response<Body> {
    document(StatusCode::OK, "application/jwk-set+json", state.tokens.jwks().to_string())
}

/// Answers `/.well-known/openid-configuration`.
pub(super) fn configuration(state: &State) -> Response<Body> {
    let body = json!({
        "issuer": TokenKeys::issuer(),
        "jwks_uri": format!("https://{}/openid/v1/jwks", state.address),
        "response_types_supported": ["id_token"], "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    });
    document(StatusCode::OK, "application/json", body.to_string())
}
