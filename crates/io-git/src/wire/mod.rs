//! Refs over the wire, spoken in process: protocol version 2 `ls-refs`, and what older servers say instead.

mod advertisement;
mod child;
mod connection;
mod http;
mod ls_refs;
mod packets;
mod pkt_line;

use url::Url;

use self::{advertisement::Capabilities, ls_refs::Listing};
pub(crate) use self::{connection::Connection, packets::is_not_found};
use crate::{
    context::Context,
    error::Error,
    refs::{Refs, Server},
    remote::{Address, Target},
};

/// Lists the refs whose names start with one of `prefixes`.
pub(crate) async fn list(
    cx: &Context,
    target: &Target,
    prefixes: &[String],
) -> Result<Refs, Error> {
    match &target.address {
        Address::Http(url) => http::list(cx, target, url, prefixes).await,
        Address::Ssh(ssh) => child::list_over_ssh(cx, target, ssh, prefixes).await,
        Address::File(path) => child::list_local(cx, target, path, prefixes).await,
    }
}

fn to_refs(
    capabilities: &Capabilities,
    listing: Listing,
    prefixes: &[String],
    moved_to: Option<Url>,
) -> Refs {
    let server = Server {
        moved_to,
        filter: capabilities.lists("fetch", "filter") || capabilities.get("filter").is_some(),
        object_format: capabilities.object_format(),
        connection: None,
    };
    let refs = listing.refs.into_iter().filter(|found| ls_refs::wanted(&found.name, prefixes));
    Refs::new(refs.collect(), listing.head, server)
}
