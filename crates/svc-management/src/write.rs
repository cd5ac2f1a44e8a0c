//! Carries out planned changes. Everything here can be repeated.

use core_rules::management::change::{Change, Write};
use io_kube::{
    Cache, ObjectKey, Pass, Precondition, is_already_exists, is_conflict, is_not_found,
    patch_object,
};
use kube::{
    Api, Resource,
    api::{DeleteParams, PostParams, Preconditions},
};
use serde::{Serialize, de::DeserializeOwned};

use crate::context::Context;

/// Whether an object was there already that the cache did not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// It is as planned.
    AsPlanned,
    /// Another object has the name. If it is our concern, its cache will tell.
    Occupied,
}

/// Writes a part of a Project's grants.
pub(crate) async fn apply_grant(
    cx: &Context,
    pass: &Pass,
    project: &str,
    write: &Write,
) -> Result<Written, kube::Error> {
    let (client, caches) = (cx.client.clone(), &cx.caches);
    match write {
        Write::ServiceAccount(change) => {
            let api = Api::namespaced(client, project);
            apply(cx, pass, &api, &caches.service_accounts, change).await
        }
        Write::Role(change) => {
            let api = Api::namespaced(client, project);
            apply(cx, pass, &api, &caches.roles, change).await
        }
        Write::RoleBinding(change) => {
            let api = Api::namespaced(client, project);
            apply(cx, pass, &api, &caches.role_bindings, change).await
        }
        Write::ClusterRole(change) => {
            apply(cx, pass, &Api::all(client), &caches.cluster_roles, change).await
        }
        Write::ClusterRoleBinding(change) => {
            apply(cx, pass, &Api::all(client), &caches.cluster_role_bindings, change).await
        }
    }
}

/// Writes one object; the key is planned again only after `cache` shows it.
pub(crate) async fn apply<K>(
    cx: &Context,
    pass: &Pass,
    api: &Api<K>,
    cache: &Cache<K>,
    change: &Change<K>,
) -> Result<Written, kube::Error>
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + Serialize + DeserializeOwned,
    K: Send + Sync + 'static,
{
    let created = match change {
        Change::Create(object) => api.create(&PostParams::default(), object).await,
        Change::Update(update) => {
            let patched = patch_object(&cx.client, &update.from, &update.to, Precondition::Version);
            if let Some(written) = patched.await? {
                pass.wrote(cache, &written);
            }
            return Ok(Written::AsPlanned);
        }
        Change::Replace(object) => {
            let name = object.meta().name.as_deref().unwrap_or_default();
            if let Some(existing) = cache.get(&ObjectKey::of(object.as_ref())) {
                delete(api, existing.as_ref()).await?;
            }
            tracing::info!(kind = %K::kind(&()), name, "made again: a fixed field differed");
            api.create(&PostParams::default(), object).await
        }
        Change::Delete(object) => {
            delete(api, object.as_ref()).await?;
            return Ok(Written::AsPlanned);
        }
    };
    match created {
        Ok(written) => {
            pass.wrote(cache, &written);
            Ok(Written::AsPlanned)
        }
        Err(error) if is_already_exists(&error) => Ok(Written::Occupied),
        Err(error) => Err(error),
    }
}

/// Deletes exactly this object, if it is still there.
pub(crate) async fn delete<K>(api: &Api<K>, object: &K) -> Result<(), kube::Error>
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + DeserializeOwned,
{
    let metadata = object.meta();
    let only_this = Preconditions { uid: metadata.uid.clone(), resource_version: None };
    let params = DeleteParams { preconditions: Some(only_this), ..DeleteParams::default() };
    let name = metadata.name.as_deref().unwrap_or_default();
    match api.delete(name, &params).await {
        Ok(_) => Ok(()),
        // Gone, or another object of the same name took its place.
        Err(error) if is_not_found(&error) || is_conflict(&error) => Ok(()),
        Err(error) => Err(error),
    }
}
