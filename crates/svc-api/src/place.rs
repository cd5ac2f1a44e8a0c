//! Where objects are that routes of several scopes are about.

use axum::extract::{FromRequestParts, RawPathParams};
use http::request::Parts;

use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    caller::{Caller, Grant, Target, Verb},
    settings::Settings,
};

/// What a path says: a scope, and the name of an object in it, if it names one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) scope: Scope,
    /// Empty for the paths of lists.
    pub(crate) name: String,
}

/// Whose objects they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Those of a Project.
    Project(String),
    /// Those that all Projects share.
    Shared,
    /// Those of the installation.
    System,
}

impl FromRequestParts<Api> for Place {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, ApiError> {
        let unread = |_| ApiError::bad_request("the path cannot be read");
        let params = RawPathParams::from_request_parts(parts, api).await.map_err(unread)?;
        let params = params.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Ok(Self::of(parts.uri.path(), params))
    }
}

impl Place {
    fn of(path: &str, params: impl Iterator<Item = (String, String)>) -> Self {
        let (mut project, mut name) = (None, String::new());
        for (parameter, value) in params {
            match parameter.as_str() {
                "project" => project = Some(value),
                _ => name = value,
            }
        }
        let scope = match project {
            Some(project) => Scope::Project(project),
            None if path.starts_with("/v1beta1/shared/") => Scope::Shared,
            None => Scope::System,
        };
        Self { scope, name }
    }

    /// The namespace of credentials and ConfigMaps.
    pub(crate) fn namespace<'a>(&'a self, settings: &'a Settings) -> &'a str {
        match &self.scope {
            Scope::Project(project) => project,
            Scope::Shared => &settings.shared_namespace,
            Scope::System => &settings.system_namespace,
        }
    }

    /// The right to do this to an object here, of a Project that exists. In this order, so that
    /// whoever has no rights in a Project does not learn whether there is one.
    pub(crate) async fn require(
        &self,
        caller: &Caller,
        verb: Verb,
        target: &Target,
    ) -> ApiResult<Grant> {
        let grant = caller.require(verb, target).await?;
        self.check(caller)?;
        Ok(grant)
    }

    /// Refuses the objects of a Project that does not exist.
    pub(crate) fn check(&self, caller: &Caller) -> ApiResult<()> {
        match &self.scope {
            Scope::Project(project) => caller.check_project(project),
            Scope::Shared | Scope::System => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Scope};

    #[test]
    fn the_path_says_whose_objects_are_meant() {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let place = |path, params: &[(&str, &str)]| Place::of(path, params.iter().map(pair));
        let project = [("project", "demo"), ("configmap", "c")];
        let scope = Scope::Project("demo".to_owned());
        assert_eq!(
            place("/v1beta1/projects/demo/configmaps/c", &project),
            Place { scope, name: "c".to_owned() }
        );
        assert_eq!(place("/v1beta1/shared/configmaps", &[]).scope, Scope::Shared);
        // A Project may be called like a scope.
        let odd = place("/v1beta1/projects/shared/configmaps", &[("project", "shared")]);
        assert_eq!(odd.scope, Scope::Project("shared".to_owned()));
        assert_eq!(
            place("/v1beta1/system/configmaps/c", &[("configmap", "c")]).scope,
            Scope::System
        );
    }
}
