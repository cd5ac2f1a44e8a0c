//! `kargo man`: the manual pages of all commands.

use std::path::PathBuf;

use crate::exit::Failure;

/// Write the manual pages of all commands into a directory
#[derive(clap::Args, Debug)]
pub(crate) struct ManArgs {
    /// Where they go, such as ~/.local/share/man/man1; made if it is not there
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub(crate) fn run(args: &ManArgs, command: clap::Command) -> Result<(), Failure> {
    std::fs::create_dir_all(&args.directory)?;
    Ok(clap_mangen::generate_to(command, &args.directory)?)
}
