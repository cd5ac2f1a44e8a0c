//! Asks AWS who we are, and to become somebody else.

use core_clock::Time;
use core_rules::credential::Secret;
use form_urlencoded::Serializer;
use http::{Method, header};
use io_http::outbound::{
    Request,
    aws::{Call, Keys, Scope, signed},
};

use super::Region;
use crate::{
    provider::{
        ProviderError,
        call::{Caller, Reply, xml_text},
    },
    settings::Aws,
};

const SERVICE: &str = "AWS STS";
const FORM: &str = "application/x-www-form-urlencoded";
/// Where to ask for identities when nobody told the region we are in.
const DEFAULT_REGION: &str = "us-east-1";

/// The service, in the region we run in.
#[derive(Clone)]
pub(crate) struct Sts {
    pub(crate) caller: Caller,
    endpoint: String,
    region: String,
}

/// Keys with the time they expire at.
#[derive(Clone, Debug)]
pub(crate) struct Lease {
    pub(crate) keys: Keys,
    pub(crate) expires: Time,
}

impl Sts {
    pub(crate) fn new(aws: &Aws, caller: &Caller) -> Self {
        let region = aws.region.as_deref().and_then(Region::parse);
        let name = region.as_ref().map_or(DEFAULT_REGION, Region::as_str).to_owned();
        let endpoint =
            aws.sts_endpoint.clone().or_else(|| region.map(|region| region.sts_endpoint()));
        let endpoint = endpoint.unwrap_or_else(|| "https://sts.amazonaws.com".into());
        Self { caller: caller.clone(), endpoint, region: name }
    }

    /// The account that `keys` belong to.
    pub(crate) async fn account(&self, keys: &Keys, now: Time) -> Result<String, ProviderError> {
        let reply = self.signed(keys, now, &[("Action", "GetCallerIdentity")]).await?;
        let account = xml_text(&reply.body, "Account").filter(|account| !account.is_empty());
        account.map(str::to_owned).ok_or_else(|| reply.unusable("it names no account"))
    }

    /// Keys of a role that `keys` may take on.
    pub(crate) async fn assume_role(
        &self,
        keys: &Keys,
        now: Time,
        role: &Role<'_>,
    ) -> Result<Lease, ProviderError> {
        let fields = [
            ("Action", "AssumeRole"),
            ("RoleArn", role.arn),
            ("RoleSessionName", role.session),
            ("ExternalId", role.external_id),
        ];
        lease(&self.signed(keys, now, &fields).await?)
    }

    /// Keys of the role that a token of our ServiceAccount stands for.
    pub(crate) async fn assume_role_with_token(
        &self,
        role_arn: &str,
        session: &str,
        token: &Secret,
    ) -> Result<Lease, ProviderError> {
        let body = form(&[
            ("Action", "AssumeRoleWithWebIdentity"),
            ("RoleArn", role_arn),
            ("RoleSessionName", session),
            ("WebIdentityToken", token.expose()),
        ]);
        let request = Request::post(&self.endpoint, FORM, body);
        lease(&self.caller.ask(SERVICE, request).await?.accepted()?)
    }

    async fn signed(
        &self,
        keys: &Keys,
        now: Time,
        fields: &[(&str, &str)],
    ) -> Result<Reply, ProviderError> {
        let scope = Scope { region: &self.region, service: "sts", now };
        let call = Call {
            method: Method::POST,
            url: &self.endpoint,
            headers: &[(header::CONTENT_TYPE, FORM)],
            body: form(fields).into(),
        };
        let request = signed(keys, scope, call);
        self.caller.ask(SERVICE, request).await?.accepted()
    }
}

/// A role to take on.
pub(crate) struct Role<'a> {
    pub(crate) arn: &'a str,
    pub(crate) session: &'a str,
    pub(crate) external_id: &'a str,
}

fn form(fields: &[(&str, &str)]) -> String {
    Serializer::new(String::new())
        .append_pair("Version", "2011-06-15")
        .extend_pairs(fields)
        .finish()
}

fn lease(reply: &Reply) -> Result<Lease, ProviderError> {
    let unusable = || reply.unusable("it holds no keys");
    let field = |name| xml_text(&reply.body, name).filter(|text| !text.is_empty());
    let field = |name| field(name).ok_or_else(unusable);
    Ok(Lease {
        keys: Keys {
            id: field("AccessKeyId")?.to_owned(),
            secret: Secret::new(field("SecretAccessKey")?),
            session: Some(Secret::new(field("SessionToken")?)),
        },
        expires: field("Expiration")?.parse().map_err(|_| unusable())?,
    })
}
