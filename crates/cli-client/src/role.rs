//! Roles, what they may do, and their tokens.

use http::Method;
use serde_json::{Value, json};

use crate::{Client, Error, Kind, Object, Route, Scope, client::Content};

/// Values of a claim that an identity provider makes about a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The name of the claim.
    pub name: String,
    /// Any of these.
    pub values: Vec<String>,
}

/// What is given to a role or taken from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Users, by what is claimed about them.
    Users(Vec<Claim>),
    /// Verbs on a type of object, or on one of them.
    Permissions {
        /// The plural of the type.
        resource_type: String,
        /// One object; empty for all.
        resource_name: String,
        /// The verbs.
        verbs: Vec<String>,
    },
}

impl Claim {
    /// The wire form of claims.
    pub fn list(claims: &[Self]) -> Value {
        claims.iter().map(|one| json!({ "name": one.name, "values": one.values })).collect()
    }
}

impl Change {
    fn body(&self, role: &str) -> Value {
        match self {
            Self::Users(claims) => {
                json!({ "role": role, "userClaims": { "claims": Claim::list(claims) } })
            }
            Self::Permissions { resource_type, resource_name, verbs } => json!({
                "role": role,
                "resourceDetails": {
                    "resourceType": resource_type,
                    "resourceName": resource_name,
                    "verbs": verbs,
                },
            }),
        }
    }
}

impl Client {
    /// Gives something to a role.
    pub async fn grant(&self, project: &str, role: &str, change: &Change) -> Result<Object, Error> {
        self.change_role(project, "grants", change.body(role)).await
    }

    /// Takes something from a role.
    pub async fn revoke(
        &self,
        project: &str,
        role: &str,
        change: &Change,
    ) -> Result<Object, Error> {
        self.change_role(project, "revocations", change.body(role)).await
    }

    /// Makes a token of a role; the answer holds it in clear, this once.
    pub async fn create_api_token(
        &self,
        scope: &Scope,
        role: &str,
        name: &str,
    ) -> Result<Object, Error> {
        let route = scope.route().word("roles").name(role).word("api-tokens");
        let body = Content::Json(json!({ "name": name }));
        Ok(Object::of(Kind::SECRET, self.exchange(Method::POST, &route, body).await?))
    }

    async fn change_role(
        &self,
        project: &str,
        word: &'static str,
        body: Value,
    ) -> Result<Object, Error> {
        let route = Route::of(&["projects"]).name(project).word("roles").word(word);
        let changed = self.exchange(Method::POST, &route, Content::Json(body)).await?;
        Ok(Object::of(Kind::ROLE, changed))
    }
}
