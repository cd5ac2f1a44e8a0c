//! Roles of people: views over ServiceAccounts and what is bound to them.

use std::sync::Arc;

use api_rest::body::GrantOrRevoke;
use axum::{Router, extract::Path};
use core_rules::{
    access::{
        binding::Bindings,
        escalation,
        role::{
            self, Existing, KargoRole, Parts, Plan, RoleChange, RoleNotFound, is_system_role,
            role_change,
        },
    },
    management::change::{Change, Write},
};
use k8s_openapi::api::{
    core::v1::ServiceAccount,
    rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding},
};
use serde::{Serialize, de::DeserializeOwned};

use super::{Gone, mount as add};
use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    caller::{Caller, Target, Verb},
    document::Document,
    json::Json,
    mirror::{Mirror, kinds},
    place::{Place, Scope},
    query::Query,
};

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    let router = add(router, "ListProjectRoles", role_list);
    let router = add(router, "ListSystemRoles", role_list);
    let router = add(router, "GetProjectRole", role_get);
    let router = add(router, "GetSystemRole", role_get);
    let router = add(router, "CreateProjectRole", role_create);
    let router = add(router, "UpdateRole", role_update);
    let router = add(router, "DeleteProjectRole", role_delete);
    let router = add(router, "Grant", role_grant);
    add(router, "Revoke", role_revoke)
}

/// Lists roles, or the objects behind them.
async fn role_list(caller: Caller, place: Place, query: Query) -> ApiResult<Document> {
    let namespace = namespace(&caller, &place);
    let accounts = list_accounts(&caller, namespace).await?;
    require_reading(&caller, namespace).await?;
    place.check(&caller)?;
    let known = Known::read(&caller, namespace)?;
    let accounts = accounts.list(namespace).objects;
    let accounts = accounts.iter().filter_map(|account| account.typed::<ServiceAccount>());
    let accounts =
        accounts.filter(|account| place.scope != Scope::System || is_system_role(account));
    let parts = accounts.map(|account| known.parts(&account)).collect::<ApiResult<Vec<_>>>()?;
    if query.flag("as-resources") {
        return Document::of(&parts.iter().map(Parts::to_resources).collect::<Vec<_>>());
    }
    Document::of(&parts.iter().map(shown).collect::<ApiResult<Vec<_>>>()?)
}

/// Returns a role, or the objects behind it.
async fn role_get(caller: Caller, place: Place, query: Query) -> ApiResult<Document> {
    let parts = find(&caller, &place, &place.name).await?;
    if query.flag("as-resources") {
        return Document::of(&parts.to_resources());
    }
    Document::of(&shown(&parts)?)
}

/// Creates a role.
async fn role_create(
    caller: Caller,
    Path(project): Path<String>,
    Json(wanted): Json<KargoRole>,
) -> ApiResult<Document> {
    let name = wanted.metadata.name.clone().unwrap_or_default();
    let mirrors = caller.mirrors();
    let existing = Existing {
        account: mirrors.service_accounts.ready()?.get(&project, &name).is_some(),
        role: mirrors.roles.ready()?.get(&project, &name).is_some(),
        role_binding: mirrors.role_bindings.ready()?.get(&project, &name).is_some(),
    };
    let target = Target::one(&kinds::SERVICE_ACCOUNT, &project, &name);
    caller.require(Verb::Create, &target).await.map(drop)?;
    caller.check_project(&project)?;
    let served = caller.api().discovery().resources().await?;
    let plan = role::create(&wanted, &project, existing, &served).map_err(ApiError::refused)?;
    Ok(Document::of(&carry_out(&caller, &project, plan).await?)?.with_status(201))
}

/// Replaces who has a role and what it may do.
async fn role_update(
    caller: Caller,
    place: Place,
    Json(wanted): Json<KargoRole>,
) -> ApiResult<Document> {
    let parts = find(&caller, &place, &place.name).await?;
    let served = caller.api().discovery().resources().await?;
    let plan = role::update(&parts, &wanted, &served).map_err(ApiError::refused)?;
    Document::of(&carry_out(&caller, parts.namespace(), plan).await?)
}

/// Deletes a role.
async fn role_delete(caller: Caller, place: Place) -> ApiResult<Gone> {
    let parts = find(&caller, &place, &place.name).await?;
    let writes = role::delete(&parts).map_err(ApiError::refused)?;
    write_all(&caller, parts.namespace(), writes).await?;
    Ok(Gone)
}

