//! The kinds that the rows work on, which other tests share, and kinds of a row's own.

use anyhow::Result;

pub(crate) use dev_testkit::fixture::{CRDS, GADGETS, WIDGETS};

use crate::world::World;

/// Installs the shared kinds and waits until they are served.
pub(crate) async fn install(world: &World<'_>) -> Result<()> {
    dev_testkit::fixture::install(&world.client()?).await
}

/// Waits until a collection can be listed: kube-apiserver serves a new CRD a moment after its create call.
pub(crate) async fn served(world: &World<'_>, path: &str) -> Result<()> {
    dev_testkit::fixture::served(&world.client()?, path).await
}
