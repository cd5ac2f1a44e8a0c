//! The webhooks of all configurations, replaced as a whole when one of them changes.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use emb_meta::{FieldError, FieldPath, ObjectExt};
use parking_lot::RwLock;
use serde_json::Value;

use super::{
    WebhookAccess,
    hook::{Hook, unknown_service},
};

/// When webhooks are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Before validation; they may change the object.
    Mutating,
    /// After validation; they may only refuse it.
    Validating,
}

impl Stage {
    /// Both stages.
    pub(crate) const ALL: [Self; 2] = [Self::Mutating, Self::Validating];

    /// The stage whose configurations a resource holds.
    pub(crate) fn of(group: &str, resource: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| group == Self::GROUP && resource == stage.resource())
    }

    /// The API group of the configurations.
    pub(crate) const GROUP: &str = "admissionregistration.k8s.io";

    /// What figures call it.
    pub(super) fn figure(self) -> &'static str {
        match self {
            Self::Mutating => "admit",
            Self::Validating => "validating",
        }
    }

    /// The plural name of the configurations.
    pub(crate) fn resource(self) -> &'static str {
        match self {
            Self::Mutating => "mutatingwebhookconfigurations",
            Self::Validating => "validatingwebhookconfigurations",
        }
    }
}

/// The webhooks of one stage, in the order in which they are asked.
pub(super) type List = Arc<[Arc<Hook>]>;

/// All webhooks.
pub(crate) struct Hooks {
    pub(super) access: WebhookAccess,
    /// Whether there ever was a webhook. It never turns back: a write that found webhooks before validation must not
    /// take the short way after it.
    known: AtomicBool,
    mutating: RwLock<Configurations>,
    validating: RwLock<Configurations>,
}

#[derive(Default)]
struct Configurations {
    by_name: BTreeMap<String, Vec<Arc<Hook>>>,
    list: List,
}

impl Hooks {
    pub(crate) fn new(access: WebhookAccess) -> Self {
        Self {
            access,
            known: AtomicBool::new(false),
            mutating: RwLock::default(),
            validating: RwLock::default(),
        }
    }

    /// Whether a write has to look for webhooks at all.
    pub(crate) fn are_known(&self) -> bool {
        self.known.load(Ordering::Acquire)
    }

    /// Takes over a committed configuration, or its removal.
    pub(crate) fn apply(&self, stage: Stage, name: &str, configuration: Option<&Value>) {
        let webhooks = configuration.map(|configuration| {
            let webhooks = webhooks(configuration);
            webhooks.map(|webhook| Arc::new(Hook::read(name, webhook, &self.access))).collect()
        });
        let mut configurations = self.of_stage(stage).write();
        match webhooks {
            Some(webhooks) => configurations.by_name.insert(name.to_owned(), webhooks),
            None => configurations.by_name.remove(name),
        };
        configurations.list = configurations.by_name.values().flatten().cloned().collect();
        if !configurations.list.is_empty() {
            self.known.store(true, Ordering::Release);
        }
    }

    /// The webhooks of a stage: configurations by name, each in its own order.
    pub(super) fn list(&self, stage: Stage) -> List {
        self.of_stage(stage).read().list.clone()
    }

    /// What is wrong with a configuration that refers to services which cannot be reached from here.
    pub(crate) fn problems(&self, configuration: &Value) -> Vec<FieldError> {
        let refused = |(index, webhook): (usize, &Value)| {
            let service = webhook.get("clientConfig")?.get("service")?;
            let (namespace, name) = (service.text(&["namespace"]), service.text(&["name"]));
            let unknown = !self.access.services.contains_key(&format!("{namespace}/{name}"));
            let path = FieldPath::new("webhooks").index(index).child("clientConfig.service");
            (unknown && !name.is_empty() && !namespace.is_empty())
                .then(|| FieldError::forbidden(path, &unknown_service(namespace, name)))
        };
        webhooks(configuration).enumerate().filter_map(refused).collect()
    }

    fn of_stage(&self, stage: Stage) -> &RwLock<Configurations> {
        match stage {
            Stage::Mutating => &self.mutating,
            Stage::Validating => &self.validating,
        }
    }
}

fn webhooks(configuration: &Value) -> impl Iterator<Item = &Value> {
    configuration.get("webhooks").and_then(Value::as_array).into_iter().flatten()
}
