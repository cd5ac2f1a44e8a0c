//! What the controllers of a shard know, kept by one watch for each kind and shared by all of them.
//!
//! Stages and Warehouses of other shards are known too: whether a Stage only passes Freight on, or
//! whether a Warehouse exists, counts across shards. Whose work an object is says [`Shard::owns`].

use std::collections::BTreeSet;

use api_kinds::{
    Freight, ProjectConfig, Promotion, PromotionRequest, Stage, Target, Warehouse,
    origin::FreightOriginKind,
};
use core_rules::{promotion::reduce_to_outcome, shard::Shard, stage::is_target_aware};
use io_kube::{Cache, CacheBuilder, Index, Object, ObjectKey, Ports};
use kube::{Client, Resource};

/// All caches, and who asks them for what.
#[derive(Clone)]
pub(crate) struct Caches {
    pub(crate) stages: Cache<Stage>,
    /// Those that ended as [`reduce_to_outcome`] leaves them.
    pub(crate) promotions: Cache<Promotion>,
    pub(crate) promotion_requests: Cache<PromotionRequest>,
    pub(crate) freight: Cache<Freight>,
    pub(crate) warehouses: Cache<Warehouse>,
    pub(crate) project_configs: Cache<ProjectConfig>,
    pub(crate) targets: Cache<Target>,
    /// Promotions by their Stage.
    pub(crate) promotions_of_stage: Index<Promotion, ObjectKey>,
    /// PromotionRequests by their Stage.
    pub(crate) requests_of_stage: Index<PromotionRequest, ObjectKey>,
    /// Freight by its Warehouse.
    pub(crate) freight_of_warehouse: Index<Freight, ObjectKey>,
    /// Freight by the Stages that hold it.
    pub(crate) freight_in_stage: Index<Freight, ObjectKey>,
    /// Freight by the Stages that verified it or that it is approved for.
    pub(crate) freight_marked_by_stage: Index<Freight, ObjectKey>,
    /// Stages by the Stages before them.
    pub(crate) stages_after_stage: Index<Stage, ObjectKey>,
    /// Stages by the Warehouses they ask for Freight of, directly or not.
    pub(crate) stages_of_warehouse: Index<Stage, ObjectKey>,
    /// Stages with Targets, by namespace.
    pub(crate) stages_with_targets: Index<Stage, String>,
}

impl Caches {
    /// Opens all watches.
    pub(crate) fn start(client: &Client, shard: &Shard, ports: &Ports) -> Self {
        let promotions_of_stage =
            Index::new(|promotion: &Promotion| vec![beside(promotion, &promotion.spec.stage)]);
        let requests_of_stage =
            Index::new(|request: &PromotionRequest| vec![beside(request, &request.spec.stage)]);
        let freight_of_warehouse = Index::new(|freight: &Freight| {
            let origin = &freight.origin;
            let is_warehouse = origin.kind == FreightOriginKind::Warehouse;
            is_warehouse.then(|| beside(freight, &origin.name)).into_iter().collect()
        });
        let freight_in_stage = Index::new(|freight: &Freight| {
            freight.status.currently_in.keys().map(|stage| beside(freight, stage)).collect()
        });
        let freight_marked_by_stage = Index::new(|freight: &Freight| {
            let (verified, approved) = (&freight.status.verified_in, &freight.status.approved_for);
            let only_approved = approved.keys().filter(|stage| !verified.contains_key(*stage));
            verified.keys().chain(only_approved).map(|stage| beside(freight, stage)).collect()
        });
        let stages_after_stage = Index::new(|stage: &Stage| {
            let requests = stage.spec.requested_freight.iter();
            distinct(stage, requests.flat_map(|request| &request.sources.stages))
        });
        let stages_of_warehouse = Index::new(|stage: &Stage| {
            let requests = stage.spec.requested_freight.iter();
            distinct(stage, requests.map(|request| &request.origin.name))
        });
        let stages_with_targets = Index::new(|stage: &Stage| {
            let namespace = stage.metadata.namespace.clone();
            namespace.filter(|_| is_target_aware(stage)).into_iter().collect()
        });
        Self {
            stages: Cache::builder(client.clone())
                .index(&stages_after_stage)
                .index(&stages_of_warehouse)
                .index(&stages_with_targets)
                .start(ports),
            promotions: of_shard(client, shard)
                .reduce(reduce_to_outcome)
                .index(&promotions_of_stage)
                .start(ports),
            promotion_requests: of_shard(client, shard).index(&requests_of_stage).start(ports),
            freight: Cache::builder(client.clone())
                .index(&freight_of_warehouse)
                .index(&freight_in_stage)
                .index(&freight_marked_by_stage)
                .start(ports),
            warehouses: Cache::builder(client.clone()).start(ports),
            project_configs: Cache::builder(client.clone()).start(ports),
            targets: Cache::builder(client.clone()).start(ports),
            promotions_of_stage,
            requests_of_stage,
            freight_of_warehouse,
            freight_in_stage,
            freight_marked_by_stage,
            stages_after_stage,
            stages_of_warehouse,
            stages_with_targets,
        }
    }

    /// Completes when all there is is known.
    pub(crate) async fn synced(&self) {
        self.stages.synced().await;
        self.promotions.synced().await;
        self.promotion_requests.synced().await;
        self.freight.synced().await;
        self.warehouses.synced().await;
        self.project_configs.synced().await;
        self.targets.synced().await;
    }
}

/// A cache of objects that carry the shard themselves.
fn of_shard<K: Object>(client: &Client, shard: &Shard) -> CacheBuilder<K> {
    let own = shard.clone();
    let builder = Cache::builder(client.clone())
        .filter(move |object: &K| own.owns(object.meta().labels.as_ref()));
    match shard.selector() {
        Some(selector) => builder.labels(selector),
        None => builder,
    }
}

/// The key of an object in the same namespace.
pub(crate) fn beside(object: &impl Resource, name: &str) -> ObjectKey {
    ObjectKey::new(object.meta().namespace.clone().unwrap_or_default(), name)
}

fn distinct<'a>(object: &impl Resource, names: impl Iterator<Item = &'a String>) -> Vec<ObjectKey> {
    let names: BTreeSet<&String> = names.collect();
    names.into_iter().map(|name| beside(object, name)).collect()
}
