//! Putting a blob into a repository: found there, taken over from a neighbour, or sent.

use std::pin::pin;

use http::{HeaderValue, Method, StatusCode, header};
use io_http::outbound::{Request, Response, Url};

use super::{
    Blob, Descriptor,
    pipe::{Feed, pipe},
};
use crate::{Error, repository::Repository, scheme::Scheme};

const OCTETS: HeaderValue = HeaderValue::from_static("application/octet-stream");

impl Repository {
    /// Makes sure that the repository has a blob of `source`; `neighbour` is the name of the source's
    /// repository when both are on one registry and open to one credential.
    pub(super) async fn receive(
        &self,
        source: &Self,
        descriptor: &Descriptor,
        neighbour: Option<&str>,
    ) -> Result<(), Error> {
        if self.has_blob(descriptor).await? {
            return Ok(());
        }
        let Some(address) = self.begin_upload(descriptor, neighbour).await? else { return Ok(()) };
        let _turn = self.shared.transfers.acquire().await.map_err(|_| Error::Stopping)?;
        let blob = source.blob(descriptor).await?;
        self.transfer(blob, descriptor, &address).await
    }

    async fn has_blob(&self, descriptor: &Descriptor) -> Result<bool, Error> {
        let url = self.url(&format!("blobs/{}", descriptor.digest)).await?;
        let response = self.send(Request::head(url.as_str())?, &[]).await?;
        if response.status() == StatusCode::NOT_FOUND {
            return Ok(false);
        }
        self.check(&response, &format!("blob {}", descriptor.digest))?;
        Ok(true)
    }

    /// Where to send the blob; `None` when the registry took it over from the neighbour.
    async fn begin_upload(
        &self,
        descriptor: &Descriptor,
        neighbour: Option<&str>,
    ) -> Result<Option<Url>, Error> {
        let what = format!("the upload of blob {}", descriptor.digest);
        let mut url = self.url("blobs/uploads/").await?;
        if let Some(neighbour) = neighbour {
            let mut query = url.query_pairs_mut();
            query.append_pair("mount", descriptor.digest()).append_pair("from", neighbour);
        }
        let request = Request::new(Method::POST, url.as_str())?.redirects(0);
        let response = self.send(request, &[]).await?;
        self.check(&response, &what)?;
        if response.status() == StatusCode::CREATED {
            return Ok(None);
        }
        self.upload_address(&response, &url, descriptor).await.map(Some)
    }

    async fn upload_address(
        &self,
        response: &Response,
        asked: &Url,
        descriptor: &Descriptor,
    ) -> Result<Url, Error> {
        let missing = || Error::UploadAddress {
            host: self.place.host().to_owned(),
            what: descriptor.digest().to_owned(),
        };
        let location = response.header(&header::LOCATION).ok_or_else(missing)?;
        let mut address = asked.join(location).map_err(|_| missing())?;
        // Registries behind a proxy do not always know that they are spoken to with TLS.
        if self.scheme().await? == Scheme::Https {
            address.set_scheme("https").map_err(|()| missing())?;
        }
        address.query_pairs_mut().append_pair("digest", descriptor.digest());
        Ok(address)
    }

    /// Sends all bytes in one request, as they come from the other side.
    async fn transfer(
        &self,
        blob: Blob,
        descriptor: &Descriptor,
        address: &Url,
    ) -> Result<(), Error> {
        let request = Request::new(Method::PUT, address.as_str())?
            .header(header::CONTENT_TYPE, OCTETS)
            .within(self.patience(descriptor.size()));
        let request = self.sign_upload(request).await?;
        let (feed, body) = pipe(descriptor.size());
        let mut fed = pin!(pump(blob, feed));
        let mut answered = pin!(self.line.upload(request, body));
        // Who answers before all bytes came does not want them: nobody waits until they are sent.
        let response = tokio::select! {
            biased;
            fed = &mut fed => {
                fed?;
                answered.await?
            }
            answered = &mut answered => answered?,
        };
        self.check(&response, &format!("the upload of blob {}", descriptor.digest))
    }

    /// The registry's log-in, unless the bytes go to somebody else's storage.
    async fn sign_upload(&self, request: Request) -> Result<Request, Error> {
        let own = Request::head(self.url("").await?.as_str())?;
        if request.origin() != own.origin() {
            return Ok(request);
        }
        let authorization = self.login.authorization(&self.line).await?;
        self.login.sign(request, &authorization)
    }
}

/// Moves a blob into an upload. An upload that ends early is for its own side to report.
async fn pump(mut blob: Blob, feed: Feed) -> Result<(), Error> {
    loop {
        match blob.chunk().await {
            Ok(Some(piece)) => {
                if !feed.push(piece).await {
                    return Ok(());
                }
            }
            Ok(None) => return Ok(()),
            Err(error) => {
                feed.fail().await;
                return Err(error);
            }
        }
    }
}
