//! What of Freight decides.

use std::collections::BTreeSet;

use api_kinds::Freight;
use core_clock::Time;

use super::selection::{Identity, created_at};
use crate::{freight::choose_alias, wire_time};

/// A piece of Freight.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) identity: Identity,
    pub(super) warehouse: String,
    pub(super) since: Option<Time>,
    pub(super) is_going: bool,
    /// Stages that it says it is in.
    pub(super) currently_in: BTreeSet<String>,
    /// Stages that somebody approved it for.
    pub(super) approved_for: BTreeSet<String>,
    /// Whether its alias is not the one that follows from its name.
    pub(super) has_chosen_alias: bool,
}

impl From<&Freight> for Piece {
    fn from(freight: &Freight) -> Self {
        let discovered = freight.discovered_at.as_ref().map(wire_time::from_wire);
        let name = freight.metadata.name.as_deref().unwrap_or_default();
        let alias = &freight.alias;
        Self {
            identity: (&freight.metadata).into(),
            warehouse: freight.origin.name.clone(),
            since: discovered.or_else(|| created_at(&freight.metadata)),
            is_going: freight.metadata.deletion_timestamp.is_some(),
            currently_in: freight.status.currently_in.keys().cloned().collect(),
            approved_for: freight.status.approved_for.keys().cloned().collect(),
            has_chosen_alias: !alias.is_empty() && *alias != choose_alias(name, |_| false),
        }
    }
}
