//! The outbound HTTP client: every call to a server that a user named goes through here.
//!
//! Addresses come from users, so a URL is a wish, not an order. The dial policy is applied to what the
//! name resolved to, to addresses written as numbers and to every redirect; a credential never follows
//! a redirect to another host. Every wait has a deadline and every body a limit.

pub mod aws;

mod client;
mod error;
mod origin;
mod policy;
mod proxy;
mod request;
mod resolver;
mod response;
mod retry_after;
mod settings;
mod tls;
mod verifier;

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;

/// A parsed address, as browsers read them.
pub use reqwest::Url;

pub use self::{
    client::Client,
    error::{Error, Phase},
    origin::{Origin, is_local_host},
    policy::{Network, NetworkError, Policy, Refusal},
    request::Request,
    response::Response,
    retry_after::{LONGEST_PAUSE, retry_after},
    settings::{Deadlines, Settings},
    tls::{Tls, TlsError},
};

/// How many different TLS settings keep their connections; a further one starts afresh.
const MAX_CLIENTS: usize = 256;

/// Hands out clients; those with equal TLS settings share their connections. Cheap to clone.
#[derive(Clone)]
pub struct Outbound {
    shared: Arc<Shared>,
}

struct Shared {
    settings: Settings,
    roots: rustls::RootCertStore,
    clients: Mutex<HashMap<(Tls, Policy), Client>>,
}

impl Outbound {
    /// Reads the machine's trusted certificates once; everything else happens on use.
    pub fn new(settings: Settings) -> Self {
        let roots = tls::machine_roots(&settings);
        Self { shared: Arc::new(Shared { settings, roots, clients: Mutex::default() }) }
    }

    /// The settings all clients follow.
    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// The client for servers that users name.
    pub fn client(&self, tls: &Tls) -> Result<Client, TlsError> {
        self.client_with(tls, &self.shared.settings)
    }

    /// The client for the metadata service of the cloud we run in. Only for addresses that are ours:
    /// it may dial what [`Outbound::client`] refuses, and asks no proxy, which would reach the metadata
    /// service of another machine, and see the credentials that ours hands out.
    pub fn metadata_client(&self) -> Result<Client, TlsError> {
        let settings = self.shared.settings.clone().for_metadata();
        self.client_with(&Tls::default(), &settings)
    }

    /// The client for servers that users name, through a proxy that they name too. Its own address is
    /// held to the policy; which ones it dials is its own affair.
    pub fn client_through(&self, tls: &Tls, proxy: &str) -> Result<Client, TlsError> {
        let settings = self.shared.settings.clone().through(proxy)?;
        let config = tls::client_config(&self.shared.roots, tls)?;
        Client::build(&settings, settings.policy.clone(), config)
    }

    fn client_with(&self, tls: &Tls, settings: &Settings) -> Result<Client, TlsError> {
        let key = (tls.clone(), settings.policy.clone());
        if let Some(client) = self.shared.clients.lock().get(&key) {
            return Ok(client.clone());
        }
        let config = tls::client_config(&self.shared.roots, tls)?;
        let client = Client::build(settings, key.1.clone(), config)?;
        let mut clients = self.shared.clients.lock();
        if clients.len() >= MAX_CLIENTS {
            clients.clear();
        }
        clients.insert(key, client.clone());
        Ok(client)
    }
}
