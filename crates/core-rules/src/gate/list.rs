//! Many pieces of Freight in front of one Stage.

use std::collections::BTreeSet;

use api_kinds::{Freight, Stage};
use core_clock::Time;

use super::arrival::{Arrival, PassingStages};
use super::route::{Availability, availability, matches_upstream};

/// A Warehouse that a Stage asks for Freight of does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Warehouse {name:?} not found in namespace {namespace:?}")]
pub struct MissingWarehouse {
    /// Name of the Warehouse.
    pub name: String,
    /// The namespace of the Stage.
    pub namespace: String,
}

/// Whether every Warehouse that the Stage asks for Freight of is among `warehouses`.
pub fn require_warehouses(
    stage: &Stage,
    warehouses: &BTreeSet<String>,
) -> Result<(), MissingWarehouse> {
    let mut names = stage.spec.requested_freight.iter().map(|request| &request.origin.name);
    match names.find(|name| !warehouses.contains(*name)) {
        None => Ok(()),
        Some(name) => Err(MissingWarehouse {
            name: name.clone(),
            namespace: stage.metadata.namespace.clone().unwrap_or_default(),
        }),
    }
}

/// The Freight that a person may promote to the Stage now, by name.
pub fn available<'a>(
    stage: &Stage,
    freight: impl IntoIterator<Item = &'a Freight>,
    passing_stages: &PassingStages,
    now: Time,
) -> Vec<&'a Freight> {
    let is_available = |freight: &&Freight| {
        let arrival = Arrival { freight, stage, passing_stages, now };
        availability(&arrival) == Availability::Available
    };
    let mut available: Vec<&Freight> = freight.into_iter().filter(is_available).collect();
    available.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    available
}

/// The part of it that automatic promotion may pick from.
pub fn selectable<'a>(
    stage: &Stage,
    freight: impl IntoIterator<Item = &'a Freight>,
    passing_stages: &PassingStages,
    now: Time,
) -> Vec<&'a Freight> {
    let mut selectable = available(stage, freight, passing_stages, now);
    selectable.retain(|freight| {
        let arrival = Arrival { freight, stage, passing_stages, now };
        arrival.requests().any(|request| matches_upstream(request, &arrival))
    });
    selectable
}

/// When the next piece becomes available to the Stage by the passing of time alone.
pub fn next_opening<'a>(
    stage: &Stage,
    freight: impl IntoIterator<Item = &'a Freight>,
    passing_stages: &PassingStages,
    now: Time,
) -> Option<Time> {
    let openings = freight.into_iter().filter_map(|freight| {
        match availability(&Arrival { freight, stage, passing_stages, now }) {
            Availability::Later(at) => Some(at),
            Availability::Available | Availability::Unavailable => None,
        }
    });
    openings.min()
}
