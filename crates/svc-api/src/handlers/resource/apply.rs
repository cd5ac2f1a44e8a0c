//! Objects that are merged into stored ones, as the manager of the fields that they have.
//!
//! What somebody sends is only a part of what comes of it, so that the whole is made in a dry run first and judged as if
//! it had been sent. What is then written is the same, or somebody was faster and all is asked again.

use core_rules::resource::{Checks, Done, Resource, ResourceError, Step, mask, prepare_create};
use kube::api::PatchParams;
use serde_json::Value;

use super::{
    Batch, TRIES,
    endpoint::{Endpoint, Mode, Refusal},
};
use crate::{
    api_error::{ApiError, ApiResult},
    caller::Verb,
    query::Query,
};

/// The longest name that Kubernetes takes.
const MAX_MANAGER: usize = 128;

/// Who manages the fields of the objects that are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Manager {
    name: String,
    /// Whether fields are taken over from others.
    takes_over: bool,
}

impl Manager {
    /// The manager that a query names, if it does.
    pub(super) fn read(query: &Query) -> ApiResult<Option<Self>> {
        let (name, takes_over) = (query.text("fieldManager").to_owned(), query.flag("force"));
        if name.len() > MAX_MANAGER || name.contains(|one: char| !(' '..='~').contains(&one)) {
            let message =
                format!("fieldManager: must be at most {MAX_MANAGER} printable characters");
            return Err(ApiError::bad_request(message));
        }
        if name.is_empty() && takes_over {
            return Err(ApiError::bad_request("force: needs a fieldManager that takes over"));
        }
        Ok((!name.is_empty()).then_some(Self { name, takes_over }))
    }

    pub(super) fn params(&self, mode: Mode) -> PatchParams {
        PatchParams {
            dry_run: mode == Mode::DryRun,
            force: self.takes_over,
            field_manager: Some(self.name.clone()),
            field_validation: None,
        }
    }
}

impl Batch {
    /// Merges an object into the stored one, or creates it.
    pub(super) async fn apply(&mut self, resource: Resource, manager: &Manager) -> ApiResult<Done> {
        if resource.is_core("Secret") && !self.caller.api().settings().secret_management {
            return Err(ApiError::refused(ResourceError::SecretsDisabled));
        }
        if resource.name().is_empty() {
            let kind = resource.kind();
            let message = format!("{kind}: metadata.name says which one to apply, and is missing");
            return Err(ApiError::bad_request(message));
        }
        let endpoint = Endpoint::find(&self.caller, &resource, self.mode).await?;
        let mut tries = if resource.resource_version().is_empty() { TRIES } else { 1 };
        loop {
            tries -= 1;
            let stored = self.stored(&endpoint, &resource).await?;
            match self.merge(&endpoint, resource.clone(), stored, manager).await {
                Err(Refusal::Outrun(_)) if tries > 0 => {}
                Err(Refusal::Outrun(error) | Refusal::Other(error)) => return Err(error),
                Ok(done) => return Ok(done),
            }
        }
    }

    async fn merge(
        &mut self,
        endpoint: &Endpoint,
        mut resource: Resource,
        stored: Option<Value>,
        manager: &Manager,
    ) -> Result<Done, Refusal> {
        if let Some(stored) = &stored {
            self.prepare_update(&mut resource, stored)?;
        } else {
            prepare_create(&mut resource, self.actor().as_deref());
            let _grant = self.grant(Verb::Create, endpoint, &resource).await?;
        }
        let grant = self.grant(Verb::Patch, endpoint, &resource).await?;
        let step = if stored.is_some() { Step::Update } else { Step::Create };
        let whole = endpoint.preview(&self.caller, &grant, &resource, manager).await;
        let mut whole = whole.map_err(|refusal| refusal.during(step))?;
        let checks = self.checks_of(&whole).await?;
        if let Some(promotion) = checks.promotion.as_ref().filter(|_| stored.is_none()) {
            self.caller.ask(promotion).await?;
        }
        if self.mode == Mode::Write {
            let written = endpoint.apply(&self.caller, grant, &resource, manager).await;
            whole = written.map_err(|refusal| refusal.during(step))?;
        }
        let Some(stored) = stored else {
            self.created(&resource, &checks, &whole);
            mask(&mut whole);
            return Ok(Done::Created(whole));
        };
        if self.mode == Mode::Write {
            // There may be more in it than was sent.
            mask(&mut whole);
        }
        Ok(self.updated(&stored, whole))
    }

    /// What must hold before an object becomes this.
    async fn checks_of(&self, whole: &Value) -> ApiResult<Checks> {
        let whole = whole.as_object().cloned().and_then(Resource::new);
        let whole = whole.ok_or_else(|| ApiError::internal("a merge came to no object"))?;
        self.checks(&whole).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<Option<Manager>, String> {
        Manager::read(&Query::parse(query)).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_manager_has_a_name() {
        let manager = |takes_over| Some(Manager { name: "me".to_owned(), takes_over });
        assert_eq!(read("upsert=true"), Ok(None));
        assert_eq!(read("fieldManager=me"), Ok(manager(false)));
        assert_eq!(read("fieldManager=me&force=true"), Ok(manager(true)));
        let refused = read("force=true").unwrap_err();
        assert_eq!(refused, "force: needs a fieldManager that takes over");
        for name in ["%0A".to_owned(), "x".repeat(129)] {
            let refused = read(&format!("fieldManager={name}")).unwrap_err();
            assert_eq!(refused, "fieldManager: must be at most 128 printable characters");
        }
    }
}
