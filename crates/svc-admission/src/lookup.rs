//! What the rules must know, read live; about what our own components do, as a watch shows it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    future::Future,
    sync::Arc,
    time::Duration,
};

use api_kinds::promotion_task::PromotionTaskSpec;
use api_kinds::{
    ClusterPromotionTask, Freight, ProjectConfig, Promotion, PromotionTask, Stage, labels,
};
use core_clock::Clock;
use core_rules::admission::shard::ShardScope;
use core_rules::admission::{Permission, ProjectNamespace, Refusal, User};
use core_rules::gate::PassingStages;
use core_rules::promotion::Task;
use core_rules::stage::{current_collection, includes_freight, is_control_flow};
use io_kube::{AccessRequest, Cache, ObjectKey, Ports, Subject, may};
use k8s_openapi::{
    ClusterResourceScope, NamespaceResourceScope,
    api::core::v1::{Namespace, ServiceAccount},
};
use kube::{Api, Client, Resource, api::ListParams};
use serde::de::DeserializeOwned;

use crate::memo::Memo;

/// How long one read may take; the API server waits ten seconds for all of us.
const READ: Duration = Duration::from_secs(4);
/// How long a permission and the mark of a namespace may be believed.
const BELIEF: Duration = Duration::from_secs(2);
/// How long the shard of a controller may be believed; it changes only with the installation.
const SHARD_BELIEF: Duration = Duration::from_mins(1);
/// How many objects one page of a list holds.
const PAGE: u32 = 500;

/// How closely to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// At what a watch shows, if it shows it. Enough for what a component does by itself: it knows no
    /// more when it decides. Only what allows something may be believed.
    Watched,
    /// At what is there now.
    Live,
}

/// Reads objects, permissions and marks.
pub(crate) struct Lookup {
    client: Client,
    clock: Arc<dyn Clock>,
    stages: Cache<Stage>,
    pieces: Cache<Freight>,
    grants: Memo<Grant, ()>,
    projects: Memo<String, ()>,
    scopes: Memo<String, Option<ShardScope>>,
}

/// Who may promote to what.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Grant {
    user: String,
    uid: String,
    groups: Vec<String>,
    namespace: String,
    stage: String,
}

