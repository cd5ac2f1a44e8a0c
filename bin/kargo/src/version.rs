//! `kargo version`.

use std::io::Write;

use serde_json::json;

use crate::exit::Failure;

/// The version of this build.
pub(crate) const NUMBER: &str = match option_env!("KARGO_VERSION") {
    Some(version) => version,
    None => concat!("v", env!("CARGO_PKG_VERSION"), "-dev"),
};

/// The form of the output
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Form {
    Text,
    Json,
}

/// Print the version
#[derive(clap::Args, Debug)]
pub(crate) struct VersionArgs {
    /// Output format
    #[arg(short, long, value_enum, default_value = "text")]
    output: Form,
}

pub(crate) fn run(args: &VersionArgs) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match args.output {
        Form::Text => writeln!(stdout, "Client Version: {NUMBER}")?,
        Form::Json => {
            let document = json!({
                "version": NUMBER,
                "gitCommit": option_env!("KARGO_COMMIT").unwrap_or_default(),
                "platform": format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
            });
            writeln!(stdout, "{document:#}")?;
        }
    }
    Ok(())
}
