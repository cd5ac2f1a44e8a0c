//! A certificate of our own, and the trust of the API server in it.
//!
//! The authority is kept in a Secret, so that all replicas share it and a restart changes nothing.

use std::{collections::BTreeMap, fmt::Debug, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use core_clock::Time;
use core_rules::access::{Component, SERVING_SECRET, WEBHOOK_CONFIGURATION};
use io_http::{Authority, ServerCertificate};
use io_kube::is_already_exists;
use k8s_openapi::{
    ByteString,
    api::{
        admissionregistration::v1::{MutatingWebhookConfiguration, ValidatingWebhookConfiguration},
        core::v1::Secret,
    },
};
use kube::{
    Api, Client, Resource,
    api::{ObjectMeta, Patch, PatchParams, PostParams},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Error;

/// How often the trust is looked after.
pub(crate) const UPKEEP: Duration = Duration::from_mins(1);
/// How often a new certificate is made; it is valid for much longer.
pub(crate) const RENEWAL: Duration = Duration::from_hours(30 * 24);

/// The Service in front of the server.
const SERVICE: &str = Component::KubernetesWebhooksServer.service_account();
const CERTIFICATE: &str = "ca.crt";
const KEY: &str = "ca.key";

/// Our own authority for the server's Service.
pub struct Trust {
    client: Client,
    authority: Authority,
    names: Vec<String>,
}

impl Trust {
    /// The kept authority of the installation in `namespace`, or a new one. `hosts` are names beside
    /// those of the Service.
    pub async fn open(
        client: Client,
        namespace: &str,
        hosts: &[String],
        now: Time,
    ) -> Result<Self, Error> {
        let secrets: Api<Secret> = Api::namespaced(client.clone(), namespace);
        let read = || async {
            secrets.get_opt(SERVING_SECRET).await.map_err(Error::api("read the own authority"))
        };
        let secret = match read().await? {
            Some(secret) => secret,
            None => match secrets.create(&PostParams::default(), &new_secret(now)?).await {
                Err(error) if is_already_exists(&error) => {
                    read().await?.ok_or_else(|| Error::Secret(SERVING_SECRET.to_owned()))?
                }
                created => created.map_err(Error::api("keep the own authority"))?,
            },
        };
        let of_service =
            ["svc.cluster.local", "svc"].map(|domain| format!("{SERVICE}.{namespace}.{domain}"));
        let names = of_service.into_iter().chain(hosts.iter().cloned()).collect();
        Ok(Self { client, authority: authority_of(&secret)?, names })
    }

    /// The authority's certificate in PEM form, for [`configurations`](crate::registration::configurations).
    pub fn authority_pem(&self) -> &str {
        self.authority.certificate_pem()
    }

    /// A certificate for the server.
    pub(crate) fn issue(&self, now: Time) -> Result<ServerCertificate, Error> {
        Ok(self.authority.issue(&self.names, now)?)
    }

    /// Writes the authority into the configurations where it is missing or differs.
    pub(crate) async fn keep_up(&self) -> Result<(), Error> {
        self.keep_up_in::<MutatingWebhookConfiguration>(|found| {
            let webhooks = found.webhooks.into_iter().flatten();
            webhooks.map(|webhook| (webhook.name, webhook.client_config.ca_bundle)).collect()
        })
        .await?;
        self.keep_up_in::<ValidatingWebhookConfiguration>(|found| {
            let webhooks = found.webhooks.into_iter().flatten();
            webhooks.map(|webhook| (webhook.name, webhook.client_config.ca_bundle)).collect()
        })
        .await
    }

    /// A configuration that does not exist is not ours to create: it belongs to the installation.
    async fn keep_up_in<K>(
        &self,
        bundles: impl Fn(K) -> Vec<(String, Option<ByteString>)>,
    ) -> Result<(), Error>
    where
        K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned,
    {
        let failed = Error::api("keep up the trust in webhook configurations");
        let api: Api<K> = Api::all(self.client.clone());
        let Some(found) = api.get_opt(WEBHOOK_CONFIGURATION).await.map_err(&failed)? else {
            return Ok(());
        };
        let ours = self.authority.certificate_pem();
        let stale: Vec<Value> = bundles(found)
            .into_iter()
            .filter(|(_, bundle)| bundle.as_ref().is_none_or(|one| one.0 != ours.as_bytes()))
            .map(|(name, _)| {
                json!({"name": name, "clientConfig": {"caBundle": STANDARD.encode(ours)}})
            })
            .collect();
        if stale.is_empty() {
            return Ok(());
        }
        let patch = Patch::Strategic(json!({"webhooks": stale}));
        let parameters = PatchParams::default();
        api.patch(WEBHOOK_CONFIGURATION, &parameters, &patch).await.map_err(&failed)?;
        Ok(())
    }
}

fn new_secret(now: Time) -> Result<Secret, Error> {
    let authority = Authority::generate(now)?;
    let data = BTreeMap::from([
        (CERTIFICATE.to_owned(), ByteString(authority.certificate_pem().as_bytes().to_vec())),
        (KEY.to_owned(), ByteString(authority.key_pem().into_bytes())),
    ]);
    Ok(Secret {
        metadata: ObjectMeta { name: Some(SERVING_SECRET.to_owned()), ..ObjectMeta::default() },
        data: Some(data),
        type_: Some("Opaque".to_owned()),
        ..Secret::default()
    })
}

fn authority_of(secret: &Secret) -> Result<Authority, Error> {
    let text = |key: &str| {
        let bytes = &secret.data.as_ref()?.get(key)?.0;
        std::str::from_utf8(bytes).ok()
    };
    match (text(CERTIFICATE), text(KEY)) {
        (Some(certificate), Some(key)) => Ok(Authority::from_pem(certificate, key)?),
        _ => Err(Error::Secret(SERVING_SECRET.to_owned())),
    }
}
