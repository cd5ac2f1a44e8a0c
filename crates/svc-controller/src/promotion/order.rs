//! A Promotion as the driver of steps gets it.

use std::sync::Arc;

use api_kinds::{Freight, Promotion, Stage, Target, annotations, promotion::PromotionStatus};
use core_engine::{Attempt, Progress};
use core_rules::{actor::creator_of, argo_cd::Awaited};
use futures::future::BoxFuture;
use jiff::Timestamp;
use kube::ResourceExt;
use serde_json::Value;
use work_steps::{
    StepCx, Subject,
    driver::{Order, Runner, Target as OrderTarget, Traits},
};

use super::ticket::Ticket;

/// What a Promotion is run with.
pub(super) struct Begin {
    /// As it was when it was decided to run it.
    pub(super) promotion: Arc<Promotion>,
    pub(super) freight: Arc<Freight>,
    /// Its status once the first step runs.
    pub(super) outset: PromotionStatus,
    pub(super) order: Order,
}

impl Begin {
    /// Goes on where the Promotion was.
    pub(super) fn progress(&self) -> Progress {
        Progress::of(&self.outset)
    }
}

/// The order of a Promotion that sets out with this status.
pub(super) fn order(
    promotion: &Promotion,
    outset: &PromotionStatus,
    stage: &Stage,
    freight: &Freight,
    target: Option<&Target>,
    ui_base_url: &str,
) -> Order {
    let notes = promotion.annotations();
    let creator = notes.get(annotations::CREATE_ACTOR).map(String::as_str).unwrap_or_default();
    let collection = outset.freight_collection.iter();
    let subject = Subject {
        project: promotion.namespace().unwrap_or_default(),
        stage: promotion.spec.stage.clone(),
        promotion: promotion.name_any(),
        actor: creator_of(creator).to_owned(),
        is_rollback: notes.get(annotations::ROLLBACK).is_some_and(|value| value == "true"),
        started_at: outset.started_at.as_ref().map_or(Timestamp::UNIX_EPOCH, |time| time.0),
        ui_base_url: ui_base_url.to_owned(),
        requests: stage.spec.requested_freight.clone(),
        freight: collection.flat_map(|held| held.freight.values().cloned()).collect(),
        target_freight: outset.freight.clone().unwrap_or_default(),
        target_freight_alias: freight.alias.clone(),
    };
    Order {
        uid: promotion.uid().unwrap_or_default(),
        subject,
        steps: promotion.spec.steps.clone(),
        vars: promotion.spec.vars.clone(),
        target: target.map(|target| OrderTarget {
            params: serde_json::to_value(&target.spec.params).unwrap_or_default(),
            labels: serde_json::to_value(target.labels()).unwrap_or_default(),
        }),
    }
}

/// Notes which Applications a step looks at, so that their changes wake it.
pub(super) struct NotingRunner {
    pub(super) inner: Arc<dyn Runner>,
    pub(super) ticket: Arc<Ticket>,
    pub(super) argocd_namespace: String,
}

impl Runner for NotingRunner {
    fn traits(&self, kind: &str) -> Option<Traits> {
        self.inner.traits(kind)
    }

    fn wants_text(&self, kind: &str, place: &[String]) -> bool {
        self.inner.wants_text(kind, place)
    }

    fn attempt<'a>(
        &'a self,
        kind: &'a str,
        config: Value,
        cx: &'a StepCx<'a>,
    ) -> BoxFuture<'a, Attempt> {
        self.ticket.await_applications(Awaited::of_step(kind, &config, &self.argocd_namespace));
        self.inner.attempt(kind, config, cx)
    }
}
