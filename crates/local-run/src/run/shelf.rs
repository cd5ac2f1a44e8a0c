//! The objects of a file in the place of a control plane.

use api_kinds::{Freight, Promotion, Warehouse};
use core_expr::{Answer, Request};
use futures::{FutureExt, future::BoxFuture};
use k8s_openapi::{
    Metadata,
    api::core::v1::{ConfigMap, Secret},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use parking_lot::Mutex;
use serde_json::{Map, Value};
use work_steps::{ControlPlane, GitIdentity, LookupError, MetadataOf};

use super::objects::Objects;

/// The objects of a file. What steps change is changed here and nowhere else.
pub struct Shelf {
    objects: Mutex<Objects>,
    identity: GitIdentity,
    shared_namespace: String,
}

impl Shelf {
    /// Objects, who commits, and the namespace whose Secrets and ConfigMaps count as shared.
    pub fn new(objects: Objects, identity: GitIdentity, shared_namespace: String) -> Self {
        Self { objects: Mutex::new(objects), identity, shared_namespace }
    }

    fn look_up(&self, project: &str, request: &Request) -> Answer {
        let objects = self.objects.lock();
        let shared = self.shared_namespace.as_str();
        let found = match request {
            Request::Secret(name) => secret(find(&objects.secrets, project, name)),
            Request::SharedSecret(name) => secret(find(&objects.secrets, shared, name)),
            Request::ConfigMap(name) => {
                let here = objects.config_maps.iter();
                let mut here = here.filter(|map| {
                    is_in(&map.metadata, project) || map.metadata.namespace.is_none()
                });
                here.find(|map| is_named(&map.metadata, name)).map(config_map)
            }
            Request::SharedConfigMap(name) => {
                find(&objects.config_maps, shared, name).map(config_map)
            }
            Request::Freight(name) => {
                let found =
                    objects.freight.iter().find(|freight| is_named(&freight.metadata, name));
                found.map(|freight| status(&freight.status))
            }
            Request::Stage(name) => objects.stage(name).map(|stage| status(&stage.status)),
            Request::Warehouse(name) => {
                let found = objects.warehouse(name);
                found.map(|warehouse| Answer::Warehouse(warehouse.spec.subscriptions))
            }
        };
        found.unwrap_or(Answer::Missing)
    }
}

fn is_named(metadata: &ObjectMeta, name: &str) -> bool {
    metadata.name.as_deref() == Some(name)
}

fn is_in(metadata: &ObjectMeta, namespace: &str) -> bool {
    metadata.namespace.as_deref() == Some(namespace)
}

fn find<'a, K: Metadata<Ty = ObjectMeta>>(
    objects: &'a [K],
    namespace: &str,
    name: &str,
) -> Option<&'a K> {
    objects.iter().find(|it| is_in(it.metadata(), namespace) && is_named(it.metadata(), name))
}

fn secret(secret: Option<&Secret>) -> Option<Answer> {
    let secret = secret?;
    let data = secret.data.iter().flatten();
    Some(Answer::Secret {
        labels: secret.metadata.labels.clone().unwrap_or_default(),
        data: data.map(|(key, value)| (key.clone(), value.0.clone())).collect(),
    })
}

fn config_map(map: &ConfigMap) -> Answer {
    Answer::ConfigMap(map.data.clone())
}

fn status(status: &impl serde::Serialize) -> Answer {
    // What came from JSON goes back to JSON.
    Answer::Status(serde_json::to_value(status).unwrap_or_default())
}

fn ready<'a, T: Send + 'a>(value: T) -> BoxFuture<'a, Result<T, LookupError>> {
    std::future::ready(Ok(value)).boxed()
}

impl ControlPlane for Shelf {
    fn answer<'a>(
        &'a self,
        project: &'a str,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Answer, LookupError>> {
        ready(self.look_up(project, request))
    }

    fn warehouse<'a>(
        &'a self,
        _: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Warehouse>, LookupError>> {
        ready(self.objects.lock().warehouse(name))
    }

    fn freight<'a>(
        &'a self,
        _: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Freight>, LookupError>> {
        let objects = self.objects.lock();
        ready(objects.freight.iter().find(|it| is_named(&it.metadata, name)).cloned())
    }

    /// There is no Promotion that anybody but this process could see.
    fn promotion<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Option<Promotion>, LookupError>> {
        ready(None)
    }

    fn set_metadata<'a>(
        &'a self,
        _: &'a str,
        object: MetadataOf<'a>,
        values: &'a Map<String, Value>,
    ) -> BoxFuture<'a, Result<bool, LookupError>> {
        let mut objects = self.objects.lock();
        let metadata = match object {
            MetadataOf::Stage(name) => {
                let found = objects.stages.iter_mut().find(|it| is_named(&it.metadata, name));
                found.map(|stage| &mut stage.status.metadata)
            }
            MetadataOf::Freight(name) => {
                let found = objects.freight.iter_mut().find(|it| is_named(&it.metadata, name));
                found.map(|freight| &mut freight.status.metadata)
            }
        };
        let Some(metadata) = metadata else { return ready(false) };
        for (key, value) in values {
            if value.is_null() {
                metadata.remove(key);
            } else {
                metadata.insert(key.clone(), value.clone());
            }
        }
        ready(true)
    }

    fn set_alias<'a>(
        &'a self,
        _: &'a str,
        freight: &'a str,
        alias: &'a str,
    ) -> BoxFuture<'a, Result<(), LookupError>> {
        let mut objects = self.objects.lock();
        if let Some(found) = objects.freight.iter_mut().find(|it| is_named(&it.metadata, freight)) {
            alias.clone_into(&mut found.alias);
        }
        ready(())
    }

    fn git_identity(&self) -> BoxFuture<'_, Result<GitIdentity, LookupError>> {
        ready(self.identity.clone())
    }
}
