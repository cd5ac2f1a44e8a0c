//! ECR by an access key that a Secret holds.

use std::sync::Arc;

use core_clock::Clock;
use core_rules::credential::Credential;
use futures::FutureExt;
use io_http::outbound::aws::Keys;
use io_kube::Ports;

use super::{
    TERMS,
    authorization::{Question, password},
    registry::Registry,
};
use crate::{
    Kind, Settings,
    matching::Material,
    provider::{Answer, FromSecret, ProviderError, Request, aws::Region, call::Caller},
    tokens::{Key, Tokens},
};

/// For images and charts in ECR, with `awsRegion`, `awsAccessKeyID` and `awsSecretAccessKey`.
pub(crate) struct AccessKey {
    tokens: Tokens<Option<Credential>>,
    caller: Caller,
    clock: Arc<dyn Clock>,
    endpoint: Option<String>,
}

impl AccessKey {
    pub(crate) fn new(settings: &Settings, caller: &Caller, ports: &Ports) -> Self {
        Self {
            tokens: Tokens::new(TERMS, ports),
            caller: caller.clone(),
            clock: ports.clock.clone(),
            endpoint: settings.aws.ecr_endpoint.clone(),
        }
    }

    async fn password(
        &self,
        registry: Registry,
        region: &str,
        keys: Keys,
    ) -> Result<Option<Credential>, ProviderError> {
        let problem = "it is not the name of a region";
        let region = Region::parse(region).ok_or(ProviderError::value("awsRegion", problem))?;
        // The endpoint is part of the key, because a registry's host name chooses it.
        let endpoint = registry.endpoint(&region);
        let parts = [region.as_str(), &endpoint, &keys.id, keys.secret.expose()];
        let key = Key::of("ecr-access-key", &parts);
        let load = || {
            let (caller, clock) = (self.caller.clone(), self.clock.clone());
            let endpoint = self.endpoint.clone();
            async move {
                let (now, endpoint) = (clock.now(), endpoint.as_deref());
                let question = Question { registry: &registry, region: &region, endpoint, now };
                password(&caller, question, &keys).await
            }
        };
        self.tokens.get(&key, load).await
    }
}

impl FromSecret for AccessKey {
    fn answer<'a>(&'a self, request: Request<'a>, material: &'a Material) -> Answer<'a> {
        async move {
            if request.address.kind == Kind::Git {
                return Ok(None);
            }
            let Some(registry) = Registry::of(&request.address.normalized) else { return Ok(None) };
            let Some((region, keys)) = read(material) else { return Ok(None) };
            self.password(registry, region, keys).await
        }
        .boxed()
    }
}

fn read(material: &Material) -> Option<(&str, Keys)> {
    let keys = Keys {
        id: material.plain("awsAccessKeyID")?.to_owned(),
        secret: material.get("awsSecretAccessKey")?.clone(),
        session: None,
    };
    Some((material.plain("awsRegion")?, keys))
}
