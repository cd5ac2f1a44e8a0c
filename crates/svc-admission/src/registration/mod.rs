//! Which writes are asked about: one table for routing and for the configurations of an API server.

mod configuration;

use api_kinds::{VERSION, labels};
use core_rules::admission::Operation::{self, Create, Delete, Update};
use serde_json::Value;

use crate::{
    Phase::{self, Mutate, Validate},
    Request,
    admitter::is_ours,
};

pub use configuration::{Address, Registration, configurations};

/// Whose rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handler {
    ClusterConfig,
    ClusterPromotionTask,
    Freight,
    Project,
    ProjectConfig,
    Promotion,
    PromotionRequest,
    PromotionTask,
    Replica,
    Shard,
    Stage,
    Warehouse,
}

/// One webhook.
pub(crate) struct Webhook {
    phase: Phase,
    handler: Handler,
    /// The first part of its name.
    name: &'static str,
    /// The last part of its path.
    path: &'static str,
    resources: &'static [&'static str],
    operations: &'static [Operation],
    scope: &'static str,
    /// Whether it writes anything when it is no dry run.
    has_effects: bool,
}

impl Webhook {
    const fn new(
        phase: Phase,
        handler: Handler,
        name: &'static str,
        resources: &'static [&'static str],
    ) -> Self {
        Self {
            phase,
            handler,
            name,
            path: name,
            resources,
            operations: &[Create, Update],
            scope: "Namespaced",
            has_effects: false,
        }
    }

    const fn on_delete_too(mut self) -> Self {
        self.operations = &[Create, Update, Delete];
        self
    }

    const fn of_cluster(mut self) -> Self {
        self.scope = "Cluster";
        self
    }

    const fn with_effects(mut self) -> Self {
        self.has_effects = true;
        self
    }
}

/// All webhooks. Those of Project and PromotionRequest among the mutating ones, and the one about
/// shards, are not upstream's: they close what it leaves open.
pub(crate) static WEBHOOKS: &[Webhook] = &[
    Webhook::new(Mutate, Handler::Freight, "freight", &["freights"]),
    Webhook::new(Mutate, Handler::Project, "project", &["projects"]).of_cluster(),
    Webhook::new(Mutate, Handler::Promotion, "promotion", &["promotions"]),
    Webhook::new(Mutate, Handler::PromotionRequest, "promotionrequest", &["promotionrequests"]),
    Webhook::new(Mutate, Handler::Stage, "stage", &["stages"]),
    Webhook::new(Mutate, Handler::Warehouse, "warehouse", &["warehouses"]),
    Webhook::new(Validate, Handler::ClusterConfig, "clusterconfig", &["clusterconfigs"])
        .of_cluster(),
    Webhook::new(
        Validate,
        Handler::ClusterPromotionTask,
        "clusterpromotiontask",
        &["clusterpromotiontasks"],
    )
    .of_cluster(),
    Webhook::new(Validate, Handler::Freight, "freight", &["freights", "freights/status"])
        .on_delete_too(),
    Webhook::new(Validate, Handler::Project, "project", &["projects"]).of_cluster().with_effects(),
    Webhook::new(Validate, Handler::ProjectConfig, "projectconfig", &["projectconfigs"])
        .with_effects(),
    Webhook::new(Validate, Handler::Promotion, "promotion", &["promotions"]).on_delete_too(),
    Webhook::new(Validate, Handler::PromotionRequest, "promotionrequest", &["promotionrequests"]),
    Webhook::new(Validate, Handler::PromotionTask, "promotiontask", &["promotiontasks"]),
    Webhook::new(Validate, Handler::Stage, "stage", &["stages"]),
    Webhook::new(Validate, Handler::Warehouse, "warehouse", &["warehouses"]),
    Webhook::new(
        Validate,
        Handler::Shard,
        "shard",
        &["promotionrequests/status", "promotions/status", "stages/status", "warehouses/status"],
    ),
];

/// The kinds that belong to a shard.
const SHARDED: [&str; 4] = ["promotionrequests", "promotions", "stages", "warehouses"];

/// The path of the webhook for replicas.
const REPLICA_PATH: &str = "/validate-v1-replicated-resource";

/// Whose rules apply to a request.
pub(crate) fn handler(phase: Phase, request: &Request<'_>) -> Option<Handler> {
    if is_replica(phase, request) {
        return Some(Handler::Replica);
    }
    let resource = match request.subresource {
        "" => request.resource.to_owned(),
        subresource => format!("{}/{subresource}", request.resource),
    };
    let applies = |webhook: &&Webhook| {
        webhook.phase == phase
            && webhook.resources.contains(&resource.as_str())
            && webhook.operations.contains(&request.operation)
    };
    is_ours(request).then(|| WEBHOOKS.iter().find(applies))?.map(|webhook| webhook.handler)
}

/// Whether the request writes something that belongs to a shard.
pub(crate) fn has_shard(request: &Request<'_>) -> bool {
    is_ours(request) && SHARDED.contains(&request.resource)
}

/// A Secret or ConfigMap with the mark of a replica, in whatever namespace.
fn is_replica(phase: Phase, request: &Request<'_>) -> bool {
    let is_plain = request.group.is_empty()
        && request.subresource.is_empty()
        && ["secrets", "configmaps"].contains(&request.resource);
    let has_mark = |object: &Value| {
        let labels = object.pointer("/metadata/labels");
        labels.is_some_and(|labels| labels.get(labels::REPLICATED_FROM).is_some())
    };
    let objects = [request.object, request.old_object];
    phase == Validate && is_plain && objects.into_iter().flatten().any(has_mark)
}

/// The question that a path stands for.
pub(crate) fn phase_of_path(path: &str) -> Option<Phase> {
    let is_known = |webhook: &&Webhook| path_of(webhook) == path;
    match path {
        REPLICA_PATH => Some(Validate),
        _ => WEBHOOKS.iter().find(is_known).map(|webhook| webhook.phase),
    }
}

fn path_of(webhook: &Webhook) -> String {
    let verb = match webhook.phase {
        Mutate => "mutate",
        Validate => "validate",
    };
    format!("/{verb}-kargo-akuity-io-{VERSION}-{}", webhook.path)
}

#[cfg(test)]
mod tests;
