//! What callers read: each question is asked before anything is looked at.

use std::sync::Arc;

use super::{Caller, Target, Verb};
use crate::{
    api_error::{ApiError, ApiResult},
    mirror::{Mirror, Object},
};

impl Caller {
    /// One object.
    pub(crate) async fn get(
        &self,
        mirror: &Mirror,
        namespace: &str,
        name: &str,
    ) -> ApiResult<Arc<Object>> {
        let target = Target::one(mirror.kind(), namespace, name);
        self.require(Verb::Get, &target).await.map(drop)?;
        self.check_project(namespace)?;
        let object = mirror.ready()?.get(namespace, name);
        object.ok_or_else(|| ApiError::not_found(target.absence()))
    }

    /// The right to list a namespace, or a kind without namespaces; then the mirror may be read.
    pub(crate) async fn list<'a>(
        &self,
        mirror: &'a Mirror,
        namespace: &str,
    ) -> ApiResult<&'a Mirror> {
        let target = Target::all(mirror.kind(), namespace);
        self.require(Verb::List, &target).await.map(drop)?;
        self.check_project(namespace)?;
        mirror.ready()
    }

    /// Refuses a Project that does not exist. It is asked after the caller's rights, so that
    /// whoever has none in a Project does not learn whether there is one.
    pub(crate) fn check_project(&self, project: &str) -> ApiResult<()> {
        let projects = &self.mirrors().projects;
        if project.is_empty() || projects.ready()?.get("", project).is_some() {
            return Ok(());
        }
        Err(ApiError::not_found(Target::one(projects.kind(), "", project).absence()))
    }
}
