//! `kargo migrate`: moves a control plane that stands still from one engine to the other, and checks that all is there.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use io_runtime::SystemEnvironment;
use local_portable::{
    Collection, Comparison, Namespaces, compare,
    restore::{check_still, expected},
};

use crate::{
    exit::Failure,
    place::{KeysArg, Opened, Place, block_on, failure},
    restore::{HowArgs, incomplete},
};

/// Move a control plane between a data directory and a cluster, with everything in it
#[derive(clap::Args, Debug)]
pub(crate) struct MigrateArgs {
    /// Where it is: a data directory, or the kubeconfig of a cluster
    #[arg(long, value_name = "PATH")]
    from: PathBuf,
    /// Where it goes: a data directory, which may be new, or the kubeconfig of a cluster
    #[arg(long, value_name = "PATH")]
    to: PathBuf,
    /// Context of the kubeconfig that it comes from, if not its current one
    #[arg(long, value_name = "NAME")]
    from_context: Option<String>,
    /// Context of the kubeconfig that it goes to, if not its current one
    #[arg(long, value_name = "NAME")]
    to_context: Option<String>,
    /// Also move AnalysisRuns, which nothing needs
    #[arg(long)]
    analysis_runs: bool,
    #[command(flatten)]
    keys: KeysArg,
    #[command(flatten)]
    how: HowArgs,
}

pub(crate) fn run(args: &MigrateArgs) -> Result<(), Failure> {
    if is_same(&args.from, &args.to) && args.from_context == args.to_context {
        return Err(Failure::usage("--from and --to are the same"));
    }
    block_on(migrate(args))
}

async fn migrate(args: &MigrateArgs) -> Result<(), Failure> {
    let source =
        Place::of_path(&args.from, args.from_context.as_deref(), &args.keys).open_still().await?;
    let collected = read_still(&source, args.analysis_runs).await;
    source.close().await;
    let collection = collected?;
    let target =
        Place::of_path(&args.to, args.to_context.as_deref(), &args.keys).open_to_write().await?;
    let moved = put_and_check(args, &target, &collection).await;
    let shown = target.shown.clone();
    target.close().await;
    let comparison = moved?;
    write!(std::io::stdout(), "{comparison}")?;
    if !comparison.is_same() {
        return Err(incomplete(comparison.differences().len(), &shown));
    }
    writeln!(std::io::stdout(), "moved {} objects to {shown}", collection.len())?;
    writeln!(
        std::io::stdout(),
        "{} is as it was: do not start it again beside the new one",
        args.from.display()
    )?;
    Ok(())
}

/// What would change while it is moved would be lost.
async fn read_still(source: &Opened, analysis_runs: bool) -> Result<Collection, Failure> {
    if !source.is_offline() {
        let namespaces = Namespaces::from_environment(&SystemEnvironment);
        check_still(&source.client, &*source.clock, &namespaces).await.map_err(failure)?;
    }
    source.collect(analysis_runs).await
}

async fn put_and_check(
    args: &MigrateArgs,
    target: &Opened,
    collection: &Collection,
) -> Result<Comparison, Failure> {
    let report = args.how.restore(target, collection, false).await?;
    write!(std::io::stdout(), "{report}")?;
    let found = target.collect(args.analysis_runs).await?;
    Ok(compare(&expected(collection, args.how.unfinished()), &found))
}

fn is_same(left: &Path, right: &Path) -> bool {
    left == right
        || matches!((left.canonicalize(), right.canonicalize()), (Ok(left), Ok(right)) if left == right)
}
