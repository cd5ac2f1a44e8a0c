//! The objects of a file that a Promotion is run with.

use std::collections::BTreeMap;

use api_kinds::{
    API_VERSION, ClusterPromotionTask, Freight, Promotion, PromotionTask, Stage, Warehouse,
    promotion_task::PromotionTaskSpec,
};
use core_rules::promotion::Task;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};

use super::inferred;
use crate::document::{DEFAULT_NAMESPACE, Document, ManifestError};

/// A Promotion and what is around it.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// The Promotion to carry out, if the file has one.
    pub promotion: Option<Promotion>,
    pub stages: Vec<Stage>,
    pub freight: Vec<Freight>,
    pub warehouses: Vec<Warehouse>,
    pub tasks: BTreeMap<Task, PromotionTaskSpec>,
    pub secrets: Vec<Secret>,
    pub config_maps: Vec<ConfigMap>,
}

impl Objects {
    /// Reads all documents. Kinds that have nothing to do with a Promotion are passed over.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let mut objects = Self::default();
        for document in Document::all(text)? {
            objects.take(document)?;
        }
        let project = objects.project().to_owned();
        for secret in &mut objects.secrets {
            secret.metadata.namespace.get_or_insert_with(|| project.clone());
        }
        Ok(objects)
    }

    fn take(&mut self, document: Document) -> Result<(), ManifestError> {
        match document.kind() {
            (API_VERSION, "Promotion") => {
                if self.promotion.is_some() {
                    return Err(ManifestError::Several("Promotion"));
                }
                self.promotion = Some(document.read("Promotion")?);
            }
            (API_VERSION, "Stage") => self.stages.push(document.read("Stage")?),
            (API_VERSION, "Freight") => self.freight.push(document.read("Freight")?),
            (API_VERSION, "Warehouse") => self.warehouses.push(document.read("Warehouse")?),
            (API_VERSION, "PromotionTask") => {
                let task: PromotionTask = document.read("PromotionTask")?;
                let name = task.metadata.name.unwrap_or_default();
                self.tasks.insert(Task::Project(name), task.spec);
            }
            (API_VERSION, "ClusterPromotionTask") => {
                let task: ClusterPromotionTask = document.read("ClusterPromotionTask")?;
                let name = task.metadata.name.unwrap_or_default();
                self.tasks.insert(Task::Cluster(name), task.spec);
            }
            ("v1", "Secret") => self.secrets.push(document.read_secret()?),
            ("v1", "ConfigMap") => self.config_maps.push(document.read("ConfigMap")?),
            _ => {}
        }
        Ok(())
    }

    /// The Project that everything is in.
    pub fn project(&self) -> &str {
        let named = self.promotion.as_ref().and_then(|it| it.metadata.namespace.as_deref());
        named.unwrap_or(DEFAULT_NAMESPACE)
    }

    /// The Warehouse of this name, or what the Freight tells of it.
    pub(super) fn warehouse(&self, name: &str) -> Option<Warehouse> {
        let mut warehouses = self.warehouses.iter();
        let found = warehouses.find(|it| it.metadata.name.as_deref() == Some(name)).cloned();
        found.or_else(|| inferred::warehouse(name, &self.freight))
    }

    /// The Stage of this name.
    pub fn stage(&self, name: &str) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.metadata.name.as_deref() == Some(name))
    }
}
