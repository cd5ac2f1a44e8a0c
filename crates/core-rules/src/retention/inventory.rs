//! The objects of one Project, and the plan that follows from them.

use std::collections::{BTreeMap, BTreeSet};

use api_kinds::{Freight, Promotion, PromotionRequest, Stage, Warehouse};
use core_clock::Time;

use super::freight::Piece;
use super::policy::{Limit, Policy, Reckoning};
use super::promotion::Movement;
use super::selection::{Candidate, Identity, select};
use super::stage::StageNeeds;

/// The kinds that are collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Collected {
    /// Promotions of a Stage.
    Promotion,
    /// PromotionRequests of a Stage.
    PromotionRequest,
    /// Freight of a Warehouse.
    Freight,
    /// AnalysisRuns of a Stage.
    AnalysisRun,
}

impl Collected {
    /// Every kind, in the order in which they go.
    pub const ALL: [Self; 4] =
        [Self::Promotion, Self::PromotionRequest, Self::Freight, Self::AnalysisRun];

    /// The name of the kind.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Promotion => "Promotion",
            Self::PromotionRequest => "PromotionRequest",
            Self::Freight => "Freight",
            Self::AnalysisRun => "AnalysisRun",
        }
    }
}

/// An object that goes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deletion {
    /// Its kind.
    pub kind: Collected,
    /// Which object, as it was when it was looked at: one that changed since is not meant.
    pub identity: Identity,
}

/// What of an AnalysisRun decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalysisRun {
    /// Which run.
    pub identity: Identity,
    /// The Stage, as the label has it.
    pub stage: String,
    /// When it was created.
    pub created_at: Option<Time>,
    /// Whether it has come to a result.
    pub is_finished: bool,
    /// Whether it is being deleted already.
    pub is_going: bool,
}

/// The objects of one Project. Adding an object again replaces it.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    stages: BTreeMap<String, StageNeeds>,
    warehouses: BTreeSet<String>,
    promotions: BTreeMap<String, Movement>,
    requests: BTreeMap<String, Movement>,
    freight: BTreeMap<String, Piece>,
    runs: BTreeMap<String, AnalysisRun>,
}

impl Inventory {
    /// Takes in a Stage.
    pub fn add_stage(&mut self, stage: &Stage) {
        let name = stage.metadata.name.clone().unwrap_or_default();
        self.stages.insert(name, stage.into());
    }

    /// Takes in a Warehouse.
    pub fn add_warehouse(&mut self, warehouse: &Warehouse) {
        self.warehouses.insert(warehouse.metadata.name.clone().unwrap_or_default());
    }

    /// Takes in a Promotion.
    pub fn add_promotion(&mut self, promotion: &Promotion) {
        let movement = Movement::from(promotion);
        self.promotions.insert(movement.identity.name.clone(), movement);
    }

    /// Takes in a PromotionRequest.
    pub fn add_promotion_request(&mut self, request: &PromotionRequest) {
        let movement = Movement::from(request);
        self.requests.insert(movement.identity.name.clone(), movement);
    }

    /// Takes in Freight.
    pub fn add_freight(&mut self, freight: &Freight) {
        let piece = Piece::from(freight);
        self.freight.insert(piece.identity.name.clone(), piece);
    }

    /// Takes in an AnalysisRun.
    pub fn add_analysis_run(&mut self, run: AnalysisRun) {
        self.runs.insert(run.identity.name.clone(), run);
    }

    /// What goes, in the order in which it should.
    pub fn plan(&self, policy: &Policy, now: Time) -> Vec<Deletion> {
        let by_use = policy.reckoning == Reckoning::ByUse;
        let mut plan = self.plan_promotions(policy, now);
        if by_use {
            plan.extend(self.plan_requests(policy, now));
        }
        plan.extend(self.plan_freight(policy, now));
        if by_use {
            plan.extend(self.plan_runs(policy, now));
        }
        plan
    }

    fn plan_promotions(&self, policy: &Policy, now: Time) -> Vec<Deletion> {
        let by_use = policy.reckoning == Reckoning::ByUse;
        let held = if by_use { self.promotions_referred_to() } else { BTreeSet::new() };
        let mut groups = Groups::default();
        for promotion in self.promotions.values().filter(|promotion| !promotion.is_going) {
            let stage = self.stages.get(&promotion.stage);
            if !by_use && stage.is_none() {
                continue;
            }
            let is_pending = by_use && promotion.is_pending(stage);
            let is_used = !promotion.is_finished
                || is_pending
                || held.contains(promotion.identity.name.as_str());
            groups.add(&promotion.stage, &promotion.identity, promotion.since, is_used);
        }
        groups.plan(Collected::Promotion, policy.reckoning, now, |_| policy.promotions)
    }

