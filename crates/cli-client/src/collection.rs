//! Objects of one kind at one route: most verbs need no more than this.

use http::Method;
use serde_json::Value;

use crate::{Client, Error, Kind, Object, Route, Scope, Watch, client::Content};

/// The objects of one kind at one place.
#[derive(Clone, Debug)]
pub struct Collection {
    client: Client,
    route: Route,
    kind: Kind,
}

/// A list, and the version that a watch goes on from.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The objects.
    pub items: Vec<Object>,
    /// Empty where the server gives none.
    pub resource_version: String,
}

/// The one object of its kind at its route.
#[derive(Clone, Debug)]
pub struct Singleton {
    client: Client,
    route: Route,
    kind: Kind,
}

impl Client {
    /// All Projects.
    pub fn projects(&self) -> Collection {
        self.collection(Route::of(&["projects"]), Kind::PROJECT)
    }

    /// The Stages of a Project.
    pub fn stages(&self, project: &str) -> Collection {
        self.in_project(project, "stages", Kind::STAGE)
    }

    /// The Warehouses of a Project.
    pub fn warehouses(&self, project: &str) -> Collection {
        self.in_project(project, "warehouses", Kind::WAREHOUSE)
    }

    /// The Promotions of a Project.
    pub fn promotions(&self, project: &str) -> Collection {
        self.in_project(project, "promotions", Kind::PROMOTION)
    }

    /// The PromotionRequests of a Project.
    pub fn promotion_requests(&self, project: &str) -> Collection {
        self.in_project(project, "promotion-requests", Kind::PROMOTION_REQUEST)
    }

    /// The Targets of a Project.
    pub fn targets(&self, project: &str) -> Collection {
        self.in_project(project, "targets", Kind::TARGET)
    }

    /// The Freight of a Project, by name or alias.
    pub fn freight(&self, project: &str) -> Collection {
        self.in_project(project, "freight", Kind::FREIGHT)
    }

    /// The PromotionTasks of a Project.
    pub fn promotion_tasks(&self, project: &str) -> Collection {
        self.in_project(project, "promotion-tasks", Kind::PROMOTION_TASK)
    }

    /// The PromotionTasks of the installation.
    pub fn cluster_promotion_tasks(&self) -> Collection {
        let route = Route::of(&["shared", "cluster-promotion-tasks"]);
        self.collection(route, Kind::CLUSTER_PROMOTION_TASK)
    }

    /// The AnalysisTemplates of a Project.
    pub fn analysis_templates(&self, project: &str) -> Collection {
        self.in_project(project, "analysis-templates", Kind::ANALYSIS_TEMPLATE)
    }

    /// The AnalysisTemplates of the installation.
    pub fn cluster_analysis_templates(&self) -> Collection {
        let route = Route::of(&["shared", "cluster-analysis-templates"]);
        self.collection(route, Kind::CLUSTER_ANALYSIS_TEMPLATE)
    }

    /// The AnalysisRuns of a Project; they can be read by name only.
    pub fn analysis_runs(&self, project: &str) -> Collection {
        self.in_project(project, "analysis-runs", Kind::ANALYSIS_RUN)
    }

    /// The Events of a Project; they can be listed only.
    pub fn events(&self, project: &str) -> Collection {
        self.in_project(project, "events", Kind::EVENT)
    }

    /// Roles of a Project or of the installation.
    pub fn roles(&self, scope: &Scope) -> Collection {
        self.collection(scope.route().word("roles"), Kind::ROLE)
    }

    /// API tokens of a Project or of the installation.
    pub fn api_tokens(&self, scope: &Scope) -> Collection {
        self.collection(scope.route().word("api-tokens"), Kind::SECRET)
    }

    /// Credentials of repositories.
    pub fn repo_credentials(&self, scope: &Scope) -> Collection {
        self.collection(scope.route().word("repo-credentials"), Kind::SECRET)
    }

    /// Credentials of anything else.
    pub fn generic_credentials(&self, scope: &Scope) -> Collection {
        self.collection(scope.route().word("generic-credentials"), Kind::SECRET)
    }

    /// ConfigMaps.
    pub fn config_maps(&self, scope: &Scope) -> Collection {
        self.collection(scope.route().word("configmaps"), Kind::CONFIG_MAP)
    }

