//! The REST API of `kargo up`: served on a port of its own, with an administrator whose password is told once, and a
//! login for the command line of this machine.

mod account;
mod login;

use std::{
    io::{self, Write},
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

use core_clock::Environment;
use core_rules::access::Component;
use io_http::Listener;
use io_runtime::SystemEnvironment;
use svc_api::{Serving, Settings};

use self::{account::Account, login::LocalLogin};
use super::{
    World, bind, components::Clients, installation::Installation, reachable, release::once_released,
};
use crate::{
    api,
    directory::Directory,
    exit::{Exit, Failure},
};

/// Where people expect it.
pub(super) const PORT: u16 = 8080;
/// How long the first lists may take before people are told that all is ready.
const SYNC: Duration = Duration::from_secs(15);

/// How the REST API is served.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "REST API")]
pub(crate) struct ApiArgs {
    /// Address of the REST API
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    api_address: IpAddr,
    /// Port of the REST API; 0 picks a free one [default: 8080, or a free one if that is taken]
    #[arg(long, value_name = "PORT")]
    api_port: Option<u16>,
    /// File with the administrator's password [default: one that is made and printed at the first start]
    #[arg(long, value_name = "FILE")]
    admin_password_file: Option<PathBuf>,
}

impl ApiArgs {
    /// Takes the port, so that a taken one is told before anything else happens. One that nobody asked for is only
    /// preferred.
    pub(super) async fn listen(&self, preferred: u16, world: &World) -> Result<Bound, Failure> {
        let bind_to = async |port: u16| {
            let address = SocketAddr::new(self.api_address, port);
            once_released(&*world.clock, async || bind(address, "--api-port").await).await
        };
        let wanted = self.api_port.unwrap_or(preferred);
        let (listener, missed) = match bind_to(wanted).await {
            Err(failure) if failure.exit() == Exit::PortTaken && self.api_port.is_none() => {
                (bind_to(0).await?, Some(wanted))
            }
            bound => (bound?, None),
        };
        Ok(Bound { listener, missed })
    }
}

/// A port of one's own.
pub(super) struct Bound {
    listener: Listener,
    /// The port that people expect, where another process has it.
    missed: Option<u16>,
}

/// A REST API that is served.
pub(crate) struct Running {
    url: String,
    /// The port that people expect, where another process has it.
    missed: Option<u16>,
    /// The administrator's password, where it was made just now.
    password: Option<String>,
    /// Where the command line finds its login.
    login: Option<PathBuf>,
}

/// What a REST API stands on.
pub(super) struct Place<'a> {
    pub(super) clients: &'a dyn Clients,
    pub(super) installation: &'a Installation,
    /// Where what must outlast a restart is kept.
    pub(super) directory: &'a Path,
    /// The Project that the command line is to begin with.
    pub(super) project: Option<&'static str>,
    pub(super) world: &'a World,
}

/// Serves on the port.
pub(super) async fn start(
    args: &ApiArgs,
    Bound { listener, missed }: Bound,
    place: Place<'_>,
) -> Result<Running, Failure> {
    let Place { clients, installation, directory, world, .. } = place;
    let environment = installation.environment(&SystemEnvironment);
    let mut settings = Settings::from_environment(&environment).map_err(Failure::usage)?;
    settings.address = listener.address();
    let mut password = None;
    if settings.admin.is_none() && environment.var("ADMIN_ACCOUNT_ENABLED").is_none() {
        let directory = Directory::open(directory)?;
        let given = args.admin_password_file.as_deref();
        let account = Account::load(&directory, given, &*world.entropy)?;
        (settings.admin, password) = (Some(account.settings), account.first_password);
    }
    warn_of_strangers(&settings);
    let url = url(&settings);
    let client = clients.client(Component::Api);
    let serving = api::start(listener, settings, client, world.ports()).await?;
    world.vitals.add(serving.clone());
    await_lists(&serving, world).await;
    let login = LocalLogin::new(&SystemEnvironment, &url, place.project);
    let login = login.and_then(|login| login.keep(&serving, world));
    Ok(Running { url, missed, password, login })
}

/// Waits for the first lists, but not for ever: until they are there, requests are told so.
async fn await_lists(serving: &Serving, world: &World) {
    tokio::select! {
        () = serving.synced() => {}
        () = world.clock.sleep(SYNC) => tracing::warn!("the REST API is not ready yet"),
    }
}

/// Passwords and tokens must not cross a network that others read.
fn warn_of_strangers(settings: &Settings) {
    if settings.tls.is_none() && !settings.address.ip().is_loopback() {
        tracing::warn!(
            address = %settings.address,
            "other machines reach the REST API without TLS; set TLS_ENABLED, TLS_CERT_PATH and TLS_KEY_PATH"
        );
    }
}

/// Where programs on this machine reach it.
fn url(settings: &Settings) -> String {
    let scheme = if settings.tls.is_some() { "https" } else { "http" };
    format!("{scheme}://{}{}", reachable(settings.address), settings.base_path.as_str())
}

impl Running {
    /// The lines of a banner.
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let logged_in = match self.login {
            Some(_) => "; the command line on this machine is logged in",
            None => "",
        };
        writeln!(out, "  REST API        {}{logged_in}", self.url)?;
        if let Some(missed) = self.missed {
            writeln!(
                out,
                "                  not on port {missed}, which another process uses; choose one with --api-port"
            )?;
        }
        if let Some(password) = &self.password {
            writeln!(out, "  admin password  {password} (shown this once)")?;
        }
        Ok(())
    }
}
