//! Does what a plan wants, so that the process may end at any moment.
//!
//! | order | what | when the process ends after it |
//! |---|---|---|
//! | 1 | Promotions and PromotionRequests are created, verifications begin or end | the next pass finds them |
//! | 2 | the status is written, once | it says what was decided |
//! | 3 | Freight is told | the next pass finds it missing |
//! | 4 | the annotation for Argo CD is set | the next pass finds it missing |
//! | 5 | events are recorded | they are lost |

use std::time::Duration;

use api_kinds::{Promotion, PromotionRequest, Stage, annotations};
use core_rules::{
    event::Event,
    stage::{self, Creation, Effect, FreightUpdate, Plan, Wake},
};
use io_kube::{Failure, Next, ObjectKey, Pass, Precondition, patch_status, status_code};
use kube::{
    Api,
    api::{Patch, PatchParams, PostParams},
};
use serde_json::json;

use super::{Context, observe::Observed, verify};
use crate::telling::occurrence;

/// The reason of the event that must not be lost when the status is not written: the Promotion is there.
const PROMOTION_CREATED: &str = "PromotionCreated";

/// When to look again at what no watch shows.
const LOOK_AGAIN: Duration = Duration::from_secs(10);

/// One plan on its way.
pub(super) struct Execution<'a> {
    pub(super) cx: &'a Context,
    pub(super) pass: &'a Pass,
    pub(super) observed: &'a Observed<'a>,
    pub(super) plan: Plan,
    /// Promotions created by this pass.
    created: Vec<Promotion>,
    /// Whether Freight will change, which wakes the Stage.
    is_woken_by_freight: bool,
}

impl<'a> Execution<'a> {
    pub(super) fn new(
        cx: &'a Context,
        pass: &'a Pass,
        observed: &'a Observed<'a>,
        plan: Plan,
    ) -> Self {
        Self { cx, pass, observed, plan, created: Vec::new(), is_woken_by_freight: false }
    }

    /// Does everything, in the order that is safe.
    pub(super) async fn run(mut self) -> Result<Next, Failure> {
        let effects = std::mem::take(&mut self.plan.effects);
        for effect in &effects {
            self.before_status(effect).await;
        }
        debug_assert_eq!(stage::check(&self.observed.world(), &self.plan), Vec::<String>::new());
        let written = self.write_status().await;
        let events = self.plan.events(&self.observed.world());
        if let Err(error) = written {
            self.tell(events.into_iter().filter(|event| event.reason == PROMOTION_CREATED));
            return Err(error);
        }
        for effect in effects {
            self.after_status(effect).await?;
        }
        self.tell(events);
        self.observed.health.request_refreshes();
        self.next()
    }

    async fn before_status(&mut self, effect: &Effect) {
        match effect {
            Effect::CreatePromotion(creation) => self.create_promotion(creation).await,
            Effect::CreatePromotionRequest(creation) => self.create_request(creation).await,
            Effect::StartVerification(start) => verify::start(self, start).await,
            Effect::TerminateRun { name } => verify::terminate(self, name).await,
            Effect::SetArgoContext(_) | Effect::UpdateFreight(_) => {}
        }
    }

    async fn after_status(&mut self, effect: Effect) -> Result<(), Failure> {
        match effect {
            Effect::UpdateFreight(update) => self.update_freight(&update),
            Effect::SetArgoContext(context) => self.set_argo_context(context).await?,
            Effect::CreatePromotion(_)
            | Effect::CreatePromotionRequest(_)
            | Effect::StartVerification(_)
            | Effect::TerminateRun { .. } => {}
        }
        Ok(())
    }

    async fn create_promotion(&mut self, creation: &Creation) {
        let promotions: Api<Promotion> = self.api();
        let promotion = creation.promotion(&self.observed.stage);
        match promotions.create(&PostParams::default(), &promotion).await {
            Ok(created) => {
                self.pass.wrote(&self.cx.shared.caches.promotions, &created);
                self.plan.promotion_created(&self.observed.world(), creation, &created);
                self.created.push(created);
            }
            Err(error) => self.not_created(creation, &error),
        }
    }

