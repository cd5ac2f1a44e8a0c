//! Which Freight a query is about.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use api_kinds::{Freight, Stage};
use core_clock::Time;

use crate::fault::{Class, Fault};
use crate::gate::{MissingWarehouse, PassingStages, require_warehouses, selectable};

/// The Freight of a Stage cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// The Stage asks for Freight of a Warehouse that is not there.
    #[error(transparent)]
    MissingWarehouse(#[from] MissingWarehouse),
}

impl Fault for SelectError {
    fn class(&self) -> Class {
        Class::Conflict
    }
}

/// The Freight that is available to the Stage, each piece once, by name. A Stage that matches what
/// the Stage before it holds is shown only that.
pub fn available_to<'a, F: Borrow<Freight>>(
    stage: &Stage,
    freight: &'a [F],
    warehouses: &BTreeSet<String>,
    passing_stages: &PassingStages,
    now: Time,
) -> Result<Vec<&'a F>, SelectError> {
    require_warehouses(stage, warehouses)?;
    let pieces = freight.iter().map(Borrow::borrow);
    let names: BTreeSet<&str> = selectable(stage, pieces, passing_stages, now)
        .into_iter()
        .filter_map(|piece| piece.metadata.name.as_deref())
        .collect();
    let mut seen = BTreeSet::new();
    let mut selected: Vec<&F> = freight.iter().collect();
    selected.retain(|piece| {
        let name = name(*piece);
        names.contains(name) && seen.insert(name)
    });
    selected.sort_by_key(|piece| name(*piece));
    Ok(selected)
}

/// The Freight of these Warehouses; all of it when none is named.
pub fn of_origins<'a, F: Borrow<Freight>>(freight: &'a [F], origins: &[String]) -> Vec<&'a F> {
    let is_meant = |piece: &&F| {
        let piece: &Freight = (*piece).borrow();
        origins.is_empty() || origins.contains(&piece.origin.name)
    };
    freight.iter().filter(is_meant).collect()
}

fn name<F: Borrow<Freight>>(piece: &F) -> &str {
    piece.borrow().metadata.name.as_deref().unwrap_or_default()
}
