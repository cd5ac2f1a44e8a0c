//! Everything that bears on a Stage, taken from the caches once for a pass.

use std::{collections::BTreeSet, fmt, sync::Arc};

use api_kinds::{
    Freight, Promotion, PromotionRequest, Stage, Target, health::HealthCheckStep,
    origin::FreightOrigin,
};
use core_rules::{
    argo_cd::{ApplicationName, HEALTH_CHECK_KIND, HealthReport},
    auto_promotion,
    health::HealthFinding,
    selector::SelectorError,
    stage::{
        Analysis, HealthSource, Settings, World, current_collection, is_control_flow, is_owned_by,
        is_target_aware,
    },
};
use io_argo::Watched;
use io_kube::{Failure, ObjectKey};
use kube::{Api, ResourceExt, api::ListParams};
use parking_lot::Mutex;

use super::{Context, runs::RunsSeen};
use crate::caches::{Caches, beside};

/// What a pass looks at.
pub(super) struct Observed<'a> {
    pub(super) stage: Arc<Stage>,
    policy: Result<bool, SelectorError>,
    promotions: Vec<Arc<Promotion>>,
    requests: Vec<Arc<PromotionRequest>>,
    freight: Vec<Arc<Freight>>,
    warehouses: BTreeSet<String>,
    passing_stages: BTreeSet<String>,
    targets: Vec<Arc<Target>>,
    pub(super) health: Health,
    runs: Option<RunsSeen>,
    settings: Settings,
    component: &'a str,
    argocd_namespace: &'a str,
}

impl<'a> Observed<'a> {
    /// Looks at everything there is to know about the Stage.
    pub(super) async fn take(cx: &'a Context, stage: Arc<Stage>) -> Self {
        let (caches, settings) = (&cx.shared.caches, &cx.shared.settings);
        let key = ObjectKey::of(&*stage);
        let config = caches.project_configs.get(&beside(&*stage, &key.namespace));
        let mut promotions = caches.promotions_of_stage.get(&key);
        promotions.retain(|promotion| is_owned_by(&stage, &promotion.metadata));
        let mut requests = caches.requests_of_stage.get(&key);
        requests.retain(|request| is_owned_by(&stage, &request.metadata));
        Self {
            policy: auto_promotion::is_enabled(config.as_deref(), &stage),
            promotions,
            requests,
            freight: freight_of(caches, &stage),
            warehouses: warehouses_of(caches, &stage),
            passing_stages: passing_stages_before(caches, &stage),
            targets: targets_of(caches, &stage),
            health: Health::new(cx.shared.applications.clone()),
            runs: cx.runs.look_at(&stage).await,
            settings: Settings {
                verification_grace: settings.verification.grace,
                revokes: settings.verification.revokes,
            },
            component: &cx.component,
            argocd_namespace: &settings.argocd_namespace,
            stage,
        }
    }

    /// The picture, as the rules want it.
    pub(super) fn world(&self) -> World<'_> {
        World {
            stage: &self.stage,
            policy: self.policy.clone(),
            promotions: &self.promotions,
            requests: &self.requests,
            freight: &self.freight,
            warehouses: &self.warehouses,
            passing_stages: &self.passing_stages,
            targets: &self.targets,
            window: None,
            health: &self.health,
            analysis: self.runs.as_ref().map_or(Analysis::Off, |runs| Analysis::On(runs)),
            settings: self.settings,
            component: self.component,
            argocd_namespace: self.argocd_namespace,
        }
    }

    /// Whether something may happen that nothing tells of.
    pub(super) fn is_blind(&self) -> bool {
        self.runs.as_ref().is_some_and(RunsSeen::is_blind)
    }

    /// A piece of Freight that the pass looks at.
    pub(super) fn freight(&self, name: &str) -> Option<&Arc<Freight>> {
        self.freight.iter().find(|freight| freight.metadata.name.as_deref() == Some(name))
    }
}

/// Whether the Promotion that has the turn exists and the cache does not show it. A watch that is broken must not look as
/// if the Promotion were gone: another would be made in its place.
pub(super) async fn misses_current(cx: &Context, stage: &Stage) -> Result<bool, Failure> {
    let Some(current) = &stage.status.current_promotion else { return Ok(false) };
    let key = beside(stage, &current.name);
    if cx.shared.caches.promotions.get(&key).is_some() {
        return Ok(false);
    }
    let promotions: Api<Promotion> = Api::namespaced(cx.shared.client.clone(), &key.namespace);
    let found = promotions.get_opt(&key.name).await?;
    Ok(found.is_some_and(|found| cx.shared.owns(&found) && is_owned_by(stage, &found.metadata)))
}

