//! From a repository to the credential that opens it.

use std::sync::Arc;

use core_rules::credential::Credential;
use io_http::outbound::Outbound;
use io_kube::Ports;
use k8s_openapi::api::core::v1::Secret;
use kube::Client;

use crate::{
    Error, Kind, ReadError, Settings,
    given::Given,
    matching::{Address, Entry},
    provider::{Providers, Request},
    secrets::Secrets,
};

/// The clusters whose Secrets count, in this order.
#[derive(Clone)]
pub struct Clusters {
    /// Where the Projects are.
    pub control_plane: Client,
    /// Where this controller runs, when that is another one. Asked only where the settings say so.
    pub local: Option<Client>,
}

impl From<Client> for Clusters {
    fn from(control_plane: Client) -> Self {
        Self { control_plane, local: None }
    }
}

/// Finds credentials. Cheap to clone; clones share watches and tokens.
#[derive(Clone)]
pub struct Credentials {
    inner: Arc<Inner>,
}

struct Inner {
    shelves: Vec<Shelf>,
    shared_namespace: Option<String>,
    allow_over_http: bool,
    providers: Providers,
}

/// Where Secrets are.
enum Shelf {
    Cluster(Arc<Secrets>),
    Given(Given),
}

impl Shelf {
    async fn candidates(
        &self,
        namespace: &str,
        address: &Address,
    ) -> Result<Vec<Arc<Entry>>, ReadError> {
        match self {
            Self::Cluster(secrets) => secrets.candidates(namespace, address).await,
            Self::Given(given) => Ok(given.candidates(namespace, address)),
        }
    }
}

/// A namespace to look into, and whose it is.
#[derive(Clone, Copy)]
struct Place<'a> {
    namespace: &'a str,
    is_shared: bool,
}

impl Credentials {
    /// Starts with nothing watched and no tokens.
    pub fn new(
        clusters: impl Into<Clusters>,
        settings: Settings,
        outbound: Outbound,
        ports: &Ports,
    ) -> Self {
        let Clusters { control_plane, local } = clusters.into();
        let local = local.filter(|_| settings.local_cluster_fallback);
        let clients = std::iter::once(control_plane).chain(local);
        let shelf = |client| Shelf::Cluster(Secrets::start(client, ports));
        Self::on(clients.map(shelf).collect(), settings, outbound, ports)
    }

    /// Finds credentials in these Secrets, without a cluster.
    pub fn of_secrets(
        secrets: &[Secret],
        settings: Settings,
        outbound: Outbound,
        ports: &Ports,
    ) -> Self {
        Self::on(vec![Shelf::Given(Given::new(secrets))], settings, outbound, ports)
    }

    fn on(shelves: Vec<Shelf>, settings: Settings, outbound: Outbound, ports: &Ports) -> Self {
        let inner = Inner {
            shelves,
            providers: Providers::new(&settings, outbound, ports),
            shared_namespace: settings.shared_namespace.filter(|name| !name.is_empty()),
            allow_over_http: settings.allow_over_http,
        };
        Self { inner: Arc::new(inner) }
    }

    /// The credential of a Project for a repository; `None` when it is open to all or nothing fits.
    ///
    /// Secrets of the Project come before shared ones, those of the control plane before those of
    /// the local cluster, and any Secret before the identity of this process. `repo_url` is as a
    /// subscription has it.
    ///
    /// Cancel safety: reads and tokens under way go on and are there for the next who asks.
    pub async fn get(
        &self,
        project: &str,
        kind: Kind,
        repo_url: &str,
    ) -> Result<Option<Credential>, Error> {
        let address = Address::new(kind, repo_url);
        if !self.inner.allow_over_http && address.is_plain_http() {
            tracing::debug!(project, %kind, url = address.shown(), "no credentials over plain HTTP");
            return Ok(None);
        }
        let request = Request { project, address: &address };
        for shelf in &self.inner.shelves {
            for place in self.places(project) {
                if let Some(credential) = self.ask_secrets(request, shelf, place).await? {
                    return Ok(Some(credential));
                }
            }
        }
        self.ask_clouds(request).await
    }

    fn places<'a>(&'a self, project: &'a str) -> impl Iterator<Item = Place<'a>> {
        let shared = self.inner.shared_namespace.as_deref().filter(|name| *name != project);
        let own = Some(project).filter(|name| !name.is_empty());
        let own = own.map(|namespace| Place { namespace, is_shared: false });
        own.into_iter().chain(shared.map(|namespace| Place { namespace, is_shared: true }))
    }

    async fn ask_secrets(
        &self,
        request: Request<'_>,
        shelf: &Shelf,
        place: Place<'_>,
    ) -> Result<Option<Credential>, Error> {
        let candidates = shelf.candidates(place.namespace, request.address).await;
        let candidates = candidates.map_err(|source| Error::Read {
            kind: request.address.kind,
            url: request.address.shown(),
            shared: if place.is_shared { "shared " } else { "" },
            namespace: place.namespace.to_owned(),
            source,
        })?;
        for entry in candidates {
            if let Some(credential) = self.ask_secret(request, place, &entry).await? {
                return Ok(Some(credential));
            }
        }
        Ok(None)
    }

    async fn ask_secret(
        &self,
        request: Request<'_>,
        place: Place<'_>,
        entry: &Entry,
    ) -> Result<Option<Credential>, Error> {
        for provider in &self.inner.providers.from_secret {
            let answer = provider.answer(request, &entry.material).await;
            let answer = answer.map_err(|source| Error::Secret {
                kind: request.address.kind,
                url: request.address.shown(),
                namespace: place.namespace.to_owned(),
                name: entry.name.clone(),
                source,
            })?;
            if answer.is_some() {
                return Ok(answer);
            }
        }
        Ok(None)
    }

    async fn ask_clouds(&self, request: Request<'_>) -> Result<Option<Credential>, Error> {
        for provider in &self.inner.providers.ambient {
            let answer = provider.answer(request).await.map_err(|source| Error::Ambient {
                kind: request.address.kind,
                url: request.address.shown(),
                cloud: provider.cloud(),
                source,
            })?;
            if answer.is_some() {
                return Ok(answer);
            }
        }
        Ok(None)
    }
}
