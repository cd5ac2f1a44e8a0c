//! What a pass over a Stage looks at: one picture of everything that bears on it, taken once.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use api_kinds::health::HealthCheckStep;
use api_kinds::window::PromotionWindowStatus;
use api_kinds::{Freight, Promotion, PromotionRequest, Stage, Target};
use core_clock::Time;

use crate::gate::PassingStages;
use crate::health::HealthFinding;
use crate::selector::SelectorError;

/// What a pass looks at.
#[derive(Clone, Debug)]
pub struct World<'a> {
    /// The Stage.
    pub stage: &'a Stage,
    /// Whether the Project lets it promote by itself.
    pub policy: Result<bool, SelectorError>,
    /// Its Promotions.
    pub promotions: &'a [Arc<Promotion>],
    /// Its PromotionRequests.
    pub requests: &'a [Arc<PromotionRequest>],
    /// The Freight of the origins it asks for, and all other Freight that says it is in this Stage
    /// or that the Stage says it holds. For a deletion: all Freight that mentions the Stage.
    pub freight: &'a [Arc<Freight>],
    /// Names of the Project's Warehouses.
    pub warehouses: &'a BTreeSet<String>,
    /// The Project's Stages that only pass Freight on.
    pub passing_stages: &'a PassingStages,
    /// The Project's Targets.
    pub targets: &'a [Arc<Target>],
    /// What the promotion windows say; `None` when none applies.
    pub window: Option<&'a PromotionWindowStatus>,
    /// Carries out health checks.
    pub health: &'a dyn HealthSource,
    /// Where AnalysisRuns are looked up.
    pub analysis: Analysis<'a>,
    /// How the installation wants it.
    pub settings: Settings,
    /// What the controller is called in events.
    pub component: &'a str,
    /// The namespace of Applications that do not name one.
    pub argocd_namespace: &'a str,
}

/// How the installation wants Stages to be looked after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long the next Promotion waits for what the Stage holds to become healthy and be verified.
    pub verification_grace: Duration,
    /// Whether Freight that fails a repeated verification is no longer verified.
    pub revokes: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { verification_grace: Duration::from_mins(5), revokes: true }
    }
}

/// Carries out health checks, from what is known already.
pub trait HealthSource: fmt::Debug {
    /// What the check finds.
    fn check(&self, check: &HealthCheckStep) -> HealthFinding;
}

/// Whether verifications can be carried out.
#[derive(Clone, Copy, Debug)]
pub enum Analysis<'a> {
    /// AnalysisRuns are not served here, or not wanted.
    Off,
    /// They are.
    On(&'a dyn RunSource),
}

/// Looks AnalysisRuns of the Stage's namespace up.
pub trait RunSource: fmt::Debug {
    /// The AnalysisRun of this name.
    fn find(&self, name: &str) -> RunLookup;
}

/// What is known of an AnalysisRun.
#[derive(Clone, Debug, PartialEq)]
pub enum RunLookup {
    /// There it is.
    Found(RunView),
    /// It is not to be seen, which may change.
    NotSeen,
    /// It is certain not to exist.
    Gone,
}

/// What matters about an AnalysisRun.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunView {
    /// Its phase as it stands; empty until somebody begins to carry it out.
    pub phase: String,
    /// The explanation of the phase.
    pub message: String,
    /// When it ended.
    pub completed_at: Option<Time>,
    /// The Promotion that it says it is for.
    pub promotion: Option<String>,
}

impl<'a> World<'a> {
    pub(super) fn stage_name(&self) -> &'a str {
        self.stage.metadata.name.as_deref().unwrap_or_default()
    }

    pub(super) fn namespace(&self) -> &'a str {
        self.stage.metadata.namespace.as_deref().unwrap_or_default()
    }

    pub(super) fn annotation(&self, key: &str) -> Option<&'a str> {
        self.stage.metadata.annotations.as_ref()?.get(key).map(String::as_str)
    }

    pub(super) fn freight_named(&self, name: &str) -> Option<&'a Arc<Freight>> {
        self.freight.iter().find(|freight| freight.metadata.name.as_deref() == Some(name))
    }

    /// The Promotions that have a place in the queue. Those to one Target belong to a
    /// PromotionRequest, which has its own.
    pub(super) fn queued(&self) -> impl Iterator<Item = &'a Promotion> + use<'a> {
        let promotions = self.promotions.iter().map(Arc::as_ref);
        promotions.filter(|promotion| promotion.spec.target.is_empty())
    }
}
