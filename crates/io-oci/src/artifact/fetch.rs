//! Reading an artifact's manifests: all of them, or those of one platform.

use futures::{FutureExt as _, future::BoxFuture};

use super::{
    Artifact, Content, Descriptor, Reference,
    describe::{Entry, Image, Index, Shape},
};
use crate::{
    Access, Error, Registries,
    digest::Digest,
    manifest::{self, MAX_ENTRIES, Problem},
    repository::{Raw, Repository},
};

/// Indexes within indexes.
const MAX_DEPTH: usize = 4;
const PLATFORM: &str = "linux/amd64";

impl Registries {
    /// The repository of an artifact, to read from.
    pub fn source(&self, reference: &Reference, access: &Access) -> Result<Repository, Error> {
        self.image_place(reference.place.clone(), access)
    }
}

impl Repository {
    /// The artifact with everything it consists of: an index with all its images.
    pub async fn artifact(&self, reference: &Reference) -> Result<Artifact, Error> {
        let version = &reference.version;
        let raw = self.raw_manifest(version.as_str(), version.digest()).await?;
        let mut left = MAX_ENTRIES;
        self.assemble(raw, MAX_DEPTH, &mut left).await
    }

    /// The artifact as a machine with Linux on amd64 sees it: of an index, the image for it.
    pub async fn image_artifact(&self, reference: &Reference) -> Result<Artifact, Error> {
        let version = &reference.version;
        let mut raw = self.raw_manifest(version.as_str(), version.digest()).await?;
        for _ in 0..MAX_DEPTH {
            let (media_type, shape) = self.shape(&raw)?;
            if shape == Shape::Image {
                return self.image_of(raw, media_type);
            }
            let digest = self.for_platform(&raw, reference)?;
            raw = self.raw_manifest(digest.as_str(), Some(&digest)).await?;
        }
        Err(self.unreadable(&raw.digest, too_deep()))
    }

    /// Boxed, because an index may hold indexes.
    fn assemble<'a>(
        &'a self,
        raw: Raw,
        depth: usize,
        left: &'a mut usize,
    ) -> BoxFuture<'a, Result<Artifact, Error>> {
        async move {
            let (media_type, shape) = self.shape(&raw)?;
            if shape == Shape::Image {
                return self.image_of(raw, media_type);
            }
            let Some(depth) = depth.checked_sub(1) else {
                return Err(self.unreadable(&raw.digest, too_deep()));
            };
            let mut children = Vec::new();
            for Entry { descriptor, .. } in self.entries(&raw)? {
                *left =
                    left.checked_sub(1).ok_or_else(|| self.unreadable(&raw.digest, too_many()))?;
                let child = self.child(&descriptor).await?;
                children.push(self.assemble(child, depth, left).await?);
            }
            let content = Content::Index(children);
            Ok(Artifact { digest: raw.digest, media_type, body: raw.body, content })
        }
        .boxed()
    }

    async fn child(&self, descriptor: &Descriptor) -> Result<Raw, Error> {
        let raw = self.raw_manifest(descriptor.digest(), Some(&descriptor.digest)).await?;
        // What the index says is what the manifest is sent on as.
        let content_type = Some(descriptor.media_type().to_owned()).filter(|kind| !kind.is_empty());
        Ok(Raw { content_type: content_type.or(raw.content_type), ..raw })
    }

    fn image_of(&self, raw: Raw, media_type: String) -> Result<Artifact, Error> {
        let (config, layers) =
            Image::parse(&raw.body).map_err(|problem| self.unreadable(&raw.digest, problem))?;
        let content = Content::Image { config, layers };
        Ok(Artifact { digest: raw.digest, media_type, body: raw.body, content })
    }

    fn for_platform(&self, raw: &Raw, reference: &Reference) -> Result<Digest, Error> {
        let entries = self.entries(raw)?;
        let fits = |entry: &&Entry| {
            entry.platform.as_ref().is_some_and(|platform| {
                format!("{}/{}", platform.os, platform.architecture) == PLATFORM
            })
        };
        let found = entries.iter().find(fits).map(|entry| entry.descriptor.digest.clone());
        found.ok_or_else(|| Error::Platform { what: reference.to_string(), platform: PLATFORM })
    }

    fn entries(&self, raw: &Raw) -> Result<Vec<Entry>, Error> {
        Index::parse(&raw.body).map_err(|problem| self.unreadable(&raw.digest, problem))
    }

    fn shape(&self, raw: &Raw) -> Result<(String, Shape), Error> {
        let media_type = manifest::media_type(raw.content_type.as_deref(), &raw.body)
            .map_err(|error| self.unreadable(&raw.digest, error.into()))?;
        let shape =
            Shape::of(&media_type).map_err(|problem| self.unreadable(&raw.digest, problem))?;
        Ok((media_type, shape))
    }

    fn unreadable(&self, digest: &Digest, problem: Problem) -> Error {
        problem.of(self.place.host(), &format!("manifest {digest}"))
    }
}

fn too_deep() -> Problem {
    Problem::Text(format!("it has more than {MAX_DEPTH} indexes within each other"))
}

fn too_many() -> Problem {
    Problem::Text(format!("it has more than {MAX_ENTRIES} entries in all its indexes"))
}
