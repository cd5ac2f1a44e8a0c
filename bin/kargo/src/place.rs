//! A control plane that is saved, restored or moved: a data directory, or the API server of a kubeconfig.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use core_clock::Clock;
use io_kube::status_code;
use io_runtime::{SystemClock, SystemEnvironment};
use kube::{Client, client::ClientBuilder};
use local_portable::{CollectOptions, Collection, Error, Namespaces, archive::Key, collect};

use crate::{
    cluster,
    exit::{Exit, Failure},
    file::read_file,
    settings::DataDirArg,
    up::Offline,
    version,
};

/// The file by which a data directory is known.
const DATABASE: &str = "store.db";
/// The kubeconfig that a running `kargo up` has in its data directory.
const ADMIN: &str = "admin.kubeconfig";

/// Which control plane.
#[derive(clap::Args, Debug)]
pub(crate) struct PlaceArgs {
    #[command(flatten)]
    data_dir: DataDirArg,
    /// The cluster of this kubeconfig instead of a data directory
    #[arg(long, value_name = "FILE", conflicts_with = "data_dir")]
    kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig, if not its current one
    #[arg(long, value_name = "NAME", requires = "kubeconfig")]
    context: Option<String>,
    #[command(flatten)]
    keys: KeysArg,
}

/// The keys of a data directory whose Secrets are encrypted.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct KeysArg {
    /// File with the keys that the data directory was encrypted with, as `kargo up` has it
    #[arg(long, value_name = "FILE")]
    encryption_key_file: Option<PathBuf>,
}

impl KeysArg {
    /// The file, if there is one.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        self.encryption_key_file.clone()
    }
}

impl PlaceArgs {
    /// Whether a cluster is meant.
    pub(crate) fn is_cluster(&self) -> bool {
        self.kubeconfig.is_some()
    }

    /// The data directory.
    pub(crate) fn directory(&self) -> Result<PathBuf, Failure> {
        self.data_dir.resolve(&SystemEnvironment)
    }

    /// The place.
    pub(crate) fn place(&self) -> Result<Place, Failure> {
        Ok(match &self.kubeconfig {
            Some(file) => {
                Place::Cluster { kubeconfig: file.clone(), context: self.context.clone() }
            }
            None => Place::Directory { path: self.directory()?, keys: self.keys.file() },
        })
    }
}

/// A control plane that may be elsewhere.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// An embedded one.
    Directory {
        /// Its data directory.
        path: PathBuf,
        /// The keys of its Secrets, where they are encrypted.
        keys: Option<PathBuf>,
    },
    /// One on a cluster.
    Cluster {
        /// The way there.
        kubeconfig: PathBuf,
        /// Which of the ways in that file.
        context: Option<String>,
    },
}

impl Place {
    /// A directory is a data directory, a file a kubeconfig. What is not there yet becomes a directory.
    pub(crate) fn of_path(path: &Path, context: Option<&str>, keys: &KeysArg) -> Self {
        let (path, context) = (path.to_owned(), context.map(str::to_owned));
        if path.is_file() {
            return Self::Cluster { kubeconfig: path, context };
        }
        Self::Directory { path, keys: keys.file() }
    }

    /// Opens it as it is, also while it runs.
    pub(crate) async fn open_to_read(&self) -> Result<Opened, Failure> {
        let Self::Directory { path, .. } = self else { return self.open_still().await };
        match self.open_still().await {
            Err(failure) if failure.exit() == Exit::DataDirectoryLocked => {
                let kubeconfig = path.join(ADMIN);
                let mut opened = connect(&kubeconfig, None).await?;
                opened.shown = path.display().to_string();
                Ok(opened)
            }
            opened => opened,
        }
    }

    /// Opens one that must be there and that no process has open.
    pub(crate) async fn open_still(&self) -> Result<Opened, Failure> {
        if let Self::Directory { path, .. } = self {
            let hint = "name it with --data-dir, or a cluster with --kubeconfig";
            require_store(path).map_err(|failure| failure.hint(hint))?;
        }
        self.open_to_write().await
    }

    /// Opens one that is to be changed; a directory may be new.
    pub(crate) async fn open_to_write(&self) -> Result<Opened, Failure> {
        match self {
            Self::Cluster { kubeconfig, context } => connect(kubeconfig, context.clone()).await,
            Self::Directory { path, keys } => {
                let offline = Offline::open(path, keys.as_deref()).await?;
                Ok(Opened {
                    client: offline.client(),
                    clock: Arc::new(SystemClock::new()),
                    shown: path.display().to_string(),
                    offline: Some(offline),
                })
            }
        }
    }
}

