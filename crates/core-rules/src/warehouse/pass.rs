//! One pass over a Warehouse, from what its subscriptions found to the Freight to make of it.

use api_kinds::{
    Freight, Warehouse,
    warehouse::{
        DiscoveredArtifacts, FreightCreationPolicy, GitDiscoveryResult, GitSubscription,
        WarehouseStatus,
    },
};
use core_clock::Time;
use core_expr::Criterion;
use jiff::Timestamp;

use super::{
    assembly::{Missing, assemble},
    ending::{Creation, End},
    failure::Failure,
    finding::{Finding, gather, previous_git},
    plan::{Reason, refresh_token},
    rows::Rows,
};
use crate::wire_time::to_wire;

/// One pass. It holds the status as it will be written.
#[derive(Clone, Debug)]
pub struct Pass<'a> {
    pub(super) warehouse: &'a Warehouse,
    pub(super) status: WarehouseStatus,
    /// Whether this pass searched.
    pub(super) has_discovered: bool,
}

/// What follows from what is known.
#[derive(Clone, Debug)]
pub enum Assessment<'a> {
    /// The pass is over.
    Done(End),
    /// There must be Freight of the newest artifacts: it exists, or is to be created.
    Create(Creation<'a>),
}

/// What to think of the newest artifacts.
enum Judgement {
    Missing(Missing),
    LeftToPeople,
    CriteriaFailed(core_expr::Error),
    CriteriaNotMet,
    Wanted(Box<Freight>),
}

impl<'a> Pass<'a> {
    /// Begins a pass over a Warehouse as it was read.
    pub fn begin(warehouse: &'a Warehouse) -> Self {
        Self { warehouse, status: warehouse.status.clone(), has_discovered: false }
    }

    /// The status that tells of a search under way, and of what takes long in it. Call it only to
    /// write it: what people see changes with it.
    pub fn announce(
        &mut self,
        reason: Reason,
        activities: &[String],
        now: Time,
    ) -> &WarehouseStatus {
        let subscriptions = self.subscriptions();
        let mut rows = self.rows(now);
        if reason.is_routine() {
            rows.searching(subscriptions, activities);
        } else {
            rows.discovering(subscriptions, activities);
        }
        &self.status
    }

    /// What a Git subscription found last, if that answers the same question.
    pub fn previous_git(
        &self,
        subscription: &GitSubscription,
        name: &str,
    ) -> Option<&'a GitDiscoveryResult> {
        let is_same = self.warehouse.status.observed_generation == self.generation();
        let artifacts = self.warehouse.status.discovered_artifacts.as_ref()?;
        is_same.then(|| previous_git(&subscription.repo_url, name, artifacts))?
    }

    /// Takes in what each subscription found, in the order of the subscriptions. When one could not
    /// be searched, what the others found becomes visible, but makes no Freight and does not count
    /// as a search: it will be repeated.
    pub fn discovered(
        mut self,
        findings: Vec<Result<Finding, Failure>>,
        now: Time,
    ) -> Result<Self, Box<End>> {
        let (artifacts, failures) = gather(self.warehouse, findings);
        self.has_discovered = true;
        if failures.is_empty() {
            let discovered_at = Some(to_wire(now));
            self.status.discovered_artifacts =
                Some(DiscoveredArtifacts { discovered_at, ..artifacts });
            if let Some(token) = refresh_token(self.warehouse) {
                token.clone_into(&mut self.status.last_handled_refresh);
            }
            return Ok(self);
        }
        self.show_partly(artifacts);
        let causes: Vec<String> = failures.iter().map(Failure::to_string).collect();
        let error = format!("error discovering artifacts: {}", causes.join("; "));
        let subscriptions = self.subscriptions();
        self.rows(now).failed(subscriptions, &error);
        Err(Box::new(End { status: self.status, error: Some(error) }))
    }

    /// The time stays that of the last search that ended well.
    fn show_partly(&mut self, artifacts: DiscoveredArtifacts) {
        let before = self.status.discovered_artifacts.as_ref();
        let discovered_at = before.and_then(|before| before.discovered_at.clone());
        let shown = DiscoveredArtifacts { discovered_at, ..artifacts };
        if before.is_some() || shown != DiscoveredArtifacts::default() {
            self.status.discovered_artifacts = Some(shown);
        }
    }

    /// Decides what follows from what is known.
    pub fn assess(mut self, now: Time) -> Assessment<'a> {
        self.status.observed_generation = self.generation();
        let judgement = self.judge(now);
        let (has_discovered, subscriptions) = (self.has_discovered, self.subscriptions());
        let mut rows = self.rows(now);
        // What an earlier pass said of Freight does not hold for what this one found.
        if has_discovered {
            match &judgement {
                Judgement::Wanted(_) => {}
                Judgement::CriteriaNotMet => rows.forget_created(),
                _ => rows.forget_freight(),
            }
        }
        match judgement {
            Judgement::Missing(missing) => rows.missing(&missing),
            Judgement::LeftToPeople => rows.succeeded(subscriptions),
            Judgement::CriteriaFailed(error) => rows.criteria_failed(&error.to_string()),
            Judgement::CriteriaNotMet => {
                rows.criteria(false);
                rows.succeeded(subscriptions);
            }
            Judgement::Wanted(freight) => {
                return Assessment::Create(Creation::new(self, freight));
            }
        }
        Assessment::Done(End { status: self.status, error: None })
    }

    fn judge(&self, now: Time) -> Judgement {
        let nothing = DiscoveredArtifacts::default();
        let found = self.status.discovered_artifacts.as_ref().unwrap_or(&nothing);
        let freight = match assemble(self.warehouse, found) {
            Ok(freight) => Box::new(freight),
            Err(missing) => return Judgement::Missing(missing),
        };
        if self.warehouse.spec.freight_creation_policy == FreightCreationPolicy::Manual {
            return Judgement::LeftToPeople;
        }
        match self.are_criteria_met(found, now) {
            Ok(true) => Judgement::Wanted(freight),
            Ok(false) => Judgement::CriteriaNotMet,
            Err(error) => Judgement::CriteriaFailed(error),
        }
    }

    /// Criteria that are not there are met.
    fn are_criteria_met(
        &self,
        found: &DiscoveredArtifacts,
        now: Time,
    ) -> Result<bool, core_expr::Error> {
        let criteria = self.warehouse.spec.freight_creation_criteria.as_ref();
        let expression = criteria.map_or("", |criteria| criteria.expression.trim());
        if expression.is_empty() {
            return Ok(true);
        }
        let now = Timestamp::from_microsecond(now.as_micros()).unwrap_or_default();
        Criterion::compile(expression)?.is_met(found, now)
    }

    pub(super) fn rows(&mut self, now: Time) -> Rows<'_> {
        let generation = self.generation();
        Rows { conditions: &mut self.status.conditions, generation, now }
    }

    pub(super) fn subscriptions(&self) -> usize {
        self.warehouse.spec.subscriptions.len()
    }

    fn generation(&self) -> i64 {
        self.warehouse.metadata.generation.unwrap_or_default()
    }
}
