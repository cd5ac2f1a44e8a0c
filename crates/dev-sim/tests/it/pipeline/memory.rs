//! What a picture of the present does not show: what was, since when, and in which order.

use std::collections::{BTreeMap, BTreeSet};

use api_kinds::Stage;
use core_clock::Time;
use core_rules::auto_promotion::is_enabled;

use super::picture::Picture;

/// What is remembered. Stages are known by uid where another Stage may take their name.
#[derive(Default)]
pub(super) struct Memory {
    /// When Freight was last available to a Stage, before one of them changed.
    pub(super) available: BTreeMap<(String, String), Time>,
    /// Since when an origin is on hold in a Stage.
    pub(super) held_since: BTreeMap<(String, String), Time>,
    /// Since when a Stage must not promote by itself.
    pub(super) disabled_since: BTreeMap<String, Time>,
    /// The collections of successful Promotions, by Stage, in the order of success.
    pub(super) successes: BTreeMap<String, Vec<String>>,
    /// How many of them a Stage has in its history.
    pub(super) recorded: BTreeMap<String, usize>,
    /// Freight that a Stage verified.
    pub(super) verified: BTreeSet<(String, String)>,
}

impl Picture {
    /// Remembers what was available until now, because the Freight changes.
    pub(super) fn remember_freight(&mut self, name: &str) {
        let Some(freight) = self.freight.get(name) else { return };
        let stages = self.stages.iter().filter(|(_, stage)| self.is_available(freight, stage));
        let seen: Vec<_> = stages.map(|(stage, _)| (name.to_owned(), stage.clone())).collect();
        self.memory.available.extend(seen.into_iter().map(|place| (place, self.now)));
    }

    /// Remembers what was available until now, because the Stage changes.
    pub(super) fn remember_stage(&mut self, name: &str) {
        let Some(stage) = self.stages.get(name) else { return };
        let freight = self.freight.iter().filter(|(_, freight)| self.is_available(freight, stage));
        let seen: Vec<_> = freight.map(|(it, _)| (it.clone(), name.to_owned())).collect();
        self.memory.available.extend(seen.into_iter().map(|place| (place, self.now)));
    }

    /// Remembers since when Stages must not promote by themselves.
    pub(super) fn remember_policies(&mut self) {
        let config = self.config.as_ref();
        let is_disabled = |stage: &Stage| !is_enabled(config, stage).unwrap_or(false);
        let disabled: BTreeSet<&String> = self
            .stages
            .iter()
            .filter(|(_, stage)| is_disabled(stage))
            .map(|(name, _)| name)
            .collect();
        let since = &mut self.memory.disabled_since;
        since.retain(|name, _| disabled.contains(name));
        for name in disabled {
            since.entry(name.clone()).or_insert(self.now);
        }
    }

    /// Remembers holds and verifications of a Stage.
    pub(super) fn remember_status(&mut self, name: &str, stage: &Stage) {
        let holds = &stage.status.effective_auto_promotion_holds;
        let since = &mut self.memory.held_since;
        since.retain(|(of, origin), _| of != name || holds.contains_key(origin));
        for origin in holds.keys() {
            since.entry((name.to_owned(), origin.clone())).or_insert(self.now);
        }
        for held in &stage.status.freight_history {
            let newest = held.verification_history.first();
            if newest.is_some_and(|newest| newest.phase.as_str() == "Successful") {
                let pieces = held.freight.values().map(|it| (name.to_owned(), it.name.clone()));
                self.memory.verified.extend(pieces);
            }
        }
    }
}