/// Gives a role to people, or a permission to a role.
async fn role_grant(
    caller: Caller,
    place: Place,
    Json(sent): Json<GrantOrRevoke>,
) -> ApiResult<Document> {
    change(&caller, &place, &sent, Direction::Grant).await
}

/// Takes a role from people, or a permission from a role.
async fn role_revoke(
    caller: Caller,
    place: Place,
    Json(sent): Json<GrantOrRevoke>,
) -> ApiResult<Document> {
    change(&caller, &place, &sent, Direction::Revoke).await
}

/// Whether something is given or taken.
#[derive(Clone, Copy)]
enum Direction {
    Grant,
    Revoke,
}

async fn change(
    caller: &Caller,
    place: &Place,
    sent: &GrantOrRevoke,
    direction: Direction,
) -> ApiResult<Document> {
    let change = role_change(sent).map_err(ApiError::refused)?;
    let parts = find(caller, place, &sent.role).await?;
    let plan = match change {
        RoleChange::Claims(people) => match direction {
            Direction::Grant => role::grant_claims(&parts, people),
            Direction::Revoke => role::revoke_claims(&parts, people),
        },
        RoleChange::Permission(permission) => {
            let served = caller.api().discovery().resources().await?;
            match direction {
                Direction::Grant => role::grant_permission(&parts, permission, &served),
                Direction::Revoke => role::revoke_permission(&parts, permission, &served),
            }
        }
    };
    let plan = plan.map_err(ApiError::refused)?;
    Document::of(&carry_out(caller, parts.namespace(), plan).await?)
}

async fn list_accounts<'a>(caller: &'a Caller, namespace: &str) -> ApiResult<&'a Mirror> {
    let accounts = &caller.mirrors().service_accounts;
    caller.require(Verb::List, &Target::all(accounts.kind(), namespace)).await.map(drop)?;
    accounts.ready()
}

/// Where roles of this scope are.
pub(super) fn namespace<'a>(caller: &'a Caller, place: &'a Place) -> &'a str {
    match &place.scope {
        Scope::Project(project) => project,
        Scope::Shared | Scope::System => &caller.api().settings().namespace,
    }
}

fn shown(parts: &Parts) -> ApiResult<KargoRole> {
    parts.to_role().map_err(|error| ApiError::conflict(error.to_string()))
}

/// The objects behind a role.
pub(super) async fn find(caller: &Caller, place: &Place, name: &str) -> ApiResult<Parts> {
    let namespace = namespace(caller, place);
    let accounts = &caller.mirrors().service_accounts;
    let target = Target::one(accounts.kind(), namespace, name);
    caller.require(Verb::Get, &target).await.map(drop)?;
    require_reading(caller, namespace).await?;
    place.check(caller)?;
    let absent = || ApiError::refused(RoleNotFound { name: name.to_owned() });
    let account = accounts.ready()?.get(namespace, name).ok_or_else(absent)?;
    let account: Arc<ServiceAccount> = account.typed().ok_or_else(absent)?;
    if place.scope == Scope::System && !is_system_role(&account) {
        return Err(absent());
    }
    Known::read(caller, namespace)?.parts(&account)
}

async fn require_reading(caller: &Caller, namespace: &str) -> ApiResult<()> {
    let bindings = Target::all(&kinds::ROLE_BINDING, namespace);
    caller.require(Verb::List, &bindings).await.map(drop)?;
    caller.require(Verb::Get, &Target::all(&kinds::ROLE, namespace)).await.map(drop)
}

/// Roles and bindings, read once for many roles.
struct Known {
    roles: Vec<Arc<Role>>,
    cluster_roles: Vec<Arc<ClusterRole>>,
    bindings: Vec<Arc<RoleBinding>>,
    cluster_bindings: Vec<Arc<ClusterRoleBinding>>,
}

impl Known {
    fn read(caller: &Caller, namespace: &str) -> ApiResult<Self> {
        let mirrors = caller.mirrors();
        let is_system = namespace == caller.api().settings().namespace;
        Ok(Self {
            roles: typed(&mirrors.roles, namespace)?,
            cluster_roles: typed(&mirrors.cluster_roles, "")?,
            bindings: typed(&mirrors.role_bindings, namespace)?,
            // Roles of Projects show what they may do there.
            cluster_bindings: if is_system {
                typed(&mirrors.cluster_role_bindings, "")?
            } else {
                Vec::new()
            },
        })
    }

