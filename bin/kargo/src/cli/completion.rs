//! `kargo completion`: what a shell needs to complete commands.

use std::io::Write as _;

use clap_complete::Shell;

use crate::exit::Failure;

/// Print what a shell needs to complete commands
#[derive(clap::Args, Debug)]
pub(crate) struct CompletionArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &CompletionArgs, mut command: clap::Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "kargo", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(())
}