/// The way to whoever has a data directory open; `None` where nobody ever had.
pub(crate) async fn running(directory: &Path) -> Result<Option<Client>, Failure> {
    let kubeconfig = directory.join(ADMIN);
    if !kubeconfig.is_file() {
        return Ok(None);
    }
    Ok(Some(connect(&kubeconfig, None).await?.client))
}

async fn connect(kubeconfig: &Path, context: Option<String>) -> Result<Opened, Failure> {
    let settings = cluster::Settings::from_environment(&SystemEnvironment)
        .map_err(Failure::usage)?
        .of_kubeconfig(kubeconfig, context);
    let config = cluster::config(&settings).await?;
    let shown = config.cluster_url.to_string();
    let builder =
        ClientBuilder::try_from(config).map_err(|error| Failure::new(Exit::Error, error))?;
    let client = builder.with_layer(&cluster::command_agent()).build();
    Ok(Opened { client, clock: Arc::new(SystemClock::new()), shown, offline: None })
}

/// A control plane that can be read and written.
pub(crate) struct Opened {
    pub(crate) client: Client,
    pub(crate) clock: Arc<dyn Clock>,
    /// Where it is, as a person knows it.
    pub(crate) shown: String,
    offline: Option<Offline>,
}

impl Opened {
    /// Whether nobody but us reaches it.
    pub(crate) fn is_offline(&self) -> bool {
        self.offline.is_some()
    }

    /// Everything that belongs to it.
    pub(crate) async fn collect(&self, analysis_runs: bool) -> Result<Collection, Failure> {
        let options = CollectOptions {
            namespaces: Namespaces::from_environment(&SystemEnvironment),
            analysis_runs,
            kargo: version::number(),
            source: self.shown.clone(),
        };
        collect(&self.client, &*self.clock, &options).await.map_err(failure)
    }

    /// Lets go of it, with everything on disk.
    pub(crate) async fn close(self) {
        if let Some(offline) = self.offline {
            offline.close().await;
        }
    }
}

/// What opens sealed Secrets.
#[derive(clap::Args, Debug)]
pub(crate) struct KeyArgs {
    /// File with the passphrase that the Secrets were sealed with
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
    /// File with the age identity that the Secrets were sealed for
    #[arg(long, value_name = "FILE", conflicts_with = "passphrase_file")]
    identity: Option<PathBuf>,
}

impl KeyArgs {
    /// The key, if there is one.
    pub(crate) fn key(&self) -> Result<Option<Key>, Failure> {
        let key = match (&self.passphrase_file, &self.identity) {
            (Some(file), _) => Key::passphrase(&read_file(file)?),
            (None, Some(file)) => Key::identities(&read_file(file)?),
            (None, None) => return Ok(None),
        };
        key.map(Some).map_err(failure)
    }
}

/// Runs what talks to control planes.
pub(crate) fn block_on(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(work);
    runtime.shutdown_timeout(Duration::from_millis(500));
    result
}

/// What went wrong, with the code and the remedy that belong to it.
pub(crate) fn failure(error: Error) -> Failure {
    let exit = match &error {
        Error::Key(_) => Exit::Usage,
        Error::File { source, .. } if source.kind() == std::io::ErrorKind::StorageFull => {
            Exit::DiskFull
        }
        Error::TargetFull(_) => Exit::DiskFull,
        Error::Damaged { .. } => Exit::Damaged,
        Error::NewerFormat { .. } => Exit::NewerFormat,
        Error::Forbidden(_) => Exit::ClusterForbids,
        Error::Working(_) | Error::Running => Exit::ClusterTaken,
        Error::Api { source, .. } => match status_code(source) {
            Some(401 | 403) => Exit::ClusterForbids,
            Some(_) => Exit::Error,
            None => Exit::ClusterUnreachable,
        },
        _ => Exit::Error,
    };
    let hint = error.hint().or_else(|| {
        (exit == Exit::DiskFull)
            .then(|| "free some space on that disk, then run the command again".to_owned())
    });
    let failure = Failure::new(exit, error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Refuses a directory that holds no store.
pub(crate) fn require_store(directory: &Path) -> Result<(), Failure> {
    if directory.join(DATABASE).is_file() {
        return Ok(());
    }
    let missing = format!("{} is not the data directory of a control plane", directory.display());
    Err(Failure::usage(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_kubeconfig_and_anything_else_a_directory() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("kubeconfig");
        std::fs::write(&file, "").unwrap();
        let keys = KeysArg { encryption_key_file: None };
        let place = |path: &Path| Place::of_path(path, None, &keys);
        assert!(matches!(place(&file), Place::Cluster { .. }));
        assert!(matches!(place(directory.path()), Place::Directory { .. }));
        assert!(matches!(place(&directory.path().join("new")), Place::Directory { .. }));
    }
}