    fn parts(&self, account: &ServiceAccount) -> ApiResult<Parts> {
        let bindings = Bindings::new(
            self.bindings.iter().map(AsRef::as_ref),
            self.cluster_bindings.iter().map(AsRef::as_ref),
        );
        let metadata = &account.metadata;
        let (namespace, name) = (metadata.namespace.as_deref(), metadata.name.as_deref());
        let bound = bindings.of(namespace.unwrap_or_default(), name.unwrap_or_default());
        let is_named =
            |metadata: &api_kinds::ObjectMeta, name: &str| metadata.name.as_deref() == Some(name);
        let role = |name: &str| {
            let found = self.roles.iter().find(|role| is_named(&role.metadata, name));
            found.map(AsRef::as_ref)
        };
        let cluster_role = |name: &str| {
            let found = self.cluster_roles.iter().find(|role| is_named(&role.metadata, name));
            found.map(AsRef::as_ref)
        };
        Parts::gather(account, &bound, role, cluster_role).map_err(ApiError::refused)
    }
}

fn typed<K: DeserializeOwned + Send + Sync + 'static>(
    mirror: &Mirror,
    namespace: &str,
) -> ApiResult<Vec<Arc<K>>> {
    let objects = mirror.ready()?.list(namespace).objects;
    Ok(objects.iter().filter_map(|object| object.typed()).collect())
}

/// Writes what a plan says, if the caller holds what it gives away.
async fn carry_out(caller: &Caller, namespace: &str, plan: Plan) -> ApiResult<KargoRole> {
    let asked = escalation::permissions(&plan.granted, namespace).map_err(ApiError::refused)?;
    caller.require_held(&asked).await?;
    if plan.writes.is_empty() {
        // Whoever may not change roles is told so, also where there is nothing to change.
        caller.require(Verb::Update, &Target::all(&kinds::ROLE, namespace)).await.map(drop)?;
    }
    write_all(caller, namespace, plan.writes).await?;
    Ok(plan.role)
}

async fn write_all(caller: &Caller, namespace: &str, writes: Vec<Write>) -> ApiResult<()> {
    let mirrors = caller.mirrors();
    for write in writes {
        match write {
            Write::ServiceAccount(change) => {
                apply(caller, namespace, &mirrors.service_accounts, change).await?;
            }
            Write::Role(change) => apply(caller, namespace, &mirrors.roles, change).await?,
            Write::RoleBinding(change) => {
                apply(caller, namespace, &mirrors.role_bindings, change).await?;
            }
            // Roles of the cluster are nobody's to change here, and no plan says so.
            Write::ClusterRole(_) | Write::ClusterRoleBinding(_) => {
                return Err(ApiError::internal("a plan for a role of the cluster"));
            }
        }
    }
    Ok(())
}

async fn apply<K>(
    caller: &Caller,
    namespace: &str,
    mirror: &Mirror,
    change: Change<K>,
) -> ApiResult<()>
where
    K: Serialize + DeserializeOwned + kube::Resource<DynamicType = ()>,
{
    let kind = mirror.kind();
    let target = |object: &K| {
        Target::one(kind, namespace, object.meta().name.as_deref().unwrap_or_default())
    };
    match change {
        Change::Create(object) => {
            let grant = caller.require(Verb::Create, &target(&object)).await?;
            caller.create(grant, kind, Some(mirror), &*object).await.map(drop)
        }
        Change::Update(update) => {
            let grant = caller.require(Verb::Update, &target(&update.to)).await?;
            let written = caller.replace(grant, kind, &update.to).await?;
            let version = written.meta().resource_version.as_deref();
            mirror.catch_up(version.and_then(|version| version.parse().ok()).unwrap_or(0)).await;
            Ok(())
        }
        Change::Replace(object) => {
            let grant = caller.require(Verb::Delete, &target(&object)).await?;
            caller.delete(grant, mirror).await?;
            let grant = caller.require(Verb::Create, &target(&object)).await?;
            caller.create(grant, kind, Some(mirror), &*object).await.map(drop)
        }
        Change::Delete(object) => {
            let grant = caller.require(Verb::Delete, &target(&object)).await?;
            caller.delete(grant, mirror).await
        }
    }
}
