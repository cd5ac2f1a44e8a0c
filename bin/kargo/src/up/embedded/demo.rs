//! The demo beside the control plane: its servers, its Project, and what a person is told to type.

use std::{
    io::{self, Write},
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use emb_apiserver::ApiServer;
use emb_auth::Identity;
use io_http::Listener;
use io_runtime::SystemEnvironment;
use kube::Client;
use local_demo::{Demo, PROJECT, Parts};

use super::{EmbeddedArgs, Ground};
use crate::{
    demo::folder,
    directory::Directory,
    exit::{Exit, Failure},
    up::bind,
};

/// The port of the demo, if one is asked for. Nobody but this machine is to reach it.
pub(super) async fn listen(args: &EmbeddedArgs) -> Result<Option<Listener>, Failure> {
    if !args.demo {
        return Ok(None);
    }
    let address = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), args.demo_port);
    bind(address, "--demo-port").await.map(Some)
}

/// Serves the demo, and puts its Project in place. It changes the control plane as its administrator would.
pub(super) async fn start(
    listener: Listener,
    server: &ApiServer,
    ground: &Ground<'_>,
) -> Result<Demo, Failure> {
    let directory = folder(ground.directory.path());
    let failed = |error: local_demo::Error| {
        Failure::new(Exit::Error, error).hint(format!(
            "the demo is kept in {}; start without --demo to do without it",
            directory.display()
        ))
    };
    let parts = Parts {
        directory: directory.clone(),
        listener,
        client: Client::new(server.client_service(Identity::admin()), "default"),
        ports: ground.world.ports(),
        environment: Arc::new(SystemEnvironment),
    };
    let demo = Demo::start(parts).await.map_err(failed)?;
    demo.install().await.map_err(failed)?;
    Ok(demo)
}

/// What there is to see, as commands to copy.
pub(super) fn print(out: &mut impl Write, directory: &Directory) -> io::Result<()> {
    writeln!(out, "  kubectl get stages,freight,promotions -n {PROJECT}")?;
    writeln!(out)?;
    writeln!(
        out,
        "Freight goes into dev and staging by itself. Promote what staging has verified to prod:"
    )?;
    writeln!(out, "  kubectl create -f - <<EOF")?;
    write!(out, "{PROMOTION}")?;
    writeln!(out, "EOF")?;
    writeln!(out)?;
    writeln!(out, "Make a new commit and image appear, and watch them go the same way:")?;
    writeln!(out, "  {} demo push --data-dir {}", program(), directory.path().display())
}

/// This program, as it can be called from anywhere.
fn program() -> String {
    let path = std::env::current_exe().ok();
    path.map_or_else(|| "kargo".to_owned(), |path| path.display().to_string())
}

/// Asks for the newest Freight that may enter prod.
const PROMOTION: &str = "\
apiVersion: kargo.akuity.io/v1alpha1
kind: Promotion
metadata:
  generateName: prod-
  namespace: demo
spec:
  stage: prod
  origin: {kind: Warehouse, name: guestbook}
";
