//! Objects of any kind, many at once.

mod apply;
mod endpoint;

use api_rest::body::ResourceResults;
use axum::Router;
use core_rules::{
    action::COMPONENT,
    event::freight_created,
    resource::{
        Bootstrap, Checks, Done, Placed, Resource, ResourceError, Step, checks,
        in_order_of_creation, in_order_of_deletion, keep_custody, mask_both, parse, prepare_create,
        prepare_update, result,
    },
};
use http::StatusCode;
use serde_json::Value;

use self::{
    apply::Manager,
    endpoint::{Endpoint, Mode},
};
use super::mount as add;
use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    authentication::Identity,
    caller::{Caller, Grant, Verb},
    document::Document,
    json::RawBody,
    query::Query,
};

/// How often an update is tried while others write the object, if the sender does not say which version they saw:
/// controllers write at any time, and the last write wins.
const TRIES: usize = 5;
/// What is told of the objects behind the first one that failed.
const NOT_TRIED: &str = "not tried, because an object before it failed";
const BOOTSTRAP_REASON: &str = "whoever created a Project in this call owns what is in it";

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    let router = add(router, "CreateResource", resource_create);
    let router = add(router, "UpdateResource", resource_update);
    add(router, "DeleteResource", resource_delete)
}

/// Creates objects.
async fn resource_create(
    caller: Caller,
    query: Query,
    RawBody(body): RawBody,
) -> ApiResult<Document> {
    let placed = in_order_of_creation(parse(&body).map_err(ApiError::refused)?);
    Batch::new(caller, &query)?.each(placed, &Work::Create, 201).await
}

/// Replaces objects, and creates those that are not there if that is asked for. For a manager of fields, merges objects.
async fn resource_update(
    caller: Caller,
    query: Query,
    RawBody(body): RawBody,
) -> ApiResult<Document> {
    let work = match Manager::read(&query)? {
        Some(manager) => Work::Apply(manager),
        None if query.flag("upsert") => Work::Upsert,
        None => Work::Update,
    };
    let placed = in_order_of_creation(parse(&body).map_err(ApiError::refused)?);
    Batch::new(caller, &query)?.each(placed, &work, 200).await
}

/// Deletes objects.
async fn resource_delete(
    caller: Caller,
    query: Query,
    RawBody(body): RawBody,
) -> ApiResult<Document> {
    let placed = in_order_of_deletion(parse(&body).map_err(ApiError::refused)?);
    Batch::new(caller, &query)?.each(placed, &Work::Delete, 200).await
}

/// What happens to every object of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Work {
    Create,
    Update,
    /// Create what is not there, update what is.
    Upsert,
    /// Merge it into what is there, and create what is not.
    Apply(Manager),
    Delete,
}

/// The objects of one call.
struct Batch {
    caller: Caller,
    mode: Mode,
    /// Whether the first failure is the end.
    is_strict: bool,
    bootstrap: Bootstrap,
}

impl Batch {
    fn new(caller: Caller, query: &Query) -> ApiResult<Self> {
        let (mode, is_strict) = (Mode::read(query)?, query.flag("strict"));
        Ok(Self { caller, mode, is_strict, bootstrap: Bootstrap::default() })
    }

    /// Works on objects one by one. What goes wrong with one is told in its place, unless it is alone, or the first one
    /// and the end.
    async fn each(mut self, placed: Placed, work: &Work, success: u16) -> ApiResult<Document> {
        let is_alone = placed.len() == 1;
        let mut results = ResourceResults::default();
        let mut has_ended = false;
        for (index, resource) in placed {
            let is_first = results.results.is_empty();
            let done = if has_ended {
                Done::Failed(NOT_TRIED.to_owned())
            } else {
                match self.one(resource.clone(), work).await {
                    Err(error) if is_alone || (is_first && self.is_strict) => return Err(error),
                    Err(error) => {
                        has_ended = self.is_strict;
                        Done::Failed(error.message().to_owned())
                    }
                    Ok(done) => done,
                }
            };
            results.results.push(result(&resource, index, done));
        }
        let status = if has_ended { StatusCode::MULTI_STATUS.as_u16() } else { success };
        Ok(Document::of(&results)?.with_status(status))
    }

    async fn one(&mut self, resource: Resource, work: &Work) -> ApiResult<Done> {
        match work {
            Work::Create => self.create(resource).await,
            Work::Update => self.update(resource, false).await,
            Work::Upsert => self.update(resource, true).await,
            Work::Apply(manager) => self.apply(resource, manager).await,
            Work::Delete => self.delete(resource).await,
        }
    }

    async fn create(&mut self, resource: Resource) -> ApiResult<Done> {
        let endpoint = Endpoint::find(&self.caller, &resource, self.mode).await?;
        let checks = self.checks(&resource).await?;
        if !resource.name().is_empty() && self.stored(&endpoint, &resource).await?.is_some() {
            return Err(ApiError::refused(resource.exists()));
        }
        self.create_new(endpoint, resource, &checks).await
    }

