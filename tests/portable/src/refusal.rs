//! What is refused, in one line and with a remedy, before anything is written.

use std::path::Path;

use anyhow::{Result, ensure};
use dev_testkit::Client;

use crate::{
    census::Census,
    command::{fails, kargo, succeeds, text},
    pipeline::{BACKUP, PASSPHRASE, SECOND_BACKUP},
    world::World,
};

/// Bad files, and a control plane that works.
pub(crate) async fn refused(world: &World) -> Result<()> {
    let (file, first) = (world.path(BACKUP), world.path("first"));
    let (new, passphrase) = (world.path("never"), text(&world.path(PASSPHRASE)));
    let restore = async |file: &Path, more: &[&str], code, words: &str| {
        let (file, new) = (text(file), text(&new));
        let mut arguments = vec!["restore", file.as_str(), "--data-dir", &new];
        arguments.extend(more);
        fails(&arguments, code, words).await
    };
    restore(&file, &[], 1, "are sealed: no key was given").await?;
    let wrong = text(&written(world, "wrong", b"wrong\n")?);
    restore(&file, &["--passphrase-file", &wrong], 1, "the passphrase is wrong").await?;
    let whole = std::fs::read(&file)?;
    let cut = written(world, "cut.tar.gz", &whole[..whole.len() / 2])?;
    let key = ["--passphrase-file", passphrase.as_str()];
    restore(&cut, &key, 23, "is not a whole portable backup").await?;
    let mut tampered = whole.clone();
    tampered[whole.len() / 2] ^= 1;
    restore(
        &written(world, "tampered.tar.gz", &tampered)?,
        &key,
        23,
        "is not a whole portable backup",
    )
    .await?;
    let notes = written(world, "notes.txt", b"buy milk\n")?;
    restore(&notes, &key, 23, "notes.txt is neither a snapshot nor a portable backup").await?;
    ensure!(!new.exists(), "a bad file made a directory");
    let missing = text(&world.path("nowhere"));
    fails(
        &["backup", "--portable", &text(&world.path("x")), "--data-dir", &missing],
        2,
        "is not the data directory",
    )
    .await?;
    let busy = world.path("busy");
    let kargo = world.up(&busy).await?;
    let (file, admin) = (text(&file), text(&kargo.kubeconfig().path));
    let (busy, first) = (text(&busy), text(&first));
    let onto = async |place: [&str; 2], code, words: &str| {
        fails(&[["restore", file.as_str()], place, [key[0], key[1]]].concat(), code, words).await
    };
    onto(["--data-dir", &busy], 21, "is in use by process").await?;
    onto(["--kubeconfig", &admin], 27, "a running kargo up").await?;
    let (cluster, snapshot) = (text(&world.cluster().path), text(&world.path("snapshot")));
    fails(&["migrate", "--from", &busy, "--to", &cluster], 21, "is in use by process").await?;
    succeeds(&["backup", "--snapshot", &snapshot, "--data-dir", &busy]).await?;
    fails(&["restore", &snapshot, "--kubeconfig", &cluster], 2, "is a snapshot").await?;
    ensure!(kargo.stop().await? == Some(0), "kargo up did not stop well");
    onto(["--data-dir", &first], 1, "the target is not empty").await
}

/// A cluster that has something already, and one whose user may not write.
pub(crate) async fn of_cluster(world: &World) -> Result<()> {
    let target = world.cluster();
    let client = Client::new(target)?;
    let before = Census::take(&client).await?;
    let config = std::fs::read_to_string(&target.path)?;
    let cluster = text(&target.path);
    let nobody = config.replace(&target.token, "nobody");
    let nobody = text(&written(world, "nobody.kubeconfig", nobody.as_bytes())?);
    let away = config.replace(&target.server, "https://127.0.0.1:1");
    let away = text(&written(world, "away.kubeconfig", away.as_bytes())?);
    // A backup that was never restored there.
    let other = text(&world.path(SECOND_BACKUP));
    let onto = async |kubeconfig: &str, code, words: &str| {
        fails(&["restore", &other, "--kubeconfig", kubeconfig], code, words).await
    };
    onto(&cluster, 1, "the target is not empty").await?;
    onto(&nobody, 26, "cannot").await?;
    onto(&away, 25, "cannot").await?;
    before.ensure_same(&Census::take(&client).await?)?;
    // What has moved on since it was restored is not taken back; nor does what is added replace anything.
    named(world, &cluster, &[]).await?;
    named(world, &cluster, &["--merge"]).await?;
    before.ensure_same(&Census::take(&client).await?)
}

/// Restores the first backup into the cluster, which names the objects that say something else now.
async fn named(world: &World, cluster: &str, more: &[&str]) -> Result<()> {
    let (file, passphrase) = (text(&world.path(BACKUP)), text(&world.path(PASSPHRASE)));
    let restore = ["restore", &file, "--passphrase-file", &passphrase, "--kubeconfig", cluster];
    let output = kargo(&[&restore, more].concat())?.output().await?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.code() == Some(29), "{:?}: {told}", output.status.code());
    ensure!(told.contains("refused: Stage demo/prod: the target has another one"), "{told}");
    ensure!(!told.contains("refused: Secret"), "{told}");
    Ok(())
}

fn written(world: &World, name: &str, bytes: &[u8]) -> Result<std::path::PathBuf> {
    let path = world.path(name);
    std::fs::write(&path, bytes)?;
    Ok(path)
}
