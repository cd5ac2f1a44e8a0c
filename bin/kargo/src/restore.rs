//! `kargo restore`: a snapshot or a replica becomes the state of a data directory; a portable backup goes into either
//! engine.

use std::{
    fmt::Display,
    io::Write,
    path::{Path, PathBuf},
};

use io_runtime::{SystemClock, SystemEntropy};
use local_portable::{
    Collection, archive,
    restore::{Report, RestoreOptions, Unfinished, restore},
};

use crate::{
    exit::{Exit, Failure},
    place::{KeyArgs, Opened, PlaceArgs, block_on, failure},
    replica, up,
};

/// Put a saved state into a data directory or a cluster
#[derive(clap::Args, Debug)]
pub(crate) struct RestoreArgs {
    /// What `kargo backup` has written, or the address of the replica of a `kargo up --replica`
    #[arg(value_name = "FILE|URL")]
    file: PathBuf,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    how: HowArgs,
    /// Add what is missing to a control plane that has objects of its own, which stay as they are
    #[arg(long)]
    merge: bool,
}

/// How objects are put into a control plane.
#[derive(clap::Args, Debug)]
pub(crate) struct HowArgs {
    /// Let Promotions that had not ended go on, instead of ending them as Aborted
    #[arg(long)]
    resume: bool,
    /// Install the kinds of analysis where they are missing; Argo Rollouts brings its own
    #[arg(long)]
    install_analysis_kinds: bool,
}

impl HowArgs {
    /// What becomes of Promotions that had not ended.
    pub(crate) fn unfinished(&self) -> Unfinished {
        if self.resume { Unfinished::Resumed } else { Unfinished::Aborted }
    }

    /// Puts a collection into a control plane.
    pub(crate) async fn restore(
        &self,
        target: &Opened,
        collection: &Collection,
        merge: bool,
    ) -> Result<Report, Failure> {
        let options = RestoreOptions {
            unfinished: self.unfinished(),
            merge,
            analysis_kinds: self.install_analysis_kinds,
            is_offline: target.is_offline(),
        };
        restore(&target.client, &*target.clock, collection, &options).await.map_err(failure)
    }
}

pub(crate) fn run(args: &RestoreArgs) -> Result<(), Failure> {
    if let Some(url) = args.file.to_str().filter(|text| text.contains("://")) {
        return block_on(of_replica(args, url));
    }
    if archive::is_archive(&args.file).map_err(failure)? {
        return block_on(portable(args));
    }
    if !emb_store::is_snapshot(&args.file)? {
        let told = format!("{} is neither a snapshot nor a portable backup", args.file.display());
        return Err(Failure::new(Exit::Damaged, told)
            .hint("pass a file that `kargo backup` has written, as it was written"));
    }
    if args.place.is_cluster() {
        let told =
            format!("{} is a snapshot, which only a data directory takes", args.file.display());
        return Err(Failure::usage(told).hint(
            "restore it into a data directory, and move that with `kargo migrate`; or make a backup with --portable",
        ));
    }
    snapshot(args)
}

fn snapshot(args: &RestoreArgs) -> Result<(), Failure> {
    put_in_place(&args.file, &args.place.directory()?, &args.file.display())
}

/// The newest state of a replica.
async fn of_replica(args: &RestoreArgs, url: &str) -> Result<(), Failure> {
    let address = url.parse().map_err(Failure::usage)?;
    if args.place.is_cluster() {
        return Err(Failure::usage(
            "a replica is restored into a data directory, not into a cluster",
        )
        .hint("restore it into a data directory, and move that with `kargo migrate`"));
    }
    let directory = args.place.directory()?;
    let fetched = replica::fetch(&address, &directory).await?;
    let shown = format!("{address}, as it was at revision {},", fetched.revision);
    put_in_place(&fetched.file, &directory, &shown)
}

fn put_in_place(file: &Path, directory: &Path, shown: &dyn Display) -> Result<(), Failure> {
    let restored = emb_store::restore(file, directory, &SystemClock::new(), &SystemEntropy)
        .map_err(up::open_failure)?;
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "restored {shown} into {}", directory.display())?;
    writeln!(stdout, "revisions go on at {}, so every client lists anew", restored.revision)?;
    if let Some(replaced) = restored.replaced {
        writeln!(stdout, "what was there before is kept in {}", replaced.display())?;
    }
    Ok(())
}

async fn portable(args: &RestoreArgs) -> Result<(), Failure> {
    // All of the file is known to be good before the target is touched.
    let collection = archive::read(&args.file, args.key.key()?.as_ref()).map_err(failure)?;
    let target = args.place.place()?.open_to_write().await?;
    let restored = args.how.restore(&target, &collection, args.merge).await;
    let shown = target.shown.clone();
    target.close().await;
    let report = restored?;
    write!(std::io::stdout(), "{report}")?;
    if !report.refused().is_empty() {
        return Err(incomplete(report.refused().len(), &shown));
    }
    writeln!(std::io::stdout(), "restored {} into {shown}", args.file.display())?;
    Ok(())
}

/// Something is not in the target as it was in the source.
pub(crate) fn incomplete(objects: usize, target: &str) -> Failure {
    let told = format!("{objects} objects are not in {target} as they were");
    Failure::new(Exit::Incomplete, told)
        .hint("they are named above; when the cause is gone, run the same command again")
}