    async fn update(&mut self, resource: Resource, creates: bool) -> ApiResult<Done> {
        let endpoint = Endpoint::find(&self.caller, &resource, self.mode).await?;
        let checks = self.checks(&resource).await?;
        let mut tries = if resource.resource_version().is_empty() { TRIES } else { 1 };
        loop {
            tries -= 1;
            let Some(stored) = self.stored(&endpoint, &resource).await? else {
                if creates {
                    return self.create_new(endpoint, resource, &checks).await;
                }
                return Err(ApiError::refused(ResourceError::Missing));
            };
            match self.replace(&endpoint, resource.clone(), &stored).await {
                Err(error) if error.status() == StatusCode::CONFLICT && tries > 0 => {}
                replaced => return replaced,
            }
        }
    }

    /// Puts the object in place of the stored one, unless somebody else did so first.
    async fn replace(
        &self,
        endpoint: &Endpoint,
        mut resource: Resource,
        stored: &Value,
    ) -> ApiResult<Done> {
        self.prepare_update(&mut resource, stored)?;
        if let Some(stored) = stored.as_object() {
            keep_custody(&mut resource, stored);
        }
        let grant = self.grant(Verb::Update, endpoint, &resource).await?;
        let written = endpoint.replace(&self.caller, grant, &resource).await;
        Ok(self.updated(stored, written.map_err(|error| error.during(Step::Update))?))
    }

    fn prepare_update(&self, resource: &mut Resource, stored: &Value) -> ApiResult<()> {
        let nothing = serde_json::Map::new();
        let stored = stored.as_object().unwrap_or(&nothing);
        prepare_update(resource, stored, self.actor().as_deref()).map_err(ApiError::refused)
    }

    /// What is told of an update. A dry run is there to be compared with what is stored, but shows no Secrets.
    fn updated(&self, stored: &Value, mut updated: Value) -> Done {
        if self.mode == Mode::Write {
            return Done::Updated(updated);
        }
        let mut stored = stored.clone();
        mask_both(&mut stored, &mut updated);
        Done::WouldUpdate { stored, updated }
    }

    async fn delete(&self, resource: Resource) -> ApiResult<Done> {
        let endpoint = Endpoint::find(&self.caller, &resource, self.mode).await?;
        self.check_secrets(&checks(&resource).map_err(ApiError::refused)?)?;
        let grant = self.caller.require(Verb::Delete, &endpoint.target).await?;
        let deleted = endpoint.delete(&self.caller, grant).await;
        deleted.map_err(|error| error.during(Step::Delete))?;
        Ok(Done::Deleted)
    }

    /// What must hold before the object is written; asked as the caller, whatever it belongs to.
    async fn checks(&self, resource: &Resource) -> ApiResult<Checks> {
        let checks = checks(resource).map_err(ApiError::refused)?;
        self.check_secrets(&checks)?;
        self.caller.require_concern(&checks.concern).await?;
        Ok(checks)
    }

    fn check_secrets(&self, checks: &Checks) -> ApiResult<()> {
        let is_enabled = self.caller.api().settings().secret_management;
        checks.require_secret_management(is_enabled).map_err(ApiError::refused)
    }

    async fn create_new(
        &mut self,
        endpoint: Endpoint,
        mut resource: Resource,
        checks: &Checks,
    ) -> ApiResult<Done> {
        if let Some(promotion) = &checks.promotion {
            self.caller.ask(promotion).await?;
        }
        prepare_create(&mut resource, self.actor().as_deref());
        let grant = self.grant(Verb::Create, &endpoint, &resource).await?;
        let written = endpoint.create(&self.caller, grant, &resource).await;
        let written = written.map_err(|error| error.during(Step::Create))?;
        self.created(&resource, checks, &written);
        Ok(Done::Created(written))
    }

    /// What follows from a creation.
    fn created(&mut self, resource: &Resource, checks: &Checks, written: &Value) {
        if self.mode == Mode::DryRun {
            return;
        }
        self.bootstrap.created(resource);
        if checks.is_told {
            self.tell(written);
        }
    }

    /// The object as it is stored.
    async fn stored(&self, endpoint: &Endpoint, resource: &Resource) -> ApiResult<Option<Value>> {
        let grant = self.grant(Verb::Get, endpoint, resource).await?;
        let stored = endpoint.get(&self.caller, grant).await;
        stored.map_err(|error| error.during(Step::Get))
    }

    async fn grant(
        &self,
        verb: Verb,
        endpoint: &Endpoint,
        resource: &Resource,
    ) -> ApiResult<Grant> {
        if self.bootstrap.covers(resource) {
            return Ok(Grant::of_the_server(BOOTSTRAP_REASON, verb, endpoint.target.clone()));
        }
        self.caller.require(verb, &endpoint.target).await
    }

    /// Who acts, where anybody is known to.
    fn actor(&self) -> Option<String> {
        match self.caller.identity() {
            Identity::Local => None,
            _ => Some(self.caller.actor()),
        }
    }

    /// Tells of Freight that somebody made by hand.
    fn tell(&self, written: &Value) {
        if let Ok(freight) = serde_json::from_value(written.clone()) {
            let actor = self.caller.actor();
            let message = format!("Freight created by {actor:?}");
            self.caller.api().tell(freight_created(&freight, &message, COMPONENT, &actor));
        }
    }
}
