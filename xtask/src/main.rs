//! Chores behind make, one module per subcommand.

#![allow(clippy::print_stdout, reason = "this is a command line tool for developers")]

mod generate;
mod root;

use clap::Parser;

/// Chores of the repository
#[derive(Parser)]
#[command(name = "xtask")]
enum Chore {
    /// Write the files that are made from code
    #[command(name = "gen")]
    Generate(generate::GenerateArgs),
}

fn main() -> anyhow::Result<()> {
    match Chore::parse() {
        Chore::Generate(args) => generate::run(&args, &root::find()?),
    }
}
