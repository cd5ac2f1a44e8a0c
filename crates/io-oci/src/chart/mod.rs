//! Chart repositories over HTTP: one index file for all charts of a repository.
//!
//! The index is asked for only if it changed since the last time, and only the versions of one chart
//! are picked out of it.

mod body;
mod index;

use std::fmt::Display;

use http::{HeaderValue, StatusCode, header};
use io_http::outbound::{Error as OutboundError, Request, Response, Url};

use self::body::{Body, Interruption};
use crate::{
    Access, Error, Registries,
    cache::{ChartRecord, Partition},
    line::Line,
    registries::Shared,
};

/// The versions of a chart, and what it took to know them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartVersions {
    /// As the index has them, in its order; none when it does not know the chart.
    pub versions: Vec<String>,
    /// How many requests were sent.
    pub requests: u64,
}

impl Registries {
    /// The versions of `chart` in the index at `index_url`.
    pub async fn chart_versions(
        &self,
        index_url: &str,
        chart: &str,
        access: &Access,
    ) -> Result<ChartVersions, Error> {
        let shared = self.shared();
        let url = Url::parse(index_url).map_err(|_| OutboundError::Address)?;
        let host = url.host_str().unwrap_or_default();
        let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let search = Search {
            shared,
            line: shared.line(&host, access)?,
            partition: access.partition(index_url),
            shown: shown(&url),
            url: index_url,
            chart,
        };
        let versions = search.versions(access).await?;
        Ok(ChartVersions { versions, requests: search.line.requests() })
    }
}

struct Search<'s> {
    shared: &'s Shared,
    line: Line,
    partition: Partition,
    url: &'s str,
    /// The address without what it may hold of a credential.
    shown: String,
    chart: &'s str,
}

impl Search<'_> {
    async fn versions(&self, access: &Access) -> Result<Vec<String>, Error> {
        let known = self.shared.cache.chart(&self.partition, self.chart);
        let response = self.line.send(self.request(known.as_ref(), access)?).await?;
        match (response.status(), known) {
            (StatusCode::NOT_MODIFIED, Some(known)) => Ok(known.versions),
            (StatusCode::OK, _) => self.read(response).await,
            (status, _) => {
                Err(Error::IndexStatus { url: self.shown.clone(), status: status.as_u16() })
            }
        }
    }

    fn request(&self, known: Option<&ChartRecord>, access: &Access) -> Result<Request, Error> {
        let mut request = Request::get(self.url)?.within(self.shared.settings.limits.exchange);
        if let Some(core_rules::credential::Credential::Basic { username, password }) =
            &access.credential
        {
            request = request.basic(username, password.expose())?;
        }
        let condition =
            |value: Option<&String>| value.and_then(|text| HeaderValue::from_str(text).ok());
        if let Some(etag) = condition(known.and_then(|known| known.etag.as_ref())) {
            request = request.header(header::IF_NONE_MATCH, etag);
        }
        if let Some(modified) = condition(known.and_then(|known| known.modified.as_ref())) {
            request = request.header(header::IF_MODIFIED_SINCE, modified);
        }
        Ok(request)
    }

    async fn read(&self, response: Response) -> Result<Vec<String>, Error> {
        let etag = response.header(&header::ETAG).map(str::to_owned);
        let modified = response.header(&header::LAST_MODIFIED).map(str::to_owned);
        let versions = self.pick(self.receive(response).await?).await?;
        let record = ChartRecord { etag, modified, versions };
        if record.etag.is_some() || record.modified.is_some() {
            self.shared.cache.remember_chart(&self.partition, self.chart, &record);
        }
        Ok(record.versions)
    }

    async fn receive(&self, response: Response) -> Result<Body, Error> {
        let settings = &self.shared.settings;
        let directory = settings.cache_directory.as_deref();
        let received = Body::receive(response, settings.limits.chart_index_bytes, directory).await;
        received.map_err(|interruption| match interruption {
            Interruption::Outbound(error) => error.into(),
            other @ Interruption::File(_) => self.unreadable(&other),
        })
    }

    /// The versions of our chart. A whole index is in memory only here, where nobody is waited for.
    async fn pick(&self, body: Body) -> Result<Vec<String>, Error> {
        let _slot = self.shared.indexes.acquire().await.map_err(|_| Error::Stopping)?;
        let bytes = body.into_bytes().await.map_err(|error| self.unreadable(&error))?;
        let versions = index::versions(&bytes, self.chart).await;
        versions.map_err(|problem| self.unreadable(&problem))
    }

    fn unreadable(&self, problem: &dyn Display) -> Error {
        Error::Index { url: self.shown.clone(), problem: problem.to_string() }
    }
}

fn shown(url: &Url) -> String {
    let mut shown = url.clone();
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.set_query(None);
    Error::quote(shown.as_str())
}
