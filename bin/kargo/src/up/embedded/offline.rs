//! The embedded engine with nobody else at it: no components, no rules, no network. For `kargo restore` and its kin.

use std::{ffi::OsStr, path::Path, sync::Arc};

use clap::Parser;
use emb_apiserver::ApiServer;
use emb_auth::Identity;
use emb_store::Store;
use io_runtime::SystemEnvironment;
use kube::Client;
use svc_admission::Rules;
use tower::Layer;

use super::{EmbeddedArgs, Ground, Installation, Keys, Neighbours, Opened, open, start_api};
use crate::{
    cluster,
    directory::Directory,
    exit::Failure,
    up::{STOP_GRACE, World, release::once_released},
};

/// What another process is told about whoever has the directory.
const HOLDER: &str = "no address: it is saved, restored or moved";

/// A data directory that is open in this process alone.
pub(crate) struct Offline {
    server: Arc<ApiServer>,
    store: Arc<Store>,
    world: World,
}

/// The settings of `kargo up`, all at their defaults.
#[derive(Parser)]
struct Defaults {
    #[command(flatten)]
    embedded: EmbeddedArgs,
}

impl Offline {
    /// Opens a data directory, and makes it when it is missing. Fails while another process has it open. Where Secrets are
    /// encrypted, the keys are in `keys`.
    pub(crate) async fn open(path: &Path, keys: Option<&Path>) -> Result<Self, Failure> {
        let args = defaults(keys)?;
        let world = World::new();
        let directory = Directory::open(path).map_err(|error| {
            Failure::from(error)
                .hint(format!("{} must be a directory that you may write to", path.display()))
        })?;
        let open = async || open::open(&args, &directory, HOLDER, &world);
        let Opened { store, .. } = once_released(&*world.clock, open).await?;
        let keys = Keys::load(&directory, &*world.clock, &*world.entropy)?;
        let neighbours = Neighbours { rollouts: true, argocd: false };
        let installation = Installation::new(&SystemEnvironment, neighbours);
        let ground = Ground {
            world: &world,
            installation: &installation,
            directory: &directory,
            address: ([127, 0, 0, 1], 0).into(),
            store: &store,
            keys: &keys,
            audit: None,
            replica: None,
        };
        // Rules that nobody enforces let everything through.
        let server = start_api(&args, &ground, Arc::new(Rules::default())).await?;
        Ok(Self { server, store, world })
    }

    /// A client that may do everything.
    pub(crate) fn client(&self) -> Client {
        let service = self.server.client_service(Identity::admin());
        Client::new(cluster::command_agent().layer(service), "default")
    }

    /// Closes the directory, with everything on disk.
    pub(crate) async fn close(self) {
        self.world.tasks.shutdown(STOP_GRACE).await;
        self.store.close();
    }
}

/// The settings of `kargo up`, at their defaults but for the keys.
fn defaults(keys: Option<&Path>) -> Result<EmbeddedArgs, Failure> {
    let program = [OsStr::new("kargo")].into_iter();
    let keys = keys.map(|keys| [OsStr::new("--encryption-key-file"), keys.as_os_str()]);
    let arguments = program.chain(keys.into_iter().flatten());
    Ok(Defaults::try_parse_from(arguments).map_err(Failure::usage)?.embedded)
}
