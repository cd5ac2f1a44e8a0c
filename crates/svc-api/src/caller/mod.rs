//! The caller of a request, and what they may do.
//!
//! A [`Caller`] exists only for a login that was checked. Every read of it asks first whether they
//! may; every write takes a [`Grant`], which only such a question gives out: a write that nobody
//! asked about does not compile.

mod access;
mod escalation;
mod grant;
mod live;
mod read;
mod target;
mod write;

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use axum::extract::FromRequestParts;
use core_rules::access::attributes::Attributes;
use http::{HeaderValue, StatusCode, header, request::Parts};

pub(crate) use access::AccessReviews;
pub(crate) use grant::Grant;
pub(crate) use target::{Target, Verb};
pub(crate) use write::is_segment;

use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    authentication::{Identity, Login},
    mirrors::Mirrors,
};

/// Somebody whose login was checked.
#[derive(Clone)]
pub(crate) struct Caller {
    api: Api,
    login: Arc<Login>,
}

impl FromRequestParts<Api> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, ApiError> {
        let (rates, now) = (api.rates(), api.ports().clock.monotonic());
        let address = parts.extensions.get::<SocketAddr>().map(SocketAddr::ip);
        if let Some(address) = address {
            rates.check_address(address, now)?;
        }
        let authenticated = match authorization(parts) {
            Ok(authorization) => api.authenticator().authenticate(authorization).await,
            Err(error) => Err(error),
        };
        let login = authenticated.inspect_err(|error| {
            if let Some(address) = address.filter(|_| error.status() == StatusCode::UNAUTHORIZED) {
                rates.refused(address, now);
            }
        })?;
        rates.check_caller(&login.identity.actor(), now)?;
        Ok(Self { api: api.clone(), login: Arc::new(login) })
    }
}

/// The header that says who calls.
pub(crate) struct Authorization(pub(crate) Option<String>);

impl FromRequestParts<Api> for Authorization {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Api) -> Result<Self, Infallible> {
        Ok(Self(authorization(parts).ok().flatten().map(str::to_owned)))
    }
}

fn authorization(parts: &Parts) -> ApiResult<Option<&str>> {
    let header = parts.headers.get(header::AUTHORIZATION);
    let text = header.map(HeaderValue::to_str).transpose();
    text.map_err(|_| ApiError::invalid_token("the header is no text"))
}

impl Caller {
    /// What events and annotations call them.
    pub(crate) fn actor(&self) -> String {
        self.login.identity.actor()
    }

    /// Who they are.
    pub(crate) fn identity(&self) -> &Identity {
        &self.login.identity
    }

    /// Their login.
    pub(crate) fn login(&self) -> &Login {
        &self.login
    }

    /// The same caller with the rights that their claims lead to now.
    pub(crate) fn renewed(&self) -> Self {
        let login = self.api.authenticator().renew(&self.login);
        Self { api: self.api.clone(), login: Arc::new(login) }
    }

    /// The server.
    pub(crate) fn api(&self) -> &Api {
        &self.api
    }

    /// The server's objects. Reading them through the methods of the caller asks first.
    pub(crate) fn mirrors(&self) -> &Mirrors {
        self.api.mirrors()
    }

    /// The right to do this to that, if they have it.
    pub(crate) async fn require(&self, verb: Verb, target: &Target) -> ApiResult<Grant> {
        self.ask(&target.attributes(verb)).await?;
        Ok(Grant::of_the_caller(target.clone()))
    }

    /// Refuses whoever may not do this.
    pub(crate) async fn ask(&self, asked: &Attributes) -> ApiResult<()> {
        let globals = self.api.settings().oidc.as_ref().map(|oidc| &oidc.global_namespaces);
        let globals = globals.map(Vec::as_slice).unwrap_or_default();
        self.api.reviews().check(self.identity(), globals, asked).await
    }
}
