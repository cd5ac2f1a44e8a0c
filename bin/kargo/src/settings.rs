//! Where the control plane of this user lives, unless told otherwise.

use std::path::PathBuf;

use core_clock::Environment;

use crate::exit::Failure;

/// `--data-dir`, shared by every subcommand that works on a data directory.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct DataDirArg {
    /// Directory of the control plane [default: kargo below the XDG data directory]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

impl DataDirArg {
    /// The directory as somebody else has read it.
    pub(crate) fn of(data_dir: Option<PathBuf>) -> Self {
        Self { data_dir }
    }

    /// The directory that was asked for, if any.
    pub(crate) fn given(&self) -> Option<PathBuf> {
        self.data_dir.clone()
    }

    /// The directory that was asked for, or the default.
    pub(crate) fn resolve(&self, environment: &dyn Environment) -> Result<PathBuf, Failure> {
        if let Some(given) = &self.data_dir {
            return Ok(given.clone());
        }
        if let Some(data) = environment.var("XDG_DATA_HOME") {
            return Ok(PathBuf::from(data).join("kargo"));
        }
        match environment.var("HOME") {
            Some(home) => Ok(PathBuf::from(home).join(".local/share/kargo")),
            None => {
                Err(Failure::usage("neither XDG_DATA_HOME nor HOME is set; pass --data-dir DIR"))
            }
        }
    }
}
