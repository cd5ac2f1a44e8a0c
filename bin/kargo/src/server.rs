//! `kargo server`: the REST API for one person, on their own machine, with the rights of their kubeconfig and no login.

use std::{
    io::{self, Write as _},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use core_clock::Environment;
use io_http::Listener;
use io_kube::{Ports, RequestCounter};
use io_runtime::{SystemClock, SystemEntropy, SystemEnvironment, TaskGroup, stop_signal};
use kube::Client;
use svc_api::Settings;

use crate::{
    api, cluster,
    exit::{Exit, Failure},
};

/// How long requests may take to end.
const DRAIN: Duration = Duration::from_secs(2);

/// Serve the REST API to yourself: with the rights of your kubeconfig, without a login
#[derive(clap::Args, Debug)]
pub(crate) struct ServerArgs {
    /// Where it listens, on this machine alone; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    address: SocketAddr,
    /// Namespace of the installation
    #[arg(long, value_name = "NAMESPACE", default_value = "kargo")]
    kargo_namespace: String,
}

pub(crate) fn run(args: &ServerArgs) -> Result<(), Failure> {
    let settings = args.settings()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(settings));
    runtime.shutdown_timeout(Duration::from_millis(500));
    served
}

impl ServerArgs {
    /// Nobody logs in, so that nobody else may reach it, and Secrets stay out of it.
    fn settings(&self) -> Result<Settings, Failure> {
        if !self.address.ip().is_loopback() {
            let message = format!("whoever reaches {} would have your rights", self.address);
            let hint = "choose an address of this machine alone, such as 127.0.0.1:8080";
            return Err(Failure::usage(message).hint(hint));
        }
        let settings = Settings::from_environment(&SystemEnvironment).map_err(Failure::usage)?;
        Ok(Settings {
            address: self.address,
            tls: None,
            namespace: self.kargo_namespace.clone(),
            secret_management: false,
            admin: None,
            oidc: None,
            rollouts: false,
            is_local: true,
            ..settings
        })
    }
}

async fn serve(settings: Settings) -> Result<(), Failure> {
    let stop = stop_signal()?;
    let tasks = TaskGroup::new();
    let ports = Ports {
        clock: Arc::new(SystemClock::new()),
        entropy: Arc::new(SystemEntropy),
        tasks: Arc::new(tasks.clone()),
    };
    let listener = Listener::bind(settings.address).await;
    let listener = listener.map_err(|error| Failure::new(Exit::PortTaken, error))?;
    let address = listener.address();
    let client = client(&ports).await?;
    let serving = api::start(listener, settings, client, ports).await?;
    writeln!(io::stdout(), "the REST API is on http://{address}; stop it with Ctrl-C")?;
    stop.await;
    serving.stop();
    tasks.shutdown(DRAIN).await;
    Ok(())
}

/// A client for the cluster of `KUBECONFIG`, or of the kubeconfig in the home directory.
async fn client(ports: &Ports) -> Result<Client, Failure> {
    let environment = SystemEnvironment;
    let mut settings = cluster::Settings::from_environment(&environment).map_err(Failure::usage)?;
    if environment.var("KUBECONFIG").is_none()
        && let Some(home) = environment.var("HOME")
    {
        let file = std::path::Path::new(&home).join(".kube").join("config");
        settings = settings.of_kubeconfig(&file, None);
    }
    let config = cluster::config(&settings).await?;
    let counter = RequestCounter::for_host(cluster::host(&config));
    cluster::client(config, &settings, &cluster::command_agent(), counter, ports.clock.clone())
}
