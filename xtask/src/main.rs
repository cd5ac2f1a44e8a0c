//! Chores behind make, one module per subcommand.

#![allow(clippy::print_stdout, reason = "this is a command line tool for developers")]

mod generate;
mod layers;
mod root;
mod tidy;

use clap::Parser;

/// Chores of the repository
#[derive(Parser)]
#[command(name = "xtask")]
enum Chore {
    /// Write the files that are made from code
    #[command(name = "gen")]
    Generate(generate::GenerateArgs),
    /// Check which crate depends on which
    Layers,
    /// Check sizes and purposes of files
    Tidy,
}

fn main() -> anyhow::Result<()> {
    match Chore::parse() {
        Chore::Generate(args) => generate::run(&args, &root::find()?),
        Chore::Layers => layers::run(&root::find()?),
        Chore::Tidy => tidy::run(&root::find()?),
    }
}
