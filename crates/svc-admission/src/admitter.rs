//! Which rules a write meets.

use std::{sync::Arc, time::Duration};

use api_kinds::{ClusterPromotionTask, GROUP, Kind, PromotionTask, Stage, labels};
use core_clock::Clock;
use core_rules::admission::{Admitted, Operation, Refusal, json_patch, promotion_task, replica};
use core_rules::ulid::{MonotonicUlids, Ulid};
use io_kube::Ports;
use kube::Client;
use parking_lot::Mutex;
use serde_json::Value;

use crate::{
    kind,
    lookup::Lookup,
    memo::Memo,
    registration::{self, Handler},
    request::{Admission, Request, Verdict},
    settings::Settings,
    teller::Teller,
};

/// How long a Stage waits between the two questions about one Promotion.
const HANDOVER: Duration = Duration::from_secs(10);

/// The two questions about every write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// How must the object be changed first?
    Mutate,
    /// May it be stored?
    Validate,
}

/// Applies the rules to writes.
pub struct Admitter {
    pub(crate) lookup: Lookup,
    pub(crate) settings: Settings,
    /// Stages of Promotions that were completed and are about to be judged, by their new name.
    pub(crate) stages: Memo<String, Arc<Stage>>,
    ports: Ports,
    teller: Teller,
    ulids: Mutex<MonotonicUlids>,
}

impl Admitter {
    /// An admitter that reads with this client. Its tasks write Events.
    pub fn new(client: Client, settings: Settings, ports: Ports) -> Self {
        Self {
            lookup: Lookup::new(client.clone(), &ports),
            settings,
            stages: Memo::new(ports.clock.clone(), HANDOVER),
            teller: Teller::start(client, &ports),
            ulids: Mutex::default(),
            ports,
        }
    }

    /// Answers one of the two questions. What is not registered is let through.
    pub async fn admit(&self, phase: Phase, request: &Request<'_>) -> Verdict {
        match phase {
            Phase::Mutate => self.mutate(request).await,
            Phase::Validate => self.validate(request).await,
        }
    }

    /// How the object must be changed before its schema is checked.
    pub async fn mutate(&self, request: &Request<'_>) -> Verdict {
        match registration::handler(Phase::Mutate, request) {
            Some(Handler::Freight) => kind::freight::mutate(self, request).await,
            Some(Handler::Promotion) => kind::promotion::mutate(self, request).await,
            Some(Handler::Stage) => kind::stage::mutate(self, request),
            Some(Handler::Warehouse) => kind::warehouse::mutate(request),
            Some(Handler::Project) => kind::project::mutate(self, request),
            Some(Handler::PromotionRequest) => kind::promotion_request::mutate(self, request).await,
            _ => Ok(Admission::default()),
        }
    }

    /// Whether the object may be stored or deleted.
    pub async fn validate(&self, request: &Request<'_>) -> Verdict {
        self.check_shard(request).await?;
        let admitted = match registration::handler(Phase::Validate, request) {
            Some(Handler::Freight) => kind::freight::validate(self, request).await?,
            Some(Handler::Promotion) => kind::promotion::validate(self, request).await?,
            Some(Handler::Stage) => kind::stage::validate(self, request).await?,
            Some(Handler::Warehouse) => kind::warehouse::validate(self, request).await?,
            Some(Handler::Project) => kind::project::validate(self, request).await?,
            Some(Handler::ProjectConfig) => kind::config::validate_project(self, request).await?,
            Some(Handler::ClusterConfig) => kind::config::validate_cluster(request)?,
            Some(Handler::PromotionRequest) => {
                kind::promotion_request::validate(self, request).await?
            }
            Some(Handler::PromotionTask) => self.validate_task(request).await?,
            Some(Handler::ClusterPromotionTask) => {
                let task: ClusterPromotionTask = request.object()?;
                promotion_task::validate_cluster(&task)?;
                Admitted::with_warnings(kind::process::warn_task(&task.spec))
            }
            Some(Handler::Replica) => self.validate_replica(request).await?,
            Some(Handler::Shard) | None => Admitted::default(),
        };
        Ok(self.tell(request, admitted))
    }

    /// The time of the request.
    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.ports.clock
    }

    /// The next identifier for the name of a Promotion.
    pub(crate) fn next_ulid(&self) -> Ulid {
        let mut random = [0; 16];
        self.ports.entropy.fill(&mut random);
        let milliseconds = u64::try_from(self.clock().now().as_millis()).unwrap_or_default();
        self.ulids.lock().next(milliseconds, u128::from_le_bytes(random))
    }

    /// Events are told only of what becomes real.
    fn tell(&self, request: &Request<'_>, mut admitted: Admitted) -> Admission {
        if !request.dry_run {
            self.teller.tell(std::mem::take(&mut admitted.events));
        }
        admitted.into()
    }

    async fn validate_task(&self, request: &Request<'_>) -> Result<Admitted, Refusal> {
        let home = match request.operation {
            Operation::Create => Some(self.lookup.project_namespace(request.namespace).await?),
            Operation::Update | Operation::Delete => None,
        };
        let task: PromotionTask = request.object()?;
        promotion_task::validate(&task, home)?;
        Ok(Admitted::with_warnings(kind::process::warn_task(&task.spec)))
    }

    /// The mark of a replica means something in the namespaces of Projects only. A webhook is asked
    /// about no others; in process we look ourselves, when it matters.
    async fn validate_replica(&self, request: &Request<'_>) -> Result<Admitted, Refusal> {
        let caller = self.settings.identities.caller(request.user);
        match replica::validate(request.operation, &caller) {
            Err(refusal) if self.lookup.has_project_label(request.namespace).await? => Err(refusal),
            _ => Ok(Admitted::default()),
        }
    }

    /// A controller writes only what belongs to its shard.
    async fn check_shard(&self, request: &Request<'_>) -> Result<(), Refusal> {
        if !self.settings.restrict_controllers_to_shard || !registration::has_shard(request) {
            return Ok(());
        }
        let home = &self.settings.namespace;
        let Some(scope) = self.lookup.shard_scope(request.user, home).await? else {
            return Ok(());
        };
        let objects = [request.old_object, request.object];
        let shards: Vec<&str> = objects.into_iter().flatten().map(shard_of).collect();
        scope.check(&request.user.name, request.resource, &shards)
    }
}

fn shard_of(object: &Value) -> &str {
    let labels = object.pointer("/metadata/labels");
    labels.and_then(|labels| labels.get(labels::SHARD)?.as_str()).unwrap_or_default()
}

/// The answer that makes `before` into `after`.
pub(crate) fn changed<K: Kind>(before: &K, after: &K) -> Verdict {
    let encode = |object: &K| serde_json::to_value(object).map_err(Refusal::internal);
    Ok(Admission { patch: json_patch(&encode(before)?, &encode(after)?), warnings: Vec::new() })
}

/// Whether the request concerns one of our kinds.
pub(crate) fn is_ours(request: &Request<'_>) -> bool {
    request.group == GROUP
}
