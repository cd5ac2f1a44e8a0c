//! Which Freight, and which Stage: what `approve` and `explain` ask about.

use crate::{cobra, exit::CliResult};

/// A piece of Freight and a Stage
#[derive(clap::Args, Debug)]
pub(super) struct FreightAndStageArgs {
    /// Name of the Freight
    #[arg(long, value_name = "NAME")]
    freight: Option<String>,
    /// Alias of the Freight
    #[arg(long, value_name = "ALIAS")]
    freight_alias: Option<String>,
    /// The Stage
    #[arg(long, value_name = "STAGE")]
    stage: Option<String>,
}

impl FreightAndStageArgs {
    /// The name or alias of the Freight, and the name of the Stage.
    pub(super) fn both(&self) -> CliResult<(&str, &str)> {
        let choices =
            [("freight", self.freight.is_some()), ("freight-alias", self.freight_alias.is_some())];
        cobra::required(&[("stage", self.stage.is_some())])?;
        cobra::one_required(&choices)?;
        cobra::exclusive(&choices)?;
        let freight = self.freight.as_deref().or(self.freight_alias.as_deref());
        Ok((freight.unwrap_or_default(), self.stage.as_deref().unwrap_or_default()))
    }
}
