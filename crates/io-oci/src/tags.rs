//! The tags of a repository, page by page, with an end.

use http::header;
use io_http::outbound::{Response, Url};
use serde::Deserialize;

use crate::{Error, place::is_tag, repository::Repository};

/// Tags asked for at once.
const PAGE: usize = 1_000;
/// Pages read at most, for servers that make their pages small.
const MAX_PAGES: usize = 5_000;

#[derive(Deserialize)]
struct Page {
    /// `null` for a repository without tags.
    #[serde(default)]
    tags: Option<Vec<String>>,
}

/// Whether to name a page size: some chart registries do not know the parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageSize {
    Ours,
    Servers,
}

/// All tags, sorted and each once; what cannot be a tag is left out.
pub(crate) async fn list(repository: &Repository, size: PageSize) -> Result<Vec<String>, Error> {
    let limits = repository.limits();
    let too_many = Error::TooManyTags { limit: limits.tags };
    let query = if size == PageSize::Ours { format!("?n={PAGE}") } else { String::new() };
    let mut url = repository.url(&format!("tags/list{query}")).await?;
    let mut all = Vec::new();
    for _ in 0..MAX_PAGES {
        let response = repository.get(url.as_str(), &[], "the tags").await?;
        let next = next_page(&response, &url);
        let body = match response.read_limited(limits.page_bytes).await {
            Err(io_http::outbound::Error::TooLarge { .. }) => return Err(too_many),
            other => other?,
        };
        let page: Page = serde_json::from_slice(&body)
            .map_err(|error| repository.malformed("the list of tags", &error))?;
        let tags = page.tags.unwrap_or_default();
        let is_empty = tags.is_empty();
        all.extend(tags.into_iter().filter(|tag| is_tag(tag)));
        if all.len() > limits.tags {
            return Err(too_many);
        }
        match next {
            // A page without tags, or one that leads to itself, would go on for ever.
            Some(next) if !is_empty && next != url => url = next,
            _ => {
                // Pages overlap when tags are pushed meanwhile.
                all.sort_unstable();
                all.dedup();
                return Ok(all);
            }
        }
    }
    Err(too_many)
}

/// The address in a `Link: <…>; rel="next"` header, if it stays on the same host.
fn next_page(response: &Response, current: &Url) -> Option<Url> {
    let link = response.header(&header::LINK)?;
    let next = link.split(',').find_map(|entry| {
        let (target, parameters) = entry.trim().strip_prefix('<')?.split_once('>')?;
        parameters.replace(['"', ' '], "").contains("rel=next").then_some(target)
    })?;
    let next = current.join(next).ok()?;
    let same = next.scheme() == current.scheme()
        && next.host_str() == current.host_str()
        && next.port_or_known_default() == current.port_or_known_default();
    same.then_some(next)
}
