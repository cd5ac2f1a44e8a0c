//! `kargo repair`: a sound store of everything that can be read of a damaged one.

use std::io::Write;

use io_runtime::{SystemClock, SystemEntropy, SystemEnvironment};

use crate::{exit::Failure, place::require_store, settings::DataDirArg, up};

/// Save what can be read of a damaged data directory
#[derive(clap::Args, Debug)]
pub(crate) struct RepairArgs {
    #[command(flatten)]
    data_dir: DataDirArg,
}

pub(crate) fn run(args: &RepairArgs) -> Result<(), Failure> {
    let directory = args.data_dir.resolve(&SystemEnvironment)?;
    require_store(&directory).map_err(|failure| failure.hint("name it with --data-dir"))?;
    let repaired = emb_store::repair(&directory, &SystemClock::new(), &SystemEntropy)
        .map_err(up::open_failure)?;
    let mut stdout = std::io::stdout().lock();
    for loss in &repaired.losses {
        writeln!(stdout, "{loss}")?;
    }
    let (objects, losses) = (repaired.objects, repaired.losses.len());
    writeln!(stdout, "saved {objects} objects of {}; {losses} losses", directory.display())?;
    writeln!(stdout, "revisions go on at {}, so every client lists anew", repaired.revision)?;
    writeln!(stdout, "the damaged files are kept as {}", repaired.damaged.display())?;
    Ok(())
}
