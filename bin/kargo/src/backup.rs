//! `kargo backup`: a consistent copy of a control plane, also while it serves.
//!
//! A snapshot is the store of a data directory as it is, and goes back into a data directory. A portable backup is made of
//! objects, of either engine, and goes into either.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use local_portable::{Collection, archive, archive::Seal};

use crate::{
    exit::{Exit, Failure},
    file::read_file,
    place::{PlaceArgs, block_on, failure},
};

/// Save the state of a control plane, also while it runs
#[derive(clap::Args, Debug)]
#[command(group = clap::ArgGroup::new("form").required(true).args(["snapshot", "portable"]))]
pub(crate) struct BackupArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// File to write a snapshot of the data directory to: everything, for a data directory
    #[arg(long, value_name = "FILE", conflicts_with = "kubeconfig")]
    snapshot: Option<PathBuf>,
    /// File to write a portable backup to: all objects as YAML, for a data directory or a cluster
    #[arg(long, value_name = "FILE")]
    portable: Option<PathBuf>,
    /// Also save AnalysisRuns, which nothing needs
    #[arg(long, requires = "portable")]
    analysis_runs: bool,
    /// Seal Secrets with the passphrase in this file
    #[arg(long, value_name = "FILE", requires = "portable")]
    passphrase_file: Option<PathBuf>,
    /// Seal Secrets for this age recipient; may be given several times
    #[arg(long, value_name = "AGE", requires = "portable", conflicts_with = "passphrase_file")]
    recipient: Vec<String>,
}

pub(crate) fn run(args: &BackupArgs) -> Result<(), Failure> {
    match (&args.snapshot, &args.portable) {
        (Some(file), _) => snapshot(args, file),
        (None, Some(file)) => block_on(portable(args, file)),
        (None, None) => Err(Failure::usage("pass --snapshot FILE or --portable FILE")),
    }
}

fn snapshot(args: &BackupArgs, file: &Path) -> Result<(), Failure> {
    let directory = args.place.directory()?;
    emb_store::snapshot(&directory, file).map_err(|error| {
        Failure::new(Exit::Error, error)
            .hint(format!("is {} the data directory of a control plane?", directory.display()))
    })?;
    writeln!(std::io::stdout(), "saved {} to {}", directory.display(), file.display())?;
    Ok(())
}

async fn portable(args: &BackupArgs, file: &Path) -> Result<(), Failure> {
    let seal = seal(args)?;
    let opened = args.place.place()?.open_to_read().await?;
    let collected = opened.collect(args.analysis_runs).await;
    opened.close().await;
    let collection = collected?;
    archive::write(&collection, file, seal.as_ref()).map_err(failure)?;
    tell(&collection, file, seal.is_some())
}

fn seal(args: &BackupArgs) -> Result<Option<Seal>, Failure> {
    let seal = match (&args.passphrase_file, args.recipient.as_slice()) {
        (Some(file), _) => Seal::passphrase(&read_file(file)?),
        (None, []) => return Ok(None),
        (None, recipients) => Seal::recipients(recipients.iter().map(String::as_str)),
    };
    seal.map(Some).map_err(failure)
}

fn tell(collection: &Collection, file: &Path, is_sealed: bool) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let origin = &collection.origin;
    writeln!(
        stdout,
        "saved {} objects of {} to {}",
        collection.len(),
        origin.source,
        file.display()
    )?;
    match origin.resource_version.as_str() {
        "" => writeln!(
            stdout,
            "note: objects changed meanwhile, and kinds were read one after the other"
        )?,
        revision => writeln!(stdout, "all as it was at revision {revision}")?,
    }
    if !is_sealed {
        writeln!(
            stdout,
            "note: it holds Secrets in plain; --passphrase-file or --recipient seals them"
        )?;
    }
    for left_out in &collection.left_out {
        writeln!(stdout, "left out: {}, because {}", left_out.object, left_out.why)?;
    }
    Ok(())
}