/// Whether there are Promotions of the Stage that the cache does not show: asked after a creation whose answer got lost,
/// because what it made would be made again.
pub(super) async fn misses_created(cx: &Context, stage: &Stage) -> Result<bool, Failure> {
    let namespace = stage.metadata.namespace.as_deref().unwrap_or_default();
    let promotions: Api<Promotion> = Api::namespaced(cx.shared.client.clone(), namespace);
    let live = promotions.list_metadata(&ListParams::default()).await?;
    Ok(live.iter().any(|promotion| {
        cx.shared.owns(promotion)
            && is_owned_by(stage, &promotion.metadata)
            && cx.shared.caches.promotions.get(&beside(stage, &promotion.name_any())).is_none()
    }))
}

/// All Freight that mentions the Stage.
pub(super) fn freight_mentioning(caches: &Caches, stage: &Stage) -> Vec<Arc<Freight>> {
    let key = ObjectKey::of(stage);
    let mentioning = caches.freight_in_stage.get(&key).into_iter();
    distinct(mentioning.chain(caches.freight_marked_by_stage.get(&key)))
}

/// The Freight of the origins that the Stage asks for, and what it holds.
fn freight_of(caches: &Caches, stage: &Stage) -> Vec<Arc<Freight>> {
    let origins: BTreeSet<&FreightOrigin> =
        stage.spec.requested_freight.iter().map(|request| &request.origin).collect();
    let wanted = origins
        .into_iter()
        .flat_map(|origin| caches.freight_of_warehouse.get(&beside(stage, &origin.name)));
    let inside = caches.freight_in_stage.get(&ObjectKey::of(stage));
    let held = current_collection(&stage.status).into_iter().flat_map(|held| held.freight.values());
    let held = held.filter_map(|item| caches.freight.get(&beside(stage, &item.name)));
    distinct(wanted.chain(inside).chain(held))
}

/// Each piece once, in the order in which they come first.
fn distinct(freight: impl Iterator<Item = Arc<Freight>>) -> Vec<Arc<Freight>> {
    let mut seen = BTreeSet::new();
    freight.filter(|freight| seen.insert(freight.name_any())).collect()
}

/// Those Warehouses that the Stage asks for and that exist.
fn warehouses_of(caches: &Caches, stage: &Stage) -> BTreeSet<String> {
    let names = stage.spec.requested_freight.iter().map(|request| &request.origin.name);
    names.filter(|name| caches.warehouses.get(&beside(stage, name)).is_some()).cloned().collect()
}

/// Those Stages before this one that only pass Freight on.
fn passing_stages_before(caches: &Caches, stage: &Stage) -> BTreeSet<String> {
    let before = stage.spec.requested_freight.iter().flat_map(|request| &request.sources.stages);
    let is_passing = |name: &&String| {
        caches.stages.get(&beside(stage, name)).is_some_and(|before| is_control_flow(&before))
    };
    before.filter(is_passing).cloned().collect()
}

fn targets_of(caches: &Caches, stage: &Stage) -> Vec<Arc<Target>> {
    if !is_target_aware(stage) {
        return Vec::new();
    }
    caches.targets.in_namespace(stage.metadata.namespace.as_deref().unwrap_or_default())
}

/// Carries health checks out on Applications as they were last seen.
pub(super) struct Health {
    applications: Option<Watched>,
    /// Applications that Argo CD should look at again.
    stale: Mutex<BTreeSet<ApplicationName>>,
}

impl Health {
    fn new(applications: Option<Watched>) -> Self {
        Self { applications, stale: Mutex::default() }
    }

    /// Asks Argo CD to look again at what was too old to judge.
    pub(super) fn request_refreshes(&self) {
        let stale: Vec<_> = std::mem::take(&mut *self.stale.lock()).into_iter().collect();
        if let Some(applications) = self.applications.as_ref().filter(|_| !stale.is_empty()) {
            applications.refresh(&stale);
        }
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Health").field("stale", &self.stale).finish_non_exhaustive()
    }
}

impl HealthSource for Health {
    fn check(&self, check: &HealthCheckStep) -> HealthFinding {
        if check.uses != HEALTH_CHECK_KIND {
            return HealthFinding::of_unknown_kind(&check.uses);
        }
        let report = match &self.applications {
            Some(applications) => applications.health(check.config.as_ref()),
            None => HealthReport::without_integration(),
        };
        self.stale.lock().extend(report.refresh);
        report.finding
    }
}
