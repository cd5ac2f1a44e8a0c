//! Asks AWS who we are, and to become somebody else.

use core_clock::Time;
use core_rules::credential::Secret;
use form_urlencoded::Serializer;
use http::{Method, header};
use io_http::outbound::{
    Request,
    aws::{Call, Keys, Scope, signed},
};

use crate::provider::{
    ProviderError,
    call::{Caller, Reply, xml_text},
};

const SERVICE: &str = "AWS STS";
const FORM: &str = "application/x-www-form-urlencoded";

/// The service, in the region we run in.
#[derive(Clone)]
pub(super) struct Sts {
    pub(super) caller: Caller,
    pub(super) endpoint: String,
    pub(super) region: String,
}

/// Keys with the time they expire at.
#[derive(Clone, Debug)]
pub(super) struct Lease {
    pub(super) keys: Keys,
    pub(super) expires: Time,
}

impl Sts {
    /// The account that `keys` belong to.
    pub(super) async fn account(&self, keys: &Keys, now: Time) -> Result<String, ProviderError> {
        let reply = self.signed(keys, now, &[("Action", "GetCallerIdentity")]).await?;
        let account = xml_text(&reply.body, "Account").filter(|account| !account.is_empty());
        account.map(str::to_owned).ok_or_else(|| reply.unusable("it names no account"))
    }

    /// Keys of a role that `keys` may take on.
    pub(super) async fn assume_role(
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
    pub(super) async fn assume_role_with_token(
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
pub(super) struct Role<'a> {
    pub(super) arn: &'a str,
    pub(super) session: &'a str,
    pub(super) external_id: &'a str,
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
