//! Copying an artifact into a repository.

use std::collections::BTreeMap;

use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _, future::BoxFuture, stream};
use http::{HeaderValue, Method, header};
use io_http::outbound::Request;

use super::{Artifact, Descriptor, Reference};
use crate::{Access, Error, Registries, digest::Digest, repository::Repository, scheme::Detection};

/// Blobs of one artifact that are on their way at the same time.
const BLOBS_AT_ONCE: usize = 3;

/// A repository to push to, and how its blobs get there.
pub struct Destination {
    repository: Repository,
    origin: Origin,
}

/// Where the blobs are, as the destination sees it.
enum Origin {
    /// In the same repository: there is nothing to copy but manifests.
    Here,
    /// In another repository of the same registry, which the credential opens too.
    Neighbour(String),
    Elsewhere,
}

impl Registries {
    /// The repository of an artifact, to push what `source` has.
    pub fn destination(
        &self,
        reference: &Reference,
        access: &Access,
        source: &Repository,
    ) -> Result<Destination, Error> {
        let place = reference.place.clone();
        let origin = if source.place == place {
            Origin::Here
        } else if source.place.host() == place.host()
            && source.login.credential() == access.credential.as_ref()
        {
            Origin::Neighbour(source.place.repository().to_owned())
        } else {
            Origin::Elsewhere
        };
        let mut scopes = vec![format!("repository:{}:pull,push", place.repository())];
        if let Origin::Neighbour(name) = &origin {
            scopes.push(format!("repository:{name}:pull"));
        }
        let repository = self.repository_for(place, scopes, access, Detection::LocalHosts)?;
        Ok(Destination { repository, origin })
    }
}

impl Destination {
    /// Copies `artifact` from `source` and gives it `tag`. What is there already is not sent again.
    pub async fn push(
        &self,
        source: &Repository,
        artifact: &Artifact,
        tag: &str,
    ) -> Result<(), Error> {
        if self.is_there(artifact, tag).await? {
            return Ok(());
        }
        if !matches!(self.origin, Origin::Here) {
            self.copy_blobs(source, artifact).await?;
        }
        self.put(artifact, tag).await
    }

    /// Registries whose tags never move would refuse what they have.
    async fn is_there(&self, artifact: &Artifact, tag: &str) -> Result<bool, Error> {
        match self.repository.head(tag).await {
            Ok(digest) => Ok(digest.as_ref() == Some(&artifact.digest)),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn copy_blobs(&self, source: &Repository, artifact: &Artifact) -> Result<(), Error> {
        let mut blobs = BTreeMap::new();
        collect_blobs(artifact, &mut blobs);
        let copies: Vec<_> = blobs.into_values().map(|blob| self.copy_blob(source, blob)).collect();
        stream::iter(copies).buffer_unordered(BLOBS_AT_ONCE).try_collect::<()>().await
    }

    /// Boxed, because the compiler cannot see that a stream of such futures may change threads.
    fn copy_blob<'a>(
        &'a self,
        source: &'a Repository,
        blob: &'a Descriptor,
    ) -> BoxFuture<'a, Result<(), Error>> {
        let neighbour = match &self.origin {
            Origin::Neighbour(name) => Some(name.as_str()),
            _ => None,
        };
        self.repository.receive(source, blob, neighbour).boxed()
    }

    /// Puts manifests, those within an index before the index.
    fn put<'a>(
        &'a self,
        artifact: &'a Artifact,
        name: &'a str,
    ) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            for child in artifact.children() {
                self.put(child, child.digest()).await?;
            }
            let url = self.repository.url(&format!("manifests/{name}")).await?;
            let media_type = HeaderValue::from_str(&artifact.media_type)
                .map_err(|_| Error::ArtifactType(Error::quote(&artifact.media_type)))?;
            let request = Request::new(Method::PUT, url.as_str())?
                .header(header::CONTENT_TYPE, media_type)
                .body(artifact.body.clone());
            let response = self.repository.send(request, &[]).await?;
            self.repository.check(&response, &format!("manifest {name}"))
        }
        .boxed()
    }
}

/// Each blob once, whatever number of images share it.
fn collect_blobs<'a>(artifact: &'a Artifact, into: &mut BTreeMap<&'a Digest, &'a Descriptor>) {
    let kept = artifact.blobs().filter(|blob| blob.is_kept());
    into.extend(kept.map(|blob| (&blob.digest, blob)));
    for child in artifact.children() {
        collect_blobs(child, into);
    }
}
