//! The two ends of `kargo demo`: a running demo leaves its address and a token in its directory, and who can read them
//! may ask it for something.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use core_clock::Entropy;
use http::{HeaderMap, Method, header::AUTHORIZATION};
use io_http::outbound::{self, Outbound, Request, Tls};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{Error, Release, release::write_private};

const FILE: &str = "control.json";
/// A Project takes a while to go.
const PATIENCE: Duration = Duration::from_mins(2);
const MAX_ANSWER: u64 = 64 << 10;

/// How to reach a running demo.
#[derive(Serialize, Deserialize)]
struct Card {
    address: SocketAddr,
    token: String,
}

/// The end in the running process.
pub(crate) struct Control {
    /// Of the header that opens the door; comparing digests tells nothing about the token.
    expected: [u8; 32],
}

impl Control {
    /// Leaves the address and a new token in the directory.
    pub(crate) fn create(
        directory: &Path,
        address: SocketAddr,
        entropy: &dyn Entropy,
    ) -> Result<Self, Error> {
        let file = directory.join(FILE);
        let card = Card { address, token: format!("{}{}", entropy.uuid(), entropy.uuid()) };
        let text = serde_json::to_vec(&card)
            .map_err(|source| Error::Damaged { path: file.clone(), source })?;
        write_private(&file, &text)?;
        Ok(Self { expected: Sha256::digest(format!("Bearer {}", card.token)).into() })
    }

    /// Whether a request comes from somebody who can read the directory.
    pub(crate) fn admits(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(AUTHORIZATION);
        given.is_some_and(|given| <[u8; 32]>::from(Sha256::digest(given)) == self.expected)
    }
}

/// Why a demo was not reached.
#[derive(Debug, thiserror::Error)]
pub enum Unreachable {
    /// None runs here.
    #[error("no demo runs: there is no {}", file.display())]
    NotRunning { file: PathBuf },
    /// It did not answer.
    #[error("the demo does not answer")]
    Silent(#[source] outbound::Error),
    /// No connection can be made at all.
    #[error("the demo cannot be asked")]
    Client(#[source] outbound::TlsError),
    /// It did not do what it was asked for.
    #[error("the demo refused: {0}")]
    Refused(String),
}

/// The end in another process.
pub struct Remote {
    card: Card,
}

impl Remote {
    /// The demo that runs in a directory.
    pub fn of_directory(directory: &Path) -> Result<Self, Unreachable> {
        let file = directory.join(FILE);
        let text = std::fs::read(&file).ok();
        let card = text.and_then(|text| serde_json::from_slice(&text).ok());
        card.map(|card| Self { card }).ok_or(Unreachable::NotRunning { file })
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.card.address
    }

    /// Asks for a release.
    pub async fn push(&self) -> Result<Release, Unreachable> {
        let answer = self.ask("push").await?;
        serde_json::from_slice(&answer).map_err(|error| Unreachable::Refused(error.to_string()))
    }

    /// Asks the demo to go away.
    pub async fn remove(&self) -> Result<(), Unreachable> {
        self.ask("remove").await.map(drop)
    }

    async fn ask(&self, what: &str) -> Result<bytes::Bytes, Unreachable> {
        // No proxy leads to this machine.
        let client = Outbound::new(outbound::Settings::default())
            .client(&Tls::default())
            .map_err(Unreachable::Client)?;
        let url = format!("http://{}/demo/{what}", self.card.address);
        let request = Request::new(Method::POST, &url)
            .and_then(|request| request.bearer(&self.card.token))
            .map_err(Unreachable::Silent)?;
        let response = client.send(request.within(PATIENCE)).await.map_err(Unreachable::Silent)?;
        let status = response.status();
        let body = response.read_limited(MAX_ANSWER).await.map_err(Unreachable::Silent)?;
        if status.is_success() {
            return Ok(body);
        }
        Err(Unreachable::Refused(String::from_utf8_lossy(&body).trim().to_owned()))
    }
}
