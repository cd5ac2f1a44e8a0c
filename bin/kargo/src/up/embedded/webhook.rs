//! Webhooks that users configure, called over HTTPS.

use std::{
    str::FromStr,
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::Bytes;
use emb_apiserver::{WebhookAccess, WebhookClient, WebhookEndpoint, WebhookReply};
use futures::future::{BoxFuture, FutureExt};
use http::{HeaderValue, header};
use io_http::outbound::{Client, Outbound, Request, Settings, Tls, TlsError, Url};
use io_runtime::SystemEnvironment;

use crate::exit::Failure;

/// What webhooks are told about who calls; some look at it.
const USER_AGENT: &str = "kube-apiserver-admission";
/// The longest answer: a patch of the largest object, in base64, with room for the rest.
const ANSWER_LIMIT: u64 = 8 * 1024 * 1024;
/// The engine gives up in time; this is for a client that nobody waits for any more.
const GRACE: Duration = Duration::from_secs(1);

/// Where a service is that webhook configurations name: `NAMESPACE/NAME=URL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServiceAddress {
    service: String,
    url: String,
}

impl FromStr for ServiceAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || "expected NAMESPACE/NAME=https://HOST[:PORT]".to_owned();
        let (service, url) = text.split_once('=').ok_or_else(form)?;
        let (namespace, name) = service.split_once('/').ok_or_else(form)?;
        let parsed = Url::parse(url).map_err(|_| form())?;
        let plain = parsed.query().is_none() && parsed.fragment().is_none();
        if namespace.is_empty() || name.is_empty() || parsed.scheme() != "https" || !plain {
            return Err(form());
        }
        Ok(Self { service: service.to_owned(), url: url.to_owned() })
    }
}

/// How the engine reaches webhooks.
pub(super) fn access(services: &[ServiceAddress]) -> Result<WebhookAccess, Failure> {
    let settings = Settings::from_environment(&SystemEnvironment).map_err(Failure::usage)?;
    let services = services.iter().map(|address| (address.service.clone(), address.url.clone()));
    let client = Https { settings, outbound: OnceLock::new() };
    Ok(WebhookAccess { client: Some(Arc::new(client)), services: services.collect() })
}

/// Made ready by the first call: reading the machine's certificates takes time at the start, and few have webhooks.
struct Https {
    settings: Settings,
    outbound: OnceLock<Outbound>,
}

impl Https {
    fn client(&self, endpoint: &WebhookEndpoint) -> Result<Client, TlsError> {
        let outbound = self.outbound.get_or_init(|| Outbound::new(self.settings.clone()));
        outbound.client(&Tls {
            ca_pem: endpoint.authority.clone(),
            exclusive: true,
            server_name: endpoint.server_name.as_deref().map(Into::into),
            ..Tls::default()
        })
    }
}

impl WebhookClient for Https {
    fn post(
        &self,
        endpoint: WebhookEndpoint,
        review: Bytes,
        timeout: Duration,
    ) -> BoxFuture<'static, Result<WebhookReply, String>> {
        let client = self.client(&endpoint);
        async move {
            let client = client.map_err(|error| error.to_string())?;
            exchange(&client, &endpoint.url, review, timeout + GRACE)
                .await
                .map_err(|error| error.to_string())
        }
        .boxed()
    }
}

async fn exchange(
    client: &Client,
    url: &str,
    review: Bytes,
    patience: Duration,
) -> Result<WebhookReply, io_http::outbound::Error> {
    let request = Request::post(url, "application/json", review)?
        .header(header::ACCEPT, HeaderValue::from_static("application/json, */*"))
        .header(header::USER_AGENT, HeaderValue::from_static(USER_AGENT))
        .redirects(0)
        .within(patience)
        .patient();
    let response = client.send(request).await?;
    let status = response.status().as_u16();
    let content_type = response.header(&header::CONTENT_TYPE).unwrap_or_default().to_owned();
    Ok(WebhookReply { status, content_type, body: response.read_limited(ANSWER_LIMIT).await? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_address_names_a_service_and_an_https_address() {
        let address: ServiceAddress = "ns/svc=https://127.0.0.1:9443".parse().unwrap();
        assert_eq!(address.service, "ns/svc");
        assert_eq!(address.url, "https://127.0.0.1:9443");
        for wrong in [
            "",
            "svc=https://x",
            "ns/=https://x",
            "ns/svc",
            "ns/svc=http://x",
            "ns/svc=https://x?q=1",
        ] {
            assert!(wrong.parse::<ServiceAddress>().is_err(), "{wrong}");
        }
    }
}
