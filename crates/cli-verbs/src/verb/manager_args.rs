//! Who manages the fields of what is applied.

use cli_client::FieldManager;

use crate::exit::{CliResult, Failure};

/// The name under which the command line manages fields.
const NAME: &str = "kargo-cli";

/// Whether the server merges objects, and in whose name
#[derive(clap::Args, Debug)]
pub(super) struct ManagerArgs {
    /// Have the server merge the objects into those it has, and manage their fields
    #[arg(long)]
    server_side: bool,
    /// Name of the manager of the fields [default: kargo-cli]
    #[arg(long, value_name = "NAME")]
    field_manager: Option<String>,
    /// Take fields over from other managers
    #[arg(long)]
    force_conflicts: bool,
}

impl ManagerArgs {
    /// The manager, if the server is to merge.
    pub(super) fn resolve(&self) -> CliResult<Option<FieldManager>> {
        let alone = [
            ("--field-manager", self.field_manager.is_some()),
            ("--force-conflicts", self.force_conflicts),
        ];
        if !self.server_side {
            return match alone.iter().find(|(_, is_given)| *is_given) {
                Some((flag, _)) => {
                    Err(Failure::usage(format!("{flag} only works with --server-side")))
                }
                None => Ok(None),
            };
        }
        let name = self.field_manager.clone().unwrap_or_else(|| NAME.to_owned());
        if name.is_empty() {
            return Err(Failure::usage("--field-manager: a manager needs a name"));
        }
        Ok(Some(FieldManager { name, takes_over: self.force_conflicts }))
    }
}
