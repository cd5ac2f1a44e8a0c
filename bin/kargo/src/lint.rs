//! `kargo lint`: what is wrong with the promotion processes of a file. No server needed.

use std::path::PathBuf;

use crate::{
    exit::{Exit, Failure},
    file::{Output, print_as, read_file},
};

/// Check the promotion processes in a file, with no server
#[derive(clap::Args, Debug)]
pub(crate) struct LintArgs {
    /// File with Stages, PromotionTasks or a Promotion, and with what they refer to; - reads standard input
    #[arg(short = 'f', long, value_name = "FILE")]
    file: PathBuf,
    /// How the result is printed
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Output::Text)]
    output: Output,
}

pub(crate) fn run(args: &LintArgs) -> Result<(), Failure> {
    let report = local_run::lint(&read_file(&args.file)?).map_err(|error| {
        Failure::usage(error).hint(format!("the file is {}", args.file.display()))
    })?;
    print_as(&report, args.output)?;
    match report.count() {
        0 => Ok(()),
        1 => Err(Failure::new(Exit::Error, "1 finding")),
        count => Err(Failure::new(Exit::Error, format!("{count} findings"))),
    }
}
