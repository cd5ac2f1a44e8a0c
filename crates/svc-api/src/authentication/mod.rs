//! Who calls: from a token to a login.
//!
//! A token says who issued it, which decides who checks it: the administrator's key, the identity
//! provider's keys, or Kubernetes. Why a token is not taken goes to the log, never to the caller.

mod admin;
mod identity;
mod jws;
mod key_set;
mod oidc;
mod review;
#[cfg(test)]
mod tests;
mod throttle;

use std::{net::IpAddr, sync::Arc, time::Duration};

use io_http::outbound;
use io_kube::Ports;
use kube::Client;

pub(crate) use identity::{Identity, Login, Person};

use self::{
    admin::AdminAccount,
    jws::Unverified,
    oidc::{Provider, VerifyError},
    review::{ReviewError, TokenReviews},
    throttle::Throttle,
};
use crate::{
    api_error::{ApiError, ApiResult},
    directory::Directory,
    server::Blocking,
    settings::Settings,
};

/// Checks tokens and passwords.
pub(crate) struct Authenticator {
    admin: Option<AdminAccount>,
    provider: Option<Provider>,
    reviews: TokenReviews,
    directory: Directory,
    throttle: Throttle,
    blocking: Arc<dyn Blocking>,
    ports: Ports,
    is_local: bool,
}

/// What checking needs from outside.
pub(crate) struct Means {
    pub(crate) client: Client,
    pub(crate) outbound: outbound::Client,
    pub(crate) blocking: Arc<dyn Blocking>,
    pub(crate) directory: Directory,
    pub(crate) ports: Ports,
}

impl Authenticator {
    pub(crate) fn new(settings: &Settings, means: Means) -> Self {
        let Means { client, outbound, blocking, directory, ports } = means;
        let provider = |oidc| Provider::new(oidc, outbound, ports.clone());
        Self {
            admin: settings.admin.clone().map(AdminAccount::new),
            provider: settings.oidc.clone().map(provider),
            reviews: TokenReviews::new(client, ports.clone()),
            directory,
            throttle: Throttle::new(),
            blocking,
            is_local: settings.is_local,
            ports,
        }
    }

    /// Who sent a request with this `Authorization` header.
    pub(crate) async fn authenticate(&self, authorization: Option<&str>) -> ApiResult<Login> {
        if self.is_local {
            return Ok(Login { identity: Identity::Local, expires: None });
        }
        let header = authorization.unwrap_or_default();
        let token = header.strip_prefix("Bearer ").unwrap_or(header).trim();
        if token.is_empty() {
            return Err(ApiError::no_token());
        }
        let parsed = Unverified::parse(token).map_err(ApiError::invalid_token)?;
        if let Some(admin) = self.admin.as_ref().filter(|admin| admin.claims(&parsed)) {
            let expires =
                admin.verify(parsed, self.ports.clock.now()).map_err(ApiError::invalid_token)?;
            return Ok(Login { identity: Identity::Admin, expires: Some(expires) });
        }
        if let Some(provider) = self.provider.as_ref().filter(|one| one.claims(&parsed)) {
            return self.person(provider, parsed).await;
        }
        let subject = self.reviews.review(token).await.map_err(|error| match error {
            ReviewError::Refused(cause) => ApiError::invalid_token(cause),
            ReviewError::Failed(cause) => {
                ApiError::unavailable("the token cannot be checked now", cause)
            }
        })?;
        Ok(Login { identity: Identity::Kubernetes(subject), expires: None })
    }

    async fn person(&self, provider: &Provider, token: Unverified<'_>) -> ApiResult<Login> {
        let verified = provider.verify(token).await.map_err(|error| match error {
            VerifyError::Token(cause) => ApiError::invalid_token(cause),
            VerifyError::Keys(cause) => {
                ApiError::unavailable("the identity provider does not answer", cause)
            }
        })?;
        let settings = provider.settings();
        let accounts = self.directory.accounts_of(&verified.claims, &settings.global_namespaces);
        let person = Person {
            accounts,
            username: verified.username,
            username_claim: settings.username_claim.clone(),
            claims: verified.claims,
        };
        Ok(Login { identity: Identity::Oidc(person), expires: Some(verified.expires) })
    }

    /// The same login with the rights that its claims lead to now.
    pub(crate) fn renew(&self, login: &Login) -> Login {
        let mut identity = login.identity.clone();
        if let (Identity::Oidc(person), Some(provider)) = (&mut identity, &self.provider) {
            let globals = &provider.settings().global_namespaces;
            person.accounts = self.directory.accounts_of(&person.claims, globals);
        }
        Login { identity, expires: login.expires }
    }

    /// A token for whoever knows the administrator's password.
    pub(crate) async fn log_in(
        &self,
        authorization: Option<&str>,
        address: IpAddr,
    ) -> ApiResult<String> {
        let admin =
            self.admin.as_ref().ok_or_else(|| ApiError::forbidden("admin user is not enabled"))?;
        let header = authorization
            .filter(|header| !header.is_empty())
            .ok_or_else(|| ApiError::bad_request("Authorization header is required"))?;
        let password =
            header.strip_prefix("Bearer ").filter(|text| !text.is_empty()).ok_or_else(|| {
                let form = "Authorization header must be in format 'Bearer <password>'";
                ApiError::bad_request(form)
            })?;
        let now = self.ports.clock.monotonic();
        if let Some(wait) = self.throttle.wait(address, now) {
            return Err(ApiError::too_many(wait));
        }
        if !self.is_password(password, admin.password_hash()).await? {
            self.throttle.failed(address, now);
            tracing::warn!(%address, "login of the administrator refused");
            return Err(ApiError::forbidden("invalid password"));
        }
        self.throttle.succeeded(address);
        tracing::info!(%address, "administrator logged in");
        Ok(admin.issue(self.ports.clock.now(), &*self.ports.entropy))
    }

    /// A token of the administrator, without a login.
    pub(crate) fn local_token(&self, lifetime: Duration) -> Option<String> {
        let (now, entropy) = (self.ports.clock.now(), &*self.ports.entropy);
        Some(self.admin.as_ref()?.issue_for(lifetime, now, entropy))
    }

    async fn is_password(&self, password: &str, hash: &str) -> ApiResult<bool> {
        let turn = self.throttle.turn().await;
        let _turn = turn.ok_or_else(|| ApiError::too_many(Duration::from_secs(1)))?;
        let (password, hash) = (password.to_owned(), hash.to_owned());
        let check = move || bcrypt::verify(password, &hash).unwrap_or(false);
        Ok(self.blocking.run(Box::new(check)).await)
    }
}
