//! `kargo restore`: a snapshot becomes the state of a data directory.

use std::{io::Write, path::PathBuf};

use io_runtime::{SystemClock, SystemEntropy, SystemEnvironment};

use crate::{exit::Failure, settings::DataDirArg, up};

/// Put a saved state into a data directory
#[derive(clap::Args, Debug)]
pub(crate) struct RestoreArgs {
    /// Snapshot that `kargo backup` has written
    file: PathBuf,
    #[command(flatten)]
    data_dir: DataDirArg,
}

pub(crate) fn run(args: &RestoreArgs) -> Result<(), Failure> {
    let directory = args.data_dir.resolve(&SystemEnvironment)?;
    let restored = emb_store::restore(&args.file, &directory, &SystemClock::new(), &SystemEntropy)
        .map_err(up::open_failure)?;
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "restored {} into {}", args.file.display(), directory.display())?;
    writeln!(stdout, "revisions go on at {}, so every client lists anew", restored.revision)?;
    if let Some(replaced) = restored.replaced {
        writeln!(stdout, "what was there before is kept in {}", replaced.display())?;
    }
    Ok(())
}
