//! GitHub by an App: a token for one repository, for an hour.

mod private_key;
mod scope;
mod service;

use std::{sync::Arc, time::Duration};

use core_clock::Clock;
use core_rules::credential::{Credential, Secret};
use futures::FutureExt;
use io_kube::Ports;

use self::{
    scope::Scope,
    service::{Installation, Repository},
};
use super::{Answer, FromSecret, ProviderError, Request, call::Caller};
use crate::{
    Kind,
    matching::Material,
    tokens::{Key, Terms, Tokens},
};

/// The time limit has room for making a token (30 s) and for all four tries of it (10 s each, with
/// 43 s between them), so that a token that never works is used all the same.
const TERMS: Terms =
    Terms { ttl: Duration::from_mins(40), load_timeout: Duration::from_secs(30 + 40 + 43) };

/// For Git over HTTP, with `githubAppClientID` or `githubAppID`, `githubAppInstallationID` and
/// `githubAppPrivateKey`.
pub(crate) struct GithubApp {
    tokens: Tokens<Option<Credential>>,
    caller: Caller,
    clock: Arc<dyn Clock>,
}

/// What a Secret says about an App.
struct App<'a> {
    /// Its client ID, else its number.
    id: &'a str,
    installation: &'a str,
    private_key: &'a Secret,
}

impl GithubApp {
    pub(crate) fn new(caller: &Caller, ports: &Ports) -> Self {
        Self {
            tokens: Tokens::new(TERMS, ports),
            caller: caller.clone(),
            clock: ports.clock.clone(),
        }
    }
}

impl FromSecret for GithubApp {
    fn answer<'a>(&'a self, request: Request<'a>, material: &'a Material) -> Answer<'a> {
        async move {
            let Some(app) = App::read(material) else { return Ok(None) };
            if request.address.kind != Kind::Git {
                return Ok(None);
            }
            let Some(repository) = Repository::of(&request.address.normalized) else {
                return Ok(None);
            };
            if !Scope::read(material)?.allows(request.project, &repository) {
                return Ok(None);
            }
            let url = request.address.normalized.as_str();
            let parts = [app.id, app.installation, app.private_key.expose(), url];
            let installation = app.installation()?;
            let load = || {
                let (caller, clock) = (self.caller.clone(), self.clock.clone());
                async move { installation.token(&caller, &*clock, &repository).await }
            };
            self.tokens.get(&Key::of("github-app", &parts), load).await
        }
        .boxed()
    }
}

impl<'a> App<'a> {
    fn read(material: &'a Material) -> Option<Self> {
        Some(Self {
            id: material.plain("githubAppClientID").or_else(|| material.plain("githubAppID"))?,
            installation: material.plain("githubAppInstallationID")?,
            private_key: material.get("githubAppPrivateKey")?,
        })
    }

    fn installation(&self) -> Result<Installation, ProviderError> {
        let id = self.installation.parse().map_err(|_| {
            ProviderError::value("githubAppInstallationID", "error parsing installation ID")
        })?;
        let key = private_key::read(self.private_key)?;
        Ok(Installation { app: self.id.to_owned(), id, key })
    }
}