    fn plan_requests(&self, policy: &Policy, now: Time) -> Vec<Deletion> {
        let mut groups = Groups::default();
        for request in self.requests.values().filter(|request| !request.is_going) {
            let is_held = self
                .stages
                .get(&request.stage)
                .is_some_and(|stage| stage.promotions.contains(&request.identity.name));
            let is_used = !request.is_finished || is_held;
            groups.add(&request.stage, &request.identity, request.since, is_used);
        }
        groups.plan(Collected::PromotionRequest, policy.reckoning, now, |_| policy.promotions)
    }

    fn plan_freight(&self, policy: &Policy, now: Time) -> Vec<Deletion> {
        let by_use = policy.reckoning == Reckoning::ByUse;
        let used = self.freight_referred_to(policy.reckoning);
        let mut groups = Groups::default();
        for piece in self.freight.values().filter(|piece| !piece.is_going) {
            if !by_use && !self.warehouses.contains(&piece.warehouse) {
                continue;
            }
            let is_used = used.contains(piece.identity.name.as_str())
                || by_use && self.says_it_is_used(piece, policy.keep_aliased);
            groups.add(&piece.warehouse, &piece.identity, piece.since, is_used);
        }
        let limit = |warehouse: &str| {
            let max = if self.is_source(warehouse) { policy.freight.max } else { 0 };
            Limit { max, ..policy.freight }
        };
        groups.plan(Collected::Freight, policy.reckoning, now, limit)
    }

    fn plan_runs(&self, policy: &Policy, now: Time) -> Vec<Deletion> {
        let shown: BTreeSet<&str> = self
            .stages
            .values()
            .flat_map(|stage| &stage.analysis_runs)
            .map(String::as_str)
            .collect();
        let mut groups = Groups::default();
        for run in self.runs.values().filter(|run| !run.is_going) {
            let is_used = !run.is_finished || shown.contains(run.identity.name.as_str());
            groups.add(&run.stage, &run.identity, run.created_at, is_used);
        }
        groups.plan(Collected::AnalysisRun, policy.reckoning, now, |_| policy.analysis_runs)
    }

    /// Whether Freight of this Warehouse may still be wanted. The Warehouse may be missing for a
    /// moment only, while somebody replaces it: then Stages still ask for its Freight.
    fn is_source(&self, warehouse: &str) -> bool {
        self.warehouses.contains(warehouse)
            || self.stages.values().any(|stage| stage.warehouses.contains(warehouse))
    }

    fn promotions_referred_to(&self) -> BTreeSet<&str> {
        let by_stages = self.stages.values().flat_map(|stage| &stage.promotions);
        let unfinished = self.requests.values().filter(|request| !request.is_finished);
        let by_requests = unfinished.flat_map(|request| &request.children);
        by_stages.chain(by_requests).map(String::as_str).collect()
    }

    fn freight_referred_to(&self, reckoning: Reckoning) -> BTreeSet<&str> {
        let current = self.stages.values().flat_map(|stage| &stage.current_freight);
        let mut names: BTreeSet<&str> = current.map(String::as_str).collect();
        if reckoning == Reckoning::ByUse {
            let wanted = self.stages.values().flat_map(|stage| &stage.other_freight);
            let requests = self.requests.values().filter(|request| !request.is_finished);
            let promotions = self
                .promotions
                .values()
                .filter(|promotion| promotion.is_pending(self.stages.get(&promotion.stage)));
            let moving = promotions.chain(requests).flat_map(|movement| &movement.freight);
            names.extend(wanted.chain(moving).map(String::as_str));
        }
        names
    }

    /// Whether the Freight itself names a use. Stages that are gone do not count: upstream leaves
    /// their entries behind.
    fn says_it_is_used(&self, piece: &Piece, keep_aliased: bool) -> bool {
        let exists = |stage: &String| self.stages.contains_key(stage);
        let is_kept = piece.has_chosen_alias || piece.approved_for.iter().any(exists);
        piece.currently_in.iter().any(exists) || keep_aliased && is_kept
    }
}

/// Candidates by the Stage or Warehouse that they are counted for.
#[derive(Default)]
struct Groups<'a>(BTreeMap<&'a str, Vec<Candidate<'a>>>);

impl<'a> Groups<'a> {
    fn add(&mut self, of: &'a str, identity: &'a Identity, since: Option<Time>, is_used: bool) {
        self.0.entry(of).or_default().push(Candidate { identity, since, is_used });
    }

    fn plan(
        self,
        kind: Collected,
        reckoning: Reckoning,
        now: Time,
        limit: impl Fn(&str) -> Limit,
    ) -> Vec<Deletion> {
        let select = |(of, candidates)| select(candidates, &limit(of), reckoning, now);
        let identities = self.0.into_iter().flat_map(select);
        identities.map(|identity| Deletion { kind, identity: identity.clone() }).collect()
    }
}
