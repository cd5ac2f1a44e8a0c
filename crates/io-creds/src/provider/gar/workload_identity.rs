//! Google by the identity of this process.
//!
//! A Project gets the permissions of a service account named after it. Where there is none, or we
//! may not act as it, it gets ours, and that is looked at again within minutes. Whether we run in
//! Google Cloud at all is found out on use, so that a metadata server that starts late needs no
//! restart of ours.

use std::{sync::Arc, time::Duration};

use core_clock::{Clock, Time};
use core_rules::credential::{Credential, Secret};
use futures::FutureExt;
use http::{HeaderName, HeaderValue};
use io_http::outbound::Request as HttpRequest;
use io_kube::Ports;
use serde::Deserialize;
use serde_json::json;

use super::{AccessToken, TERMS, is_google, login};
use crate::{
    Settings,
    provider::{
        Ambient, Answer, ProviderError, Request,
        call::{Caller, Reply},
    },
    settings::Google,
    tokens::{Keep, Key, Loaded, Tokens},
};

const METADATA: &str = "Google's metadata server";
const IAM: &str = "Google's IAM credentials service";
const FLAVOR: HeaderName = HeaderName::from_static("metadata-flavor");
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
/// The metadata server is on this node, where there is one.
const METADATA_LIMIT: Duration = Duration::from_secs(2);
/// How long we believe that there is no metadata server, and no account for a Project.
const ABSENCE: Duration = Duration::from_mins(5);

/// For images and charts of Google, where Google gives this process an identity.
pub(crate) struct WorkloadIdentity {
    tokens: Tokens<Option<Credential>>,
    own: Arc<Own>,
}

/// Who we are in Google Cloud.
struct Own {
    settings: Google,
    caller: Caller,
    /// The Google project we run in; `None` outside of Google Cloud.
    home: Tokens<Option<String>>,
    token: Tokens<(Secret, Option<Time>)>,
    clock: Arc<dyn Clock>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Impersonated {
    access_token: String,
    expire_time: Option<String>,
}

impl WorkloadIdentity {
    pub(crate) fn new(settings: &Settings, caller: &Caller, ports: &Ports) -> Self {
        let own = Own {
            settings: settings.google.clone(),
            caller: caller.clone(),
            home: Tokens::new(TERMS, ports),
            token: Tokens::new(TERMS, ports),
            clock: ports.clock.clone(),
        };
        Self { tokens: Tokens::new(TERMS, ports), own: Arc::new(own) }
    }
}

impl Ambient for WorkloadIdentity {
    fn cloud(&self) -> &'static str {
        "Google Cloud"
    }

    fn answer<'a>(&'a self, request: Request<'a>) -> Answer<'a> {
        async move {
            if !is_google(request) {
                return Ok(None);
            }
            let load = || {
                let (own, project) = (self.own.clone(), request.project.to_owned());
                async move { own.login(&project).await }
            };
            let key = Key::of("gar-workload-identity", &[request.project]);
            self.tokens.get(&key, load).await
        }
        .boxed()
    }
}

impl Own {
    async fn login(
        self: &Arc<Self>,
        project: &str,
    ) -> Result<Loaded<Option<Credential>>, ProviderError> {
        // Not kept here: `home` remembers it for all Projects.
        let absent = Loaded { value: None, keep: Keep::No };
        let Some(home) = self.home().await? else { return Ok(absent) };
        let (own_token, own_expiry) = self.token().await?;
        match self.impersonate(&home, project, &own_token).await {
            Ok(token) => {
                let expiry = token.expire_time.and_then(|text| text.parse().ok());
                let keep = expiry.map_or(Keep::Default, Keep::Until);
                Ok(Loaded { value: Some(login(&Secret::new(token.access_token))), keep })
            }
            Err(error) if error.is_denied() || error.is_absent() => {
                tracing::debug!(project, %error, "no service account for the Project; using our own");
                let keep =
                    own_expiry.map_or(Keep::For(ABSENCE), |at| Keep::UntilAtMost(at, ABSENCE));
                Ok(Loaded { value: Some(login(&own_token)), keep })
            }
            Err(error) => Err(error),
        }
    }

    async fn home(self: &Arc<Self>) -> Result<Option<String>, ProviderError> {
        let load = || {
            let own = self.clone();
            async move {
                let found = own.metadata("project/project-id").await.and_then(Reply::text);
                match found {
                    Ok(home) => {
                        Ok(Loaded { value: Some(home.trim().to_owned()), keep: Keep::Default })
                    }
                    // Nobody there, or the metadata service of another cloud.
                    Err(ProviderError::Unreachable { .. } | ProviderError::Answer { .. }) => {
                        Ok(Loaded { value: None, keep: Keep::For(ABSENCE) })
                    }
                    Err(error) => Err(error),
                }
            }
        };
        self.home.get(&Key::of("google-project", &[]), load).await
    }

    /// Our own token; the metadata server renews it.
    async fn token(self: &Arc<Self>) -> Result<(Secret, Option<Time>), ProviderError> {
        let load = || {
            let own = self.clone();
            async move {
                let reply = own.metadata("instance/service-accounts/default/token").await?;
                let token: AccessToken = reply.json()?;
                let expiry = token.expires(own.clock.now());
                let value = (Secret::new(token.access_token), expiry);
                Ok(Loaded { value, keep: expiry.map_or(Keep::No, Keep::Until) })
            }
        };
        self.token.get(&Key::of("google", &[]), load).await
    }

    async fn metadata(&self, path: &str) -> Result<Reply, ProviderError> {
        let host = &self.settings.metadata_host;
        let request = HttpRequest::get(&format!("http://{host}/computeMetadata/v1/{path}"));
        let google = HeaderValue::from_static("Google");
        let request = request.map(|request| request.header(FLAVOR, google));
        let proof = Some((&FLAVOR, "Google"));
        self.caller.ask_metadata(METADATA, request, METADATA_LIMIT, proof).await
    }

    async fn impersonate(
        &self,
        home: &str,
        project: &str,
        own_token: &Secret,
    ) -> Result<Impersonated, ProviderError> {
        let account = format!("kargo-project-{project}@{home}.iam.gserviceaccount.com");
        let endpoint = &self.settings.iam_endpoint;
        let url = format!("{endpoint}/v1/projects/-/serviceAccounts/{account}:generateAccessToken");
        let body = json!({"scope": [SCOPE]}).to_string();
        let request = HttpRequest::post(&url, "application/json", body)
            .and_then(|request| request.bearer(own_token.expose()));
        self.caller.ask(IAM, request).await?.json()
    }
}
