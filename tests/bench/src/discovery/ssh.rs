//! The same over SSH: an unchanged repository costs one `ssh`.

use anyhow::{Result, ensure};
use core_rules::credential::{Credential, Secret};
use dev_testkit::server::{SshServer, missing_sshd};
use serde_json::json;

use super::world::{Options, Warehouse, World};
use crate::report::{Report, Row};

pub(super) async fn measure(report: &mut Report) -> Result<()> {
    if let Some(reason) = missing_sshd() {
        println!("{reason}");
        return Ok(());
    }
    let directory = tempfile::tempdir()?;
    let server = SshServer::start().await?;
    server.repository("app")?.grow("main", 10)?;
    let credential = Some(Credential::SshKey(Secret::new(server.client_key()?)));
    let world = World::open(directory.path(), Options { credential, ..Options::default() }).await?;
    let mut warehouse = Warehouse::git("ssh", &server.url("app"), json!({"branch": "main"}))?;
    ensure!(warehouse.newest_commit(&world.discovery).await?.is_some(), "nothing over SSH");
    let before = world.programs.started()?;
    warehouse.newest_commit(&world.discovery).await?;
    let started = world.programs.started()? - before;
    report.add(Row::exactly("programs started for it over SSH", started as f64, 1.0));
    Ok(())
}
