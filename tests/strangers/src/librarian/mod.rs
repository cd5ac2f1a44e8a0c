//! A controller on kube-rs, in two replicas, which comes through crashes of the server that it works with and of its own.
//!
//! It is a project of its own, beside this one: it has its own dependencies, as a stranger's program has.

mod library;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, repository};
use tokio::process::Command;

use self::library::{Library, NAMESPACE};
use crate::{
    place::{Engine, Place},
    program::Program,
};

/// Where the project is, and where it is built.
const PROJECT: &str = "tests/strangers/librarian/Cargo.toml";
const TARGET: &str = "target/strangers";

/// On the embedded engine, whose process is killed four times, and on kube-apiserver, which takes longer to start.
pub(crate) async fn keeps_shelves() -> Result<()> {
    let program = build().await?;
    keeps_on(Engine::Embedded, &program, 4).await.context("on the embedded engine")?;
    keeps_on(Engine::Cluster, &program, 1).await.context("on kube-apiserver")
}

async fn build() -> Result<PathBuf> {
    let (manifest, target) = (repository().join(PROJECT), repository().join(TARGET));
    let mut command = Command::new("cargo");
    command.args(["build", "--quiet", "--locked"]);
    command.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(&target);
    let output = command.output().await.context("cargo")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(target.join("debug/librarian"))
}

/// Shelves are filled, changed under so many kills of the server and one of the leading replica, mended, and taken away.
async fn keeps_on(engine: Engine, program: &Path, kills: usize) -> Result<()> {
    let place = Place::start(engine).await?;
    let library = Library::open(Client::new(&place.kubeconfig()?)?).await?;
    let first = start(program, "first", &place)?;
    library.await_leader("first").await.with_context(|| first.last_words())?;
    let mut second = start(program, "second", &place)?;
    let work = keep(place, &library, kills, first);
    let place = work.await.with_context(|| second.last_words())?;
    // It must not have given up: a cluster would restart it, which would hide that.
    second.is_alive()?;
    second.kill().await?;
    place.stop().await
}

async fn keep(
    mut place: Place,
    library: &Library,
    kills: usize,
    mut leader: Program,
) -> Result<Place> {
    library.name_books("Latin", "liber").await?;
    library.put_up("Latin", 2).await?;
    library.await_books("Latin", "liber", 2).await?;
    library.name_books("Latin", "volumen").await?;
    library.await_books("Latin", "volumen", 2).await?;
    for kill in 0..kills {
        let (language, books) = (format!("language-{kill}"), kill % 3 + 1);
        library.name_books(&language, &format!("book {kill}")).await?;
        library.change(&language, books).await?;
        place = place.kill_and_start().await?;
        library.await_books(&language, &format!("book {kill}"), books).await?;
    }
    leader.is_alive()?;
    leader.kill().await?;
    library.change("Latin", 3).await?;
    library.await_leader("second").await?;
    library.await_books("Latin", "volumen", 3).await?;
    library.lose_a_book().await?;
    library.deface_a_book().await?;
    library.take_down().await?;
    Ok(place)
}

fn start(program: &Path, identity: &str, place: &Place) -> Result<Program> {
    let mut command = Command::new(program);
    command.arg("--kubeconfig").arg(place.kubeconfig()?.path);
    command.args(["--namespace", NAMESPACE, "--identity", identity, "--lease", place.lease()]);
    Program::start(&format!("librarian-{identity}"), command, place.directory())
}
