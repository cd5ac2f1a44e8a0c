//! A piece of Freight in front of a Stage.

use std::collections::BTreeSet;

use api_kinds::stage::FreightRequest;
use api_kinds::{Freight, Stage};
use core_clock::Time;

use crate::freight::{Residence, Soak};
use crate::stage::requests_from;

/// Names of the Project's Stages that only pass Freight on. Empty when nobody knows: then soak in
/// such a Stage never ends.
pub type PassingStages = BTreeSet<String>;

/// A piece of Freight in front of a Stage at one time.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// The Freight.
    pub freight: &'a Freight,
    /// The Stage.
    pub stage: &'a Stage,
    /// Where soak counts from verification.
    pub passing_stages: &'a PassingStages,
    /// The time.
    pub now: Time,
}

impl<'a> Arrival<'a> {
    pub(super) fn stage_name(&self) -> &'a str {
        self.stage.metadata.name.as_deref().unwrap_or_default()
    }

    pub(super) fn freight_name(&self) -> &'a str {
        self.freight.metadata.name.as_deref().unwrap_or_default()
    }

    pub(super) fn is_same_project(&self) -> bool {
        self.freight.metadata.namespace == self.stage.metadata.namespace
    }

    pub(super) fn is_approved(&self) -> bool {
        self.freight.status.approved_for.contains_key(self.stage_name())
    }

    /// What the Stage says about the Freight's origin; nothing to Freight of another Project.
    pub(super) fn requests(&self) -> impl Iterator<Item = &'a FreightRequest> + use<'a> {
        let is_same_project = self.is_same_project();
        requests_from(self.stage, &self.freight.origin).filter(move |_| is_same_project)
    }

    pub(super) fn is_verified_in(&self, stage: &str) -> bool {
        self.freight.status.verified_in.contains_key(stage)
    }

    pub(super) fn soak_in(&self, stage: &str) -> Soak {
        let residence = if self.passing_stages.contains(stage) {
            Residence::PassesThrough
        } else {
            Residence::Stays
        };
        Soak::of(&self.freight.status, stage, residence, self.now)
    }
}
