//! The pipeline as it is stored, and what must be remembered of how it came there.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use api_kinds::{Freight, GROUP, ProjectConfig, Promotion, Stage};
use core_clock::Time;
use core_rules::{
    gate::{Arrival, Availability, PassingStages, availability},
    stage::is_control_flow,
};
use dev_sim::View;
use emb_store::{Change, Event};
use serde_json::Value;

use super::{PROJECT, ground::Ground, memory::Memory};

/// The resources that are looked at. Promotions come first: Stages tell of them.
const RESOURCES: [&str; 4] = ["projectconfigs", "freights", "promotions", "stages"];

/// What is stored.
#[derive(Default)]
pub(super) struct Picture {
    pub(super) now: Time,
    pub(super) config: Option<ProjectConfig>,
    pub(super) stages: BTreeMap<String, Stage>,
    pub(super) promotions: BTreeMap<String, Promotion>,
    pub(super) freight: BTreeMap<String, Freight>,
    pub(super) memory: Memory,
    /// Versions of the objects above.
    versions: BTreeMap<(&'static str, String), String>,
    revision: u64,
}

impl Picture {
    /// Follows what was committed; the error says which rule is broken.
    pub(super) fn follow(&mut self, view: &View<'_>, ground: &Ground) -> Result<(), String> {
        self.now = view.now();
        // They happened before what is committed now.
        for effect in ground.outside.lock().look()? {
            self.judge_effect(&effect, ground)?;
        }
        let first = view.changes().first().map(|event| event.revision);
        if first == Some(self.revision + 1) {
            view.changes().iter().try_for_each(|event| self.take_in(event))?;
        } else {
            // The server came back, perhaps with commits that it told nobody of.
            self.catch_up(view)?;
        }
        self.revision = view.revision();
        Ok(())
    }

    fn take_in(&mut self, event: &Arc<Event>) -> Result<(), String> {
        let key = &event.key;
        let resource = RESOURCES.into_iter().find(|known| *key.resource.resource == **known);
        let is_ours = *key.resource.group == *GROUP && *key.namespace == *PROJECT;
        let Some(resource) = resource.filter(|_| is_ours) else { return Ok(()) };
        let is_gone = event.change == Change::Deleted;
        let object = (!is_gone).then(|| event.entry.value());
        self.replace(resource, &key.name, object)
    }

    fn catch_up(&mut self, view: &View<'_>) -> Result<(), String> {
        for resource in RESOURCES {
            let mut names = BTreeSet::new();
            for object in view.list(GROUP, resource) {
                let metadata = &object["metadata"];
                let name = metadata["name"].as_str().unwrap_or_default().to_owned();
                let version = self.versions.get(&(resource, name.clone()));
                let is_known =
                    version.is_some_and(|version| metadata["resourceVersion"] == **version);
                names.insert(name.clone());
                if !is_known {
                    self.replace(resource, &name, Some(object))?;
                }
            }
            let gone: Vec<String> =
                self.names(resource).filter(|name| !names.contains(name)).collect();
            gone.iter().try_for_each(|name| self.replace(resource, name, None))?;
        }
        Ok(())
    }

    fn names(&self, resource: &'static str) -> impl Iterator<Item = String> + '_ {
        let known = self.versions.keys().filter(move |(of, _)| *of == resource);
        known.map(|(_, name)| name.clone())
    }

    /// Puts an object in the place of the one of that name.
    fn replace(
        &mut self,
        resource: &'static str,
        name: &str,
        object: Option<Value>,
    ) -> Result<(), String> {
        let place = (resource, name.to_owned());
        match &object {
            Some(object) => {
                let version = object["metadata"]["resourceVersion"].as_str().unwrap_or_default();
                self.versions.insert(place, version.to_owned())
            }
            None => self.versions.remove(&place),
        };
        match resource {
            "projectconfigs" => {
                self.config = parsed(object);
                self.remember_policies();
                Ok(())
            }
            "stages" => self.stage_changed(name, parsed(object)),
            "freights" => self.freight_changed(name, parsed(object)),
            _ => self.promotion_changed(name, parsed(object)),
        }
    }

    /// Whether the gate lets the Freight into the Stage now, as far as the two are concerned.
    pub(super) fn is_available(&self, freight: &Freight, stage: &Stage) -> bool {
        self.is_available_at(freight, stage, self.now)
    }

    /// The same at another time, if nothing changes until then.
    pub(super) fn is_available_at(&self, freight: &Freight, stage: &Stage, now: Time) -> bool {
        let passing_stages = self.passing_stages();
        let arrival = Arrival { freight, stage, passing_stages: &passing_stages, now };
        availability(&arrival) == Availability::Available
    }

    pub(super) fn passing_stages(&self) -> PassingStages {
        let passing = self.stages.iter().filter(|(_, stage)| is_control_flow(stage));
        passing.map(|(name, _)| name.clone()).collect()
    }

    /// Whether the gate would have let it in at some time since.
    pub(super) fn was_available_since(&self, freight: &str, stage: &str, since: Time) -> bool {
        let now = match (self.freight.get(freight), self.stages.get(stage)) {
            (Some(freight), Some(stage)) => self.is_available(freight, stage),
            _ => false,
        };
        let last = self.memory.available.get(&(freight.to_owned(), stage.to_owned()));
        now || last.is_some_and(|last| *last >= since)
    }
}

fn parsed<T: serde::de::DeserializeOwned>(object: Option<Value>) -> Option<T> {
    object.map(|object| serde_json::from_value(object).unwrap())
}
