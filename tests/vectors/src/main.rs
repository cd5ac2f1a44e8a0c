//! `vectors`: runs every covered family and says which ones nothing covers yet.

use std::io::{self, Write as _};
use std::process::ExitCode;

use vectors::{FAMILIES, Folder, FolderError, run};

/// Why not every covered family is right.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("cannot write the results")]
    Output(#[from] io::Error),
}

fn main() -> ExitCode {
    match run_all() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn run_all() -> Result<bool, Error> {
    let mut output = io::stdout().lock();
    let Some(folder) = Folder::find() else {
        writeln!(output, "skipped: ../shared not found")?;
        return Ok(!Folder::is_required());
    };
    let mut uncovered = folder.families()?;
    let mut is_success = true;
    for family in FAMILIES {
        match folder.load(family.name)? {
            Some(file) => {
                let report = run(family, &file);
                writeln!(output, "{report}")?;
                is_success &= report.is_success();
            }
            None => writeln!(output, "{}: no file", family.name)?,
        }
        uncovered.remove(family.name);
    }
    let names: Vec<&str> = uncovered.iter().map(String::as_str).collect();
    writeln!(output, "not covered yet ({}): {}", names.len(), names.join(", "))?;
    Ok(is_success)
}
