//! Refs over smart HTTP: the handshake, then `ls-refs`; two requests in all.

use http::{HeaderName, HeaderValue, StatusCode, header};
use io_http::outbound::{Client, Request, Response};
use url::Url;

use core_rules::credential::Credential;

use super::{
    advertisement::{self, Advertisement, Capabilities},
    ls_refs::{self, Listing},
    packets::{Incoming, Packets},
    to_refs,
};
use crate::{context::Context, error::Error, refs::Refs, remote::Target};

const PROTOCOL: HeaderName = HeaderName::from_static("git-protocol");
const ADVERTISEMENT: &str = "application/x-git-upload-pack-advertisement";
const RESULT: &str = "application/x-git-upload-pack-result";
const SERVICE: &str = "info/refs";

/// Lists the refs of the repository at `url`.
pub(super) async fn list(
    cx: &Context,
    target: &Target,
    url: &Url,
    prefixes: &[String],
) -> Result<Refs, Error> {
    let conversation = Conversation { cx, target, client: cx.outbound.client(&target.tls)? };
    let response = conversation.handshake(url).await?;
    let base = conversation.base(&response)?;
    let meant_for = Request::get(url.as_str())?.origin();
    let answered_by = response.origin();
    let moved_to = (base != *url).then(|| base.clone());
    let mut packets = conversation.packets(response);
    let (capabilities, listing) =
        match advertisement::read(&mut packets, cx.settings.max_refs).await? {
            Advertisement::Capabilities(capabilities) => {
                let asked = Asked { base: &base, capabilities: &capabilities, prefixes };
                let listing = conversation.ls_refs(asked, meant_for == answered_by).await?;
                (capabilities, listing)
            }
            Advertisement::Refs(capabilities, refs) => {
                let head = capabilities.head().map(str::to_owned);
                (capabilities, Listing { refs, head })
            }
        };
    Ok(to_refs(&capabilities, listing, prefixes, moved_to))
}

struct Conversation<'a> {
    cx: &'a Context,
    target: &'a Target,
    client: Client,
}

struct Asked<'a> {
    base: &'a Url,
    capabilities: &'a Capabilities,
    prefixes: &'a [String],
}

impl Conversation<'_> {
    async fn handshake(&self, url: &Url) -> Result<Response, Error> {
        let mut url = url.clone();
        let path = format!("{}/{SERVICE}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.query_pairs_mut().append_pair("service", "git-upload-pack");
        let request = self.login(Request::get(url.as_str())?)?;
        let response = self.send(request).await?;
        self.check_type(&response, ADVERTISEMENT)?;
        Ok(response)
    }

    /// The credential goes along only while the server that answers is the one it is meant for.
    async fn ls_refs(&self, asked: Asked<'_>, same_server: bool) -> Result<Listing, Error> {
        let mut url = asked.base.clone();
        let path = format!("{}/git-upload-pack", url.path().trim_end_matches('/'));
        url.set_path(&path);
        let body = ls_refs::request(asked.capabilities, asked.prefixes);
        let request = Request::post(url.as_str(), "application/x-git-upload-pack-request", body)?
            .header(header::ACCEPT, HeaderValue::from_static(RESULT));
        let request = if same_server { self.login(request)? } else { request };
        let response = self.send(request).await?;
        self.check_type(&response, RESULT)?;
        let mut packets = self.packets(response);
        ls_refs::read(&mut packets, asked.prefixes, self.cx.settings.max_refs).await
    }

    fn login(&self, request: Request) -> Result<Request, Error> {
        match &self.target.credential {
            Some(Credential::Basic { username, password }) => {
                Ok(request.basic(username, password.expose())?)
            }
            _ => Ok(request),
        }
    }

    async fn send(&self, request: Request) -> Result<Response, Error> {
        let request = request
            .header(PROTOCOL, HeaderValue::from_static("version=2"))
            .header(header::PRAGMA, HeaderValue::from_static("no-cache"))
            .within(self.cx.settings.list_deadline);
        let response = self.client.send(request).await?;
        let host = response.url().host_str().unwrap_or_default().to_owned();
        match response.status() {
            StatusCode::OK => Ok(response),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(Error::Credential { host, offered: self.target.offered() })
            }
            StatusCode::NOT_FOUND | StatusCode::GONE => {
                Err(Error::NotFound { repository: self.target.to_string() })
            }
            status => Err(Error::Status { host, status: status.as_u16() }),
        }
    }

    fn check_type(&self, response: &Response, expected: &str) -> Result<(), Error> {
        let found = response.header(&header::CONTENT_TYPE).unwrap_or_default();
        if found.split(';').next().is_some_and(|kind| kind.trim() == expected) {
            return Ok(());
        }
        let reason = "it does not speak Git's smart HTTP protocol at this address".to_owned();
        Err(Error::Protocol { host: self.target.host(), reason })
    }

    /// Where the repository is, taken from where the handshake ended after redirects.
    fn base(&self, response: &Response) -> Result<Url, Error> {
        let mut base = response.url().clone();
        let Some(path) = base.path().strip_suffix(SERVICE).map(str::to_owned) else {
            let reason = "it redirects to an address that is no repository".to_owned();
            return Err(Error::Protocol { host: self.target.host(), reason });
        };
        base.set_query(None);
        base.set_path(path.trim_end_matches('/'));
        Ok(base)
    }

    fn packets(&self, response: Response) -> Packets {
        let limit = self.cx.settings.max_listing_bytes;
        Packets::new(Incoming::Http(response), limit, self.target.host(), self.target.to_string())
    }
}
