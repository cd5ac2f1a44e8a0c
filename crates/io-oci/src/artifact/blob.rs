//! The bytes of one part of an artifact, checked as they come.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, header};
use io_http::outbound::{Request, Response};

use super::Descriptor;
use crate::{
    Error,
    digest::{Digest, Hasher},
    repository::Repository,
};

/// A transfer may take as long as it takes at this rate, and a little more.
const SLOWEST_BYTES_PER_SECOND: u64 = 128 * 1024;

/// A blob under way. Its end is only reached when all bytes came and have the right digest.
pub struct Blob {
    response: Response,
    host: String,
    expected: Digest,
    size: u64,
    left: u64,
    hasher: Option<Hasher>,
}

impl Repository {
    /// Starts to read a part of an artifact of this repository.
    pub async fn blob(&self, descriptor: &Descriptor) -> Result<Blob, Error> {
        let url = self.url(&format!("blobs/{}", descriptor.digest)).await?;
        // The digest is that of the bytes as they are kept, so nobody is to compress them.
        let identity = HeaderValue::from_static("identity");
        let request = Request::get(url.as_str())?.header(header::ACCEPT_ENCODING, identity);
        let response = self.send_within(self.patience(descriptor.size()), request, &[]).await?;
        self.check(&response, &format!("blob {}", descriptor.digest))?;
        Ok(Blob {
            response,
            host: self.place.host().to_owned(),
            expected: descriptor.digest.clone(),
            size: descriptor.size(),
            left: descriptor.size(),
            hasher: Some(descriptor.digest.hasher()),
        })
    }

    /// How long the transfer of so many bytes may take.
    pub(super) fn patience(&self, bytes: u64) -> Duration {
        self.limits().exchange + Duration::from_secs(bytes / SLOWEST_BYTES_PER_SECOND)
    }
}

impl Blob {
    /// The next piece; `None` when all of it came and is what it should be.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        match self.response.chunk().await? {
            Some(piece) => self.take(piece).map(Some),
            None => self.end().map(|()| None),
        }
    }

    fn take(&mut self, piece: Bytes) -> Result<Bytes, Error> {
        let length = u64::try_from(piece.len()).unwrap_or(u64::MAX);
        self.left = self.left.checked_sub(length).ok_or_else(|| self.wrong_length())?;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&piece);
        }
        Ok(piece)
    }

    fn end(&mut self) -> Result<(), Error> {
        if self.left > 0 {
            return Err(self.wrong_length());
        }
        let Some(actual) = self.hasher.take().map(Hasher::finish) else { return Ok(()) };
        if actual == self.expected {
            return Ok(());
        }
        let (host, expected) = (self.host.clone(), self.expected.clone().into());
        Err(Error::Digest { host, expected, actual: actual.into() })
    }

    fn wrong_length(&self) -> Error {
        let (host, what) = (self.host.clone(), self.expected.clone().into());
        Error::Length { host, what, expected: self.size }
    }
}
