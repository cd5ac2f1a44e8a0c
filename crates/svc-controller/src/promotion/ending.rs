//! What follows when a Promotion ended: it is told, its logs are kept, its directory goes.

use std::{collections::BTreeMap, time::Duration};

use api_kinds::{API_VERSION, Freight, Promotion, promotion::PromotionPhase};
use core_rules::{
    event::{self, Teller},
    promotion::{self as rules, Abort},
};
use io_kube::{ObjectKey, is_already_exists};
use k8s_openapi::{
    api::core::v1::ConfigMap,
    apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference},
};
use kube::{Api, ResourceExt, api::PostParams};
use work_steps::driver::Directory;

use super::{Context, ticket::Ticket};
use crate::telling::occurrence;

/// How long one request may take.
const REQUEST: Duration = Duration::from_secs(30);

/// Everything that follows when the steps of a Promotion have come to an end; complete when the caches know of it.
pub(super) async fn conclude(
    cx: &Context,
    ticket: &Ticket,
    promotion: &Promotion,
    freight: &Freight,
) {
    tell(cx, promotion, Some(freight), ticket.aborted_by().as_ref());
    let steps = &cx.shared.steps;
    if let Some(data) = rules::log_data(Directory::logs_of(&steps.directory, &ticket.uid)) {
        keep_log(cx, promotion, data).await;
    }
    remove_directory(cx, &ticket.uid);
    seen(cx, promotion.metadata.resource_version.as_deref().unwrap_or_default()).await;
}

/// Completes when the cache knows of this version, or nobody looks at it any more.
pub(super) async fn seen(cx: &Context, version: &str) {
    tokio::select! {
        biased;
        () = cx.shared.caches.promotions.passed(version) => {}
        () = cx.shared.ports.tasks.stopping() => {}
    }
}

/// Tells that a Promotion ended, to people and to those who count.
pub(super) fn tell(
    cx: &Context,
    promotion: &Promotion,
    freight: Option<&Freight>,
    abort: Option<&Abort>,
) {
    cx.metrics.ended(promotion, cx.shared.now());
    let teller = Teller {
        component: &cx.component,
        argocd_namespace: &cx.shared.settings.argocd_namespace,
        now: cx.shared.now(),
    };
    let key = ObjectKey::new(promotion.namespace().unwrap_or_default(), &promotion.spec.stage);
    let stage = cx.shared.caches.stages.get(&key);
    let is_verified = stage.is_some_and(|stage| stage.spec.verification.is_some());
    let event = match abort {
        Some(abort) if promotion.status.phase == PromotionPhase::Aborted => {
            event::promotion_aborted(promotion, freight, &abort.actor, &teller)
        }
        _ => event::promotion_ended(promotion, freight, is_verified, &teller),
    };
    tracing::info!(
        promotion = %ObjectKey::of(promotion),
        phase = promotion.status.phase.as_str(),
        reason = promotion.status.message,
        "promotion ended"
    );
    cx.events.record(occurrence(event, None));
}

/// Removes the work directory of a Promotion. One that stays is swept at the next start.
pub(super) fn remove_directory(cx: &Context, uid: &str) {
    if let Err(error) = Directory::remove(&cx.shared.steps.directory, uid) {
        tracing::warn!(uid, %error, "work directory not removed");
    }
}

/// Keeps what the steps told in a ConfigMap that goes with the Promotion. Best effort.
async fn keep_log(cx: &Context, promotion: &Promotion, data: BTreeMap<String, String>) {
    let log = ConfigMap {
        metadata: ObjectMeta {
            name: Some(rules::log_name(&promotion.name_any())),
            namespace: promotion.namespace(),
            owner_references: Some(vec![OwnerReference {
                api_version: API_VERSION.to_owned(),
                kind: "Promotion".to_owned(),
                name: promotion.name_any(),
                uid: promotion.uid().unwrap_or_default(),
                ..OwnerReference::default()
            }]),
            ..ObjectMeta::default()
        },
        data: Some(data),
        ..ConfigMap::default()
    };
    let kept = cx.shared.ports.within(REQUEST, put_log(cx, &log)).await;
    if let Some(Err(error)) = kept {
        let promotion = ObjectKey::of(promotion);
        tracing::warn!(%promotion, %error, "logs of steps not kept");
    }
}

async fn put_log(cx: &Context, log: &ConfigMap) -> Result<(), kube::Error> {
    let project = log.namespace().unwrap_or_default();
    let logs: Api<ConfigMap> = Api::namespaced(cx.shared.client.clone(), &project);
    match logs.create(&PostParams::default(), log).await {
        // An earlier process kept it, and ended before it could remove the directory.
        Err(error) if is_already_exists(&error) => Ok(()),
        created => created.map(drop),
    }
}
