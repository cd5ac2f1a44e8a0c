//! `kargo up`: the whole control plane in one process, on the embedded engine or on a cluster.
//!
//! Components are the same on both: they get a client each ([`components::Clients`]) and cannot tell what is behind it.

mod api;
mod cluster;
mod components;
mod embedded;
mod installation;
mod release;

pub(crate) use self::embedded::{Offline, open_failure};

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use core_clock::{Clock, Entropy, Tasks};
use io_http::{BindError, Listener};
use io_kube::Ports;
use io_runtime::{SystemClock, SystemEntropy, SystemEnvironment, TaskGroup};

use self::{api::ApiArgs, cluster::ClusterArgs, embedded::EmbeddedArgs};
use crate::{
    component::{Doors, Vitals},
    exit::{Exit, Failure},
};

/// From the signal to the end of the process; what has not stopped by then is cut off.
const STOP_GRACE: Duration = Duration::from_secs(4);

/// Start a whole control plane in this process, with no cluster or on one
#[derive(clap::Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct UpArgs {
    #[command(flatten)]
    embedded: EmbeddedArgs,
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(flatten)]
    api: ApiArgs,
}

const EXIT_CODES: &str = "\
Exit codes:
   1  anything without a code of its own
   2  wrong arguments or settings
  20  the port is taken
  21  another process uses the data directory
  22  the disk is full
  23  the database is damaged
  24  a newer version wrote the data directory
  25  the cluster cannot be reached
  26  the user of the kubeconfig may not do what is needed
  27  another installation works on the cluster
  28  the cluster does not reach the webhooks";

/// The ports to the outside world, shared by everything that `up` starts.
#[derive(Clone)]
struct World {
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    tasks: TaskGroup,
    vitals: Vitals,
}

impl World {
    fn new() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let vitals = Vitals::of_process("up", None, &*clock);
        Self { clock, entropy: Arc::new(SystemEntropy), tasks: TaskGroup::new(), vitals }
    }

    /// Tells about health and metrics where the environment asks for it; a laptop has other things on these ports.
    async fn open_doors(&self) -> Result<(), Failure> {
        let doors = Doors::from_environment(&SystemEnvironment, None).map_err(Failure::usage)?;
        let tasks: Arc<dyn Tasks> = Arc::new(self.tasks.clone());
        self.vitals.serve(doors, &self.clock, &tasks).await
    }

    /// The same world with another life for what is started in it.
    fn with_tasks(&self, tasks: TaskGroup) -> Self {
        Self { tasks, ..self.clone() }
    }

    fn ports(&self) -> Ports {
        Ports {
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
            tasks: Arc::new(self.tasks.clone()),
        }
    }
}

pub(crate) fn run(args: &UpArgs) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(async {
        match args.cluster.kubeconfig() {
            Some(kubeconfig) => cluster::serve(&args.cluster, &args.api, kubeconfig).await,
            None => embedded::serve(&args.embedded, &args.api).await,
        }
    });
    // Tasks that ignored the stop must not keep the process.
    runtime.shutdown_timeout(Duration::from_millis(500));
    result
}

/// What a port that cannot be bound means; `flag` chooses another.
fn bind_failure(error: BindError, flag: &str) -> Failure {
    match error {
        BindError::InUse(_) => {
            Failure::new(Exit::PortTaken, error).hint(format!("choose another port with {flag}"))
        }
        _ => Failure::new(Exit::Error, error),
    }
}

async fn bind(address: SocketAddr, flag: &str) -> Result<Listener, Failure> {
    Listener::bind(address).await.map_err(|error| bind_failure(error, flag))
}

/// Where clients on this machine reach a listener that may be bound to all addresses.
fn reachable(address: SocketAddr) -> SocketAddr {
    let loopback: IpAddr = match address {
        SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    if address.ip().is_unspecified() { SocketAddr::new(loopback, address.port()) } else { address }
}
