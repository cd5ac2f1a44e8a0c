//! What came of a plan's effects. Whatever is told, the plan stays one that can be written.

use std::time::Duration;

use api_kinds::condition::{reasons::stage as reasons, types};
use api_kinds::{Freight, Promotion, PromotionRequest};

use super::effect::{Creation, VerificationStart};
use super::plan::{Entrance, Plan};
use super::problem::Problem;
use super::wake::Wake;
use super::world::{RunView, World};
use super::{conditions, current_collection, is_control_flow, queue, request, verification};
use crate::event::{Event, Teller, freight_verification, promotion_automatic};
use crate::wire_time::to_wire;

/// Whoever denied a Promotion does not say when that changes.
const ASK_AGAIN_AFTER: Duration = Duration::from_mins(5);

impl Plan {
    /// A Promotion was created. When nothing is in its way it is its turn, in the same write.
    pub fn promotion_created(
        &mut self,
        world: &World<'_>,
        creation: &Creation,
        promotion: &Promotion,
    ) {
        self.created.push((creation.origin.clone(), promotion.clone()));
        match self.entrance {
            Entrance::Free => queue::begin(world, self, promotion),
            entrance => queue::wait_for(self, entrance),
        }
        conditions::summarise(world, self);
    }

    /// A PromotionRequest was created. When nothing is in its way it is its turn, in the same write.
    pub fn request_created(&mut self, world: &World<'_>, request: &PromotionRequest) {
        match self.entrance {
            Entrance::Free => request::begin(self, request),
            entrance => queue::wait_for(self, entrance),
        }
        conditions::summarise(world, self);
    }

    /// Somebody does not let the Promotion or the PromotionRequest be created. That is told, and asked
    /// again later.
    pub fn creation_denied(&mut self, world: &World<'_>, creation: &Creation, text: &str) {
        self.problems.push(Problem::PromotionDenied {
            origin: creation.origin.clone(),
            freight: creation.freight.clone(),
            text: text.to_owned(),
        });
        let time = self.now + ASK_AGAIN_AFTER;
        self.wake(Wake::At { time, reason: "automatic promotion was denied" });
        conditions::summarise(world, self);
    }

    /// The Promotion or the PromotionRequest could not be created.
    pub fn creation_failed(&mut self, world: &World<'_>, creation: &Creation, text: &str) {
        let Creation { origin, freight, .. } = creation;
        self.failed(world, format!("error promoting Freight {freight:?} from {origin}: {text}"));
    }

    /// An AnalysisRun exists for the verification: it was created, or had been before.
    pub fn verification_started(
        &mut self,
        world: &World<'_>,
        start: &VerificationStart,
        run: &RunView,
    ) {
        verification::started(world, self, start, run);
        self.verification_changed(world);
    }

    /// The verification cannot be carried out, and trying again would not help.
    pub fn verification_impossible(
        &mut self,
        world: &World<'_>,
        start: &VerificationStart,
        message: &str,
    ) {
        verification::impossible(self, start, message);
        self.verification_changed(world);
    }

    /// The verification could not be begun now.
    pub fn verification_postponed(&mut self, world: &World<'_>, text: &str) {
        self.failed(world, format!("error starting verification: {text}"));
    }

    /// The AnalysisRun of an aborted verification could not be told to end.
    pub fn termination_failed(&mut self, world: &World<'_>, text: &str) {
        verification::termination_failed(self, text);
        conditions::summarise(world, self);
    }

    /// So many pieces of Freight could not be marked by a Stage that only passes them on.
    pub fn passing_failed(&mut self, world: &World<'_>, count: usize, text: &str) {
        if count == 0 || !is_control_flow(world.stage) {
            return;
        }
        conditions::restore(world, self);
        let message = format!("failed to verify {count} Freight: {text}");
        self.is_true(types::RECONCILING, reasons::RETRY_AFTER_VERIFICATION_FAILED, &message);
        self.is_false(types::READY, reasons::FREIGHT_VERIFICATION_FAILED, &message);
        self.error = Some(message);
    }

    /// What to tell once the status is written.
    pub fn events(&self, world: &World<'_>) -> Vec<Event> {
        let teller = Teller {
            component: world.component,
            argocd_namespace: world.argocd_namespace,
            now: self.now,
        };
        let created = self.created.iter().map(|(origin, promotion)| {
            let freight = world.freight_named(&promotion.spec.freight).map(AsRef::as_ref);
            promotion_automatic(promotion, freight, origin, &teller)
        });
        let mut events: Vec<Event> = created.collect();
        events.extend(self.verification_events(world));
        events.extend(self.passing_events(world));
        events
    }

    fn verification_events(&self, world: &World<'_>) -> Vec<Event> {
        let Some(ended) = &self.ended else { return Vec::new() };
        let held = current_collection(&self.status).into_iter().flat_map(|c| c.freight.values());
        let freight = held.filter_map(|piece| world.freight_named(&piece.name));
        let promotion = ended.promotion.as_deref();
        let tell = |freight: &Freight| {
            freight_verification(freight, world.stage, &ended.attempt, promotion, world.component)
        };
        freight.map(|freight| tell(freight)).collect()
    }

    fn passing_events(&self, world: &World<'_>) -> Vec<Event> {
        use api_kinds::verification::{VerificationInfo, VerificationPhase};
        let passed = VerificationInfo {
            phase: VerificationPhase::Successful,
            start_time: Some(to_wire(self.now)),
            finish_time: Some(to_wire(self.now)),
            ..VerificationInfo::default()
        };
        let freight = self.passed.iter().filter_map(|name| world.freight_named(name));
        freight
            .map(|freight| {
                freight_verification(freight, world.stage, &passed, None, world.component)
            })
            .collect()
    }

    fn verification_changed(&mut self, world: &World<'_>) {
        verification::describe(self);
        // Freight is marked, and the queue goes on, by what comes of it.
        if self.ended.is_some() {
            self.wake(Wake::Now { reason: "verification ended" });
        }
        conditions::summarise(world, self);
    }

    fn failed(&mut self, world: &World<'_>, error: String) {
        let error = match self.error.take() {
            None => error,
            Some(earlier) => format!("{earlier}; {error}"),
        };
        self.error = Some(error);
        conditions::summarise(world, self);
    }
}