    /// The settings of a Project.
    pub fn project_config(&self, project: &str) -> Singleton {
        let route = Route::of(&["projects"]).name(project).word("config");
        Singleton { client: self.clone(), route, kind: Kind::PROJECT_CONFIG }
    }

    /// The settings of the installation.
    pub fn cluster_config(&self) -> Singleton {
        let route = Route::of(&["system", "cluster-config"]);
        Singleton { client: self.clone(), route, kind: Kind::CLUSTER_CONFIG }
    }

    fn in_project(&self, project: &str, word: &'static str, kind: Kind) -> Collection {
        self.collection(Route::of(&["projects"]).name(project).word(word), kind)
    }

    fn collection(&self, route: Route, kind: Kind) -> Collection {
        Collection { client: self.clone(), route, kind }
    }
}

impl Collection {
    /// What the objects are.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// With a parameter on every list and get.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.route = self.route.query(name, value);
        self
    }

    /// The same objects in another form.
    #[must_use]
    pub fn as_kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// All of them.
    pub async fn list(&self) -> Result<List, Error> {
        Ok(self.read_list(self.client.get(&self.route).await?))
    }

    /// One of them.
    pub async fn get(&self, name: &str) -> Result<Object, Error> {
        Ok(Object::of(self.kind, self.client.get(&self.route.clone().name(name)).await?))
    }

    /// A new one.
    pub async fn create(&self, body: Value) -> Result<Object, Error> {
        let made = self.client.exchange(Method::POST, &self.route, Content::Json(body)).await?;
        Ok(Object::of(self.kind, made))
    }

    /// One of them with some of its fields changed.
    pub async fn patch(&self, name: &str, body: Value) -> Result<Object, Error> {
        let route = self.route.clone().name(name);
        let changed = self.client.exchange(Method::PATCH, &route, Content::Json(body)).await?;
        Ok(Object::of(self.kind, changed))
    }

    /// One of them less.
    pub async fn delete(&self, name: &str) -> Result<(), Error> {
        self.client.act(Method::DELETE, &self.route.clone().name(name), Content::None).await
    }

    /// Has the controllers look at one again.
    pub async fn refresh(&self, name: &str) -> Result<(), Error> {
        let route = self.route.clone().name(name).word("refresh");
        self.client.act(Method::POST, &route, Content::None).await
    }

    /// What happens to one of them from now on, beginning with what it is.
    pub async fn watch(&self, name: &str) -> Result<Watch, Error> {
        Watch::of_object(&self.client, self.route.clone().name(name), self.kind).await
    }

    /// What happens to all of them after a list.
    pub async fn watch_from(&self, list: &List) -> Result<Watch, Error> {
        let version = list.resource_version.clone();
        Watch::of_list(&self.client, self.route.clone(), self.kind, version).await
    }

    /// Lists come as Kubernetes has them, as a bare array, or in groups.
    fn read_list(&self, mut answer: Value) -> List {
        let version = ["/metadata/resourceVersion", "/resourceVersion"];
        let version = version.iter().find_map(|at| answer.pointer(at)?.as_str().map(str::to_owned));
        let items = match answer.pointer_mut("/groups//items").map(Value::take) {
            Some(items) => items,
            None if answer.is_array() => answer,
            None => answer.get_mut("items").map(Value::take).unwrap_or_default(),
        };
        let items = match items {
            Value::Array(items) => items,
            _ => Vec::new(),
        };
        let items = items.into_iter().map(|item| Object::of(self.kind, item)).collect();
        List { items, resource_version: version.unwrap_or_default() }
    }
}

impl Singleton {
    /// The object.
    pub async fn get(&self) -> Result<Object, Error> {
        Ok(Object::of(self.kind, self.client.get(&self.route).await?))
    }

    /// The object no more.
    pub async fn delete(&self) -> Result<(), Error> {
        self.client.act(Method::DELETE, &self.route, Content::None).await
    }

    /// Has the controllers look at it again.
    pub async fn refresh(&self) -> Result<(), Error> {
        let route = self.route.clone().word("refresh");
        self.client.act(Method::POST, &route, Content::None).await
    }

    /// What happens to it from now on, beginning with what it is.
    pub async fn watch(&self) -> Result<Watch, Error> {
        Watch::of_object(&self.client, self.route.clone(), self.kind).await
    }
}