impl Lookup {
    pub(crate) fn new(client: Client, ports: &Ports) -> Self {
        let clock = ports.clock.clone();
        Self {
            stages: Cache::builder(client.clone()).start(ports),
            pieces: Cache::builder(client.clone()).start(ports),
            client,
            grants: Memo::new(clock.clone(), BELIEF),
            projects: Memo::new(clock.clone(), BELIEF),
            scopes: Memo::new(clock.clone(), SHARD_BELIEF),
            clock,
        }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// An object of a namespace.
    pub(crate) async fn get<K>(&self, namespace: &str, name: &str) -> Result<Option<K>, Refusal>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
            + Clone
            + Debug
            + DeserializeOwned,
    {
        if name.is_empty() || namespace.is_empty() {
            return Ok(None);
        }
        let api: Api<K> = Api::namespaced(self.client.clone(), namespace);
        self.within(api.get_opt(name)).await
    }

    /// A Stage.
    pub(crate) async fn stage(
        &self,
        sight: Sight,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Arc<Stage>>, Refusal> {
        match self.stages.get(&ObjectKey::new(namespace, name)) {
            Some(seen) if sight == Sight::Watched => Ok(Some(seen)),
            _ => Ok(self.get(namespace, name).await?.map(Arc::new)),
        }
    }

    /// A piece of Freight.
    pub(crate) async fn piece(
        &self,
        sight: Sight,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Arc<Freight>>, Refusal> {
        match self.pieces.get(&ObjectKey::new(namespace, name)) {
            Some(seen) if sight == Sight::Watched => Ok(Some(seen)),
            _ => Ok(self.get(namespace, name).await?.map(Arc::new)),
        }
    }

    /// An object without namespace.
    pub(crate) async fn get_cluster<K>(&self, name: &str) -> Result<Option<K>, Refusal>
    where
        K: Resource<DynamicType = (), Scope = ClusterResourceScope>
            + Clone
            + Debug
            + DeserializeOwned,
    {
        if name.is_empty() {
            return Ok(None);
        }
        let api: Api<K> = Api::all(self.client.clone());
        self.within(api.get_opt(name)).await
    }

    /// All objects of a kind in a namespace that labels select.
    async fn list<K>(&self, namespace: &str, selector: &str) -> Result<Vec<K>, Refusal>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
            + Clone
            + Debug
            + DeserializeOwned,
    {
        let api: Api<K> = Api::namespaced(self.client.clone(), namespace);
        let mut parameters = ListParams::default().labels(selector).limit(PAGE);
        let mut objects = Vec::new();
        loop {
            let page = self.within(api.list(&parameters)).await?;
            objects.extend(page.items);
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => parameters = parameters.continue_token(&token),
                None => return Ok(objects),
            }
        }
    }

    /// Whether the namespace belongs to a Project. Only a yes is believed for a moment.
    pub(crate) async fn project_namespace(&self, name: &str) -> Result<ProjectNamespace, Refusal> {
        if self.projects.get(&name.to_owned()).is_some() {
            return Ok(ProjectNamespace::Marked);
        }
        let Some(namespace) = self.get_cluster::<Namespace>(name).await? else {
            return Ok(ProjectNamespace::Missing);
        };
        let mark = namespace.metadata.labels.as_ref().and_then(|all| all.get(labels::PROJECT));
        if mark.map(String::as_str) != Some(labels::TRUE) {
            return Ok(ProjectNamespace::Unmarked);
        }
        self.projects.put(name.to_owned(), ());
        Ok(ProjectNamespace::Marked)
    }

    /// Whether the namespace carries the label of Projects, with whatever value.
    pub(crate) async fn has_project_label(&self, name: &str) -> Result<bool, Refusal> {
        let namespace = self.get_cluster::<Namespace>(name).await?;
        let labels = namespace.and_then(|namespace| namespace.metadata.labels);
        Ok(labels.is_some_and(|labels| labels.contains_key(labels::PROJECT)))
    }

    /// Whether the user may promote to the Stage. Only a yes is believed for a moment.
    pub(crate) async fn promote(&self, user: &User, namespace: &str, stage: &str) -> Permission {
        let grant = Grant {
            user: user.name.clone(),
            uid: user.uid.clone(),
            groups: user.groups.clone(),
            namespace: namespace.to_owned(),
            stage: stage.to_owned(),
        };
        if self.grants.get(&grant).is_some() {
            return Permission::Granted;
        }
        let subject = Subject {
            user: user.name.clone(),
            uid: user.uid.clone(),
            groups: user.groups.clone(),
            extra: user.extra.clone(),
        };
        let request = AccessRequest {
            verb: "promote".into(),
            group: api_kinds::GROUP.into(),
            resource: "stages".into(),
            namespace: namespace.into(),
            name: stage.into(),
            ..AccessRequest::default()
        };
        match self.within(may(&self.client, &subject, &request)).await {
            Ok(verdict) if verdict.allowed => {
                self.grants.put(grant, ());
                Permission::Granted
            }
            Ok(_) => Permission::Denied,
            Err(error) => {
                tracing::warn!(%error, user = user.name, "access review failed");
                Permission::Unknown
            }
        }
    }

    /// The shard that the user serves, if it is a controller that is held to one.
    pub(crate) async fn shard_scope(
        &self,
        user: &User,
        home: &str,
    ) -> Result<Option<ShardScope>, Refusal> {
        let Some(account) = user.service_account_in(home) else { return Ok(None) };
        if let Some(scope) = self.scopes.get(&account.to_owned()) {
            return Ok(scope);
        }
        let found = self.get::<ServiceAccount>(home, account).await?;
        let labels = found.and_then(|found| found.metadata.labels).unwrap_or_default();
        let scope = ShardScope::of_service_account(&labels);
        self.scopes.put(account.to_owned(), scope.clone());
        Ok(scope)
    }

    /// Whether other Freight of the namespace than `except` has the alias.
    pub(crate) async fn is_alias_taken(
        &self,
        namespace: &str,
        alias: &str,
        except: &str,
    ) -> Result<bool, Refusal> {
        if alias.is_empty() {
            return Ok(false);
        }
        let selector = format!("{}={alias}", labels::ALIAS);
        let freight: Vec<Freight> = self.list(namespace, &selector).await?;
        Ok(freight.iter().any(|freight| freight.metadata.name.as_deref() != Some(except)))
    }

    /// The Freight of a namespace.
    pub(crate) async fn freight(&self, namespace: &str) -> Result<Vec<Freight>, Refusal> {
        self.list(namespace, "").await
    }

    /// The Stages that hold the Freight, and the Promotions that are about to bring it somewhere.
    pub(crate) async fn users_of_freight(
        &self,
        namespace: &str,
        freight: &str,
    ) -> Result<(Vec<String>, Vec<String>), Refusal> {
        let stages: Vec<Stage> = self.list(namespace, "").await?;
        let holds = |stage: &Stage| {
            current_collection(&stage.status)
                .is_some_and(|collection| includes_freight(collection, freight))
        };
        let stages = stages.into_iter().filter(holds).filter_map(|stage| stage.metadata.name);
        let promotions: Vec<Promotion> = self.list(namespace, "").await?;
        let brings = |promotion: &Promotion| {
            promotion.spec.freight == freight
                && !promotion.status.phase.is_terminal()
                && promotion.metadata.deletion_timestamp.is_none()
        };
        let promotions =
            promotions.into_iter().filter(brings).filter_map(|promotion| promotion.metadata.name);
        Ok((stages.collect(), promotions.collect()))
    }

    /// The settings of a Project.
    pub(crate) async fn config(&self, project: &str) -> Result<Option<ProjectConfig>, Refusal> {
        self.get(project, project).await
    }

    /// Those of the tasks that exist.
    pub(crate) async fn tasks(
        &self,
        namespace: &str,
        tasks: BTreeSet<Task>,
    ) -> Result<BTreeMap<Task, PromotionTaskSpec>, Refusal> {
        let mut found = BTreeMap::new();
        for task in tasks {
            let spec = match &task {
                Task::Project(name) => {
                    self.get::<PromotionTask>(namespace, name).await?.map(|task| task.spec)
                }
                Task::Cluster(name) => {
                    self.get_cluster::<ClusterPromotionTask>(name).await?.map(|task| task.spec)
                }
            };
            found.extend(spec.map(|spec| (task, spec)));
        }
        Ok(found)
    }

    /// Those Stages before `stage` that only pass Freight on; asked only where soak matters.
    pub(crate) async fn passing_stages(&self, stage: &Stage) -> Result<PassingStages, Refusal> {
        let namespace = stage.metadata.namespace.as_deref().unwrap_or_default();
        let requests = stage.spec.requested_freight.iter();
        let soaking = requests.filter(|request| request.sources.required_soak_time.is_some());
        let names: BTreeSet<&String> =
            soaking.flat_map(|request| &request.sources.stages).collect();
        let mut passing = PassingStages::new();
        for name in names {
            let upstream: Option<Stage> = self.get(namespace, name).await?;
            if upstream.is_some_and(|upstream| is_control_flow(&upstream)) {
                passing.insert(name.clone());
            }
        }
        Ok(passing)
    }

    /// The outcome of a read within the time that one may take.
    pub(crate) async fn within<T>(
        &self,
        read: impl Future<Output = Result<T, kube::Error>>,
    ) -> Result<T, Refusal> {
        tokio::select! {
            biased;
            outcome = read => outcome.map_err(|error| unexpected(&error)),
            () = self.clock.sleep(READ) => {
                Err(Refusal::internal("the API server did not answer in time"))
            }
        }
    }
}

/// What the API server said, in its own words.
fn unexpected(error: &kube::Error) -> Refusal {
    match error {
        kube::Error::Api(status) if !status.message.is_empty() => {
            Refusal::internal(&status.message)
        }
        other => Refusal::internal(other),
    }
}
