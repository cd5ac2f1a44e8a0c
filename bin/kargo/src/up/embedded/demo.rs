//! The demo beside the control plane: its servers and its Project.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use emb_apiserver::ApiServer;
use emb_auth::Identity;
use io_http::Listener;
use io_runtime::SystemEnvironment;
use kube::Client;
use local_demo::{Demo, Parts};

use super::{EmbeddedArgs, Ground};
use crate::{
    demo::folder,
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
