//! What a watch keeps of an Application.

use std::{borrow::Cow, sync::Arc};

use core_rules::argo_cd::Application;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Resource, core::NamespaceResourceScope};
use serde::{Deserialize, Deserializer};

pub(crate) const GROUP: &str = "argoproj.io";
pub(crate) const VERSION: &str = "v1alpha1";
pub(crate) const KIND: &str = "Application";
const PLURAL: &str = "applications";

/// An Application without what no decision looks at. Argo CD lists every resource in its status, so the rest
/// is a small part of the whole.
#[derive(Clone)]
pub(crate) struct Kept {
    metadata: ObjectMeta,
    pub(crate) application: Arc<Application>,
}

impl<'de> Deserialize<'de> for Kept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let application = Application::deserialize(deserializer)?.reduced();
        let whole = &application.metadata;
        let metadata = ObjectMeta {
            name: Some(whole.name.clone()),
            namespace: Some(whole.namespace.clone()),
            resource_version: Some(whole.resource_version.clone()),
            ..ObjectMeta::default()
        };
        Ok(Self { metadata, application: Arc::new(application) })
    }
}

impl Resource for Kept {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        KIND.into()
    }

    fn group((): &()) -> Cow<'_, str> {
        GROUP.into()
    }

    fn version((): &()) -> Cow<'_, str> {
        VERSION.into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        PLURAL.into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
