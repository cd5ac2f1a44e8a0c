//! The demo of `kargo up`: everything a promotion pipeline needs, on this machine and without a network.
//!
//! One server on the loopback interface has a Git repository, a registry of images and an application that runs in each
//! Stage what the branch of that Stage says. A Project promotes new releases through dev and staging to prod.
//! [`Demo::push`] makes a release: a commit and an image. Everything is kept in one directory and survives a restart.

mod application;
mod control;
mod error;
mod image;
mod object;
mod registry;
mod release;
mod reply;
mod repository;
mod server;
mod smart_http;
#[cfg(test)]
mod tests;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use core_clock::{Environment, Time};
use io_exec::Exec;
use io_http::Listener;
use io_kube::Ports;
use jiff::Timestamp;
use kube::Client;

pub use self::{
    control::{Remote, Unreachable},
    error::Error,
    release::Release,
};

use self::{control::Control, release::Releases, repository::Repository};

/// The Project of the demo.
pub const PROJECT: &str = "demo";
/// Its Warehouse, and what it is about.
pub const APPLICATION: &str = "guestbook";

/// What a demo works with.
pub struct Parts {
    /// Where it is kept.
    pub directory: PathBuf,
    /// Where it is served; loopback only.
    pub listener: Listener,
    /// The control plane, as somebody who may make and change the Project.
    pub client: Client,
    pub ports: Ports,
    /// Where programs are found.
    pub environment: Arc<dyn Environment>,
}

/// A running demo. Clones are the same.
#[derive(Clone)]
pub struct Demo {
    shared: Arc<Shared>,
}

struct Shared {
    directory: PathBuf,
    address: SocketAddr,
    client: Client,
    ports: Ports,
    repository: Repository,
    releases: Releases,
    /// One change at a time.
    turn: tokio::sync::Mutex<()>,
}

impl Demo {
    /// Opens what is kept in the directory, with a first release when there is none, and serves it until the tasks stop.
    pub async fn start(parts: Parts) -> Result<Self, Error> {
        let Parts { directory, listener, client, ports, environment } = parts;
        let address = listener.address();
        let exec = Exec::new(ports.clock.clone(), ports.tasks.clone());
        let repository =
            Repository::open(&directory.join("guestbook.git"), exec, environment).await?;
        let releases = Releases::open(&directory)?;
        let control = Control::create(&directory, address, &*ports.entropy)?;
        let shared = Shared {
            directory,
            address,
            client,
            ports: ports.clone(),
            repository,
            releases,
            turn: tokio::sync::Mutex::default(),
        };
        let demo = Self { shared: Arc::new(shared) };
        if demo.shared.releases.list().is_empty() {
            demo.release().await?;
        }
        server::serve(demo.clone(), control, listener, &ports);
        Ok(demo)
    }

    /// Where it is served.
    pub fn address(&self) -> SocketAddr {
        self.shared.address
    }

    /// Puts the Project and its objects in place. What is there stays as it is, unless it belongs to another address.
    pub async fn install(&self) -> Result<(), Error> {
        let Shared { client, address, ports, .. } = &*self.shared;
        object::install(client, *address, ports).await
    }

    /// Makes a release, and lets the Warehouse look for it.
    pub async fn push(&self) -> Result<Release, Error> {
        let _turn = self.shared.turn.lock().await;
        let release = self.release().await?;
        object::refresh(&self.shared.client, &release).await?;
        Ok(release)
    }

    /// Takes the Project away, and everything that is kept for it.
    pub async fn remove(&self) -> Result<(), Error> {
        let _turn = self.shared.turn.lock().await;
        object::remove(&self.shared.client).await?;
        self.shared.releases.clear();
        remove_directory(&self.shared.directory)
    }

    /// The image last: whoever sees it also finds the commit.
    async fn release(&self) -> Result<Release, Error> {
        let Shared { releases, repository, ports, .. } = &*self.shared;
        let now = ports.clock.now();
        let number = releases.next_number();
        let commit = repository.commit(number, now).await?;
        releases.add(Release { number, created: timestamp(now), commit })
    }
}

fn timestamp(time: Time) -> Timestamp {
    Timestamp::from_second(time.as_seconds()).unwrap_or_default()
}

fn remove_directory(path: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::Directory { path: path.to_owned(), source: error })
        }
        _ => Ok(()),
    }
}
