//! `kargo backup`: a consistent copy of the store, also while it serves.

use std::{io::Write, path::PathBuf};

use io_runtime::SystemEnvironment;

use crate::{
    exit::{Exit, Failure},
    settings::DataDirArg,
};

/// Save the state of a control plane, also while it runs
#[derive(clap::Args, Debug)]
pub(crate) struct BackupArgs {
    #[command(flatten)]
    data_dir: DataDirArg,
    /// File to write the snapshot to
    #[arg(long, value_name = "FILE")]
    snapshot: PathBuf,
}

pub(crate) fn run(args: &BackupArgs) -> Result<(), Failure> {
    let directory = args.data_dir.resolve(&SystemEnvironment)?;
    emb_store::snapshot(&directory, &args.snapshot).map_err(|error| {
        Failure::new(Exit::Error, error)
            .hint(format!("is {} the data directory of a control plane?", directory.display()))
    })?;
    writeln!(std::io::stdout(), "saved {} to {}", directory.display(), args.snapshot.display())?;
    Ok(())
}
