//! What a Warehouse's conditions say in each situation.

use api_kinds::condition::{Condition, ConditionStatus, reasons::warehouse as reasons, types};
use core_clock::Time;

use super::assembly::Missing;
use crate::condition::{self, Observation};

/// The conditions that only a pass that looks at Freight knows about.
const ABOUT_FREIGHT: [&str; 2] =
    [types::FREIGHT_CREATION_CRITERIA_SATISFIED, types::FREIGHT_CREATED];

/// The conditions of one Warehouse, at one generation and time.
pub(super) struct Rows<'a> {
    pub(super) conditions: &'a mut Vec<Condition>,
    pub(super) generation: i64,
    pub(super) now: Time,
}

impl Rows<'_> {
    /// A search begins.
    pub(super) fn discovering(&mut self, subscriptions: usize, activities: &[String]) {
        self.searching(subscriptions, activities);
        self.forget_freight();
        let message = "Waiting for discovery to complete";
        self.is_false(types::READY, reasons::DISCOVERY_IN_PROGRESS, message);
        let message = "Health status cannot be determined until artifact discovery is finished";
        self.set(types::HEALTHY, ConditionStatus::Unknown, reasons::PENDING, message);
    }

    /// A search that nobody waits for takes long.
    pub(super) fn searching(&mut self, subscriptions: usize, activities: &[String]) {
        let mut message = format!("Discovering artifacts for {subscriptions} subscriptions");
        if !activities.is_empty() {
            message = format!("{message} ({})", activities.join("; "));
        }
        self.is_true(types::RECONCILING, reasons::SCHEDULED_DISCOVERY, &message);
    }

    /// A search failed and will be repeated.
    pub(super) fn failed(&mut self, subscriptions: usize, error: &str) {
        self.searching(subscriptions, &[]);
        self.forget_freight();
        let message = format!("Artifact discovery failed: {error}");
        self.is_false(types::READY, reasons::DISCOVERY_FAILURE, &message);
        let message = format!("Unable to discover artifacts: {error}");
        self.is_false(types::HEALTHY, reasons::DISCOVERY_FAILED, &message);
    }

    /// A subscription found nothing.
    pub(super) fn missing(&mut self, missing: &Missing) {
        let (ready, healthy) = match missing {
            Missing::Everything | Missing::Artifacts { .. } => {
                (reasons::MISSING_ARTIFACTS, reasons::MISSING_ARTIFACTS)
            }
            Missing::Commits { .. } => (reasons::MISSING_COMMITS, reasons::NO_COMMITS_DISCOVERED),
            Missing::Images { .. } => {
                (reasons::MISSING_IMAGE_REFERENCES, reasons::NO_IMAGE_REFERENCES_DISCOVERED)
            }
            Missing::ChartVersions { .. } => {
                (reasons::MISSING_CHART_VERSIONS, reasons::NO_CHART_VERSIONS_DISCOVERED)
            }
        };
        let message = missing.to_string();
        self.is_false(types::READY, ready, &message);
        self.is_false(types::HEALTHY, healthy, &message);
        self.rest();
    }

    /// The criteria cannot be evaluated.
    pub(super) fn criteria_failed(&mut self, error: &str) {
        let message = format!("Evaluation of Freight creation criteria failed: {error}");
        self.is_false(types::READY, reasons::CRITERIA_EVALUATION_FAILED, &message);
        self.is_false(types::HEALTHY, reasons::CRITERIA_EVALUATION_FAILED, &message);
        self.rest();
    }

    /// The criteria are met, or are not.
    pub(super) fn criteria(&mut self, are_met: bool) {
        let kind = types::FREIGHT_CREATION_CRITERIA_SATISFIED;
        if are_met {
            let message = "Freight creation criteria satisfied";
            self.is_true(kind, reasons::CRITERIA_SATISFIED, message);
        } else {
            let message = "Freight creation criteria were not satisfied";
            self.is_false(kind, reasons::CRITERIA_NOT_SATISFIED, message);
        }
    }

    /// Freight could not be created, which will be tried again.
    pub(super) fn creation_failed(&mut self, message: &str) {
        let reason = reasons::FREIGHT_CREATION_IN_PROGRESS;
        self.is_true(types::RECONCILING, reason, "Creating Freight from latest artifacts");
        self.is_false(types::READY, reasons::FREIGHT_CREATION_FAILURE, message);
        self.is_false(types::HEALTHY, reasons::FREIGHT_BUILD_FAILURE, message);
    }

    /// There is Freight of the newest artifacts, new or not.
    pub(super) fn created(&mut self, is_new: bool) {
        let kind = types::FREIGHT_CREATED;
        if is_new {
            let message = "No Freight composed of the newest artifacts already existed";
            self.is_true(kind, reasons::NEW_FREIGHT, message);
        } else {
            let message = "Freight composed of the newest artifacts already exists";
            self.is_false(kind, reasons::ALREADY_EXISTS, message);
        }
    }

    /// All is well.
    pub(super) fn succeeded(&mut self, subscriptions: usize) {
        let message =
            format!("Successfully discovered artifacts from {subscriptions} subscriptions");
        self.is_true(types::READY, reasons::ARTIFACTS_DISCOVERED, &message);
        self.is_true(types::HEALTHY, reasons::RECONCILIATION_SUCCEEDED, "");
        self.rest();
    }

    /// Nothing is known any more about criteria and Freight.
    pub(super) fn forget_freight(&mut self) {
        for kind in ABOUT_FREIGHT {
            condition::remove(self.conditions, kind);
        }
    }

    /// Nothing is known any more about Freight.
    pub(super) fn forget_created(&mut self) {
        condition::remove(self.conditions, types::FREIGHT_CREATED);
    }

    /// Nothing is under way.
    fn rest(&mut self) {
        condition::remove(self.conditions, types::RECONCILING);
    }

    fn is_true(&mut self, kind: &str, reason: &str, message: &str) {
        self.set(kind, ConditionStatus::True, reason, message);
    }

    fn is_false(&mut self, kind: &str, reason: &str, message: &str) {
        self.set(kind, ConditionStatus::False, reason, message);
    }

    fn set(&mut self, kind: &str, status: ConditionStatus, reason: &str, message: &str) {
        let generation = self.generation;
        let observed = Observation { r#type: kind, status, reason, message, generation };
        condition::set(self.conditions, observed, self.now);
    }
}