    async fn create_request(&mut self, creation: &Creation) {
        let requests: Api<PromotionRequest> = self.api();
        let ulid = self.cx.ulid();
        let request = creation.request(&self.observed.stage, ulid);
        match requests.create(&PostParams::default(), &request).await {
            Ok(created) => {
                self.pass.wrote(&self.cx.shared.caches.promotion_requests, &created);
                self.plan.request_created(&self.observed.world(), &created);
            }
            Err(error) => self.not_created(creation, &error),
        }
    }

    fn not_created(&mut self, creation: &Creation, error: &kube::Error) {
        let (world, text) = (self.observed.world(), text(error));
        match status_code(error) {
            Some(403) => self.plan.creation_denied(&world, creation, &text),
            _ => self.plan.creation_failed(&world, creation, &text),
        }
        if status_code(error).is_none_or(|code| code >= 500) {
            self.cx.doubts.lock().insert(ObjectKey::of(&*self.observed.stage));
        }
    }

    async fn write_status(&self) -> Result<(), Failure> {
        let old = &*self.observed.stage;
        if old.status == self.plan.status {
            return Ok(());
        }
        let Stage { metadata, spec, .. } = old.clone();
        let new = Stage { metadata, spec, status: self.plan.status.clone() };
        let client = &self.cx.shared.client;
        if let Some(written) = patch_status(client, old, &new, Precondition::Version).await? {
            self.pass.wrote(&self.cx.shared.caches.stages, &written);
        }
        Ok(())
    }

    /// Hands the change over; the Stage is not planned again before it is to be seen.
    fn update_freight(&mut self, update: &FreightUpdate) {
        if let Some(freight) = self.observed.freight(&update.freight) {
            self.is_woken_by_freight |=
                self.cx.update_freight(self.pass, &self.observed.stage, freight, update);
        }
    }

    async fn set_argo_context(&self, context: Option<String>) -> Result<(), Failure> {
        let stages: Api<Stage> = self.api();
        let patch = json!({"metadata": {"annotations": {annotations::ARGOCD_CONTEXT: context}}});
        let (name, params) = (self.name(), PatchParams::default());
        let written = stages.patch(name, &params, &Patch::Merge(patch)).await?;
        self.pass.wrote(&self.cx.shared.caches.stages, &written);
        Ok(())
    }

    fn tell(&self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            let created = self
                .created
                .iter()
                .map(|created| &created.metadata)
                .find(|created| created.name.as_deref() == Some(&event.name));
            let freight = self.observed.freight(&event.name).map(|freight| &freight.metadata);
            self.cx.events.record(occurrence(event, created.or(freight)));
        }
    }

    fn next(self) -> Result<Next, Failure> {
        if let Some(error) = self.plan.error {
            return Err(Failure::transient(error));
        }
        Ok(match self.plan.next {
            Wake::Rest if self.observed.is_blind() => Next::After(LOOK_AGAIN),
            Wake::Rest => Next::Done,
            Wake::Now { .. } if self.is_woken_by_freight => Next::Done,
            Wake::Now { .. } => Next::Now,
            Wake::At { time, .. } => Next::After(time.since(self.cx.shared.now())),
        })
    }

    /// Requests for objects beside the Stage.
    pub(super) fn api<K>(&self) -> Api<K>
    where
        K: kube::Resource<Scope = kube::core::NamespaceResourceScope, DynamicType = ()>,
    {
        let namespace = self.observed.stage.metadata.namespace.as_deref().unwrap_or_default();
        Api::namespaced(self.cx.shared.client.clone(), namespace)
    }

    fn name(&self) -> &str {
        self.observed.stage.metadata.name.as_deref().unwrap_or_default()
    }
}

/// What the API server says, without its frame.
pub(super) fn text(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) => status.message.clone(),
        other => other.to_string(),
    }
}
