//! What the gate has to know, as plain values.

use std::collections::BTreeMap;
use std::time::Duration;

use api_kinds::Promotion;
use api_kinds::stage::AutoPromotionHold;
use api_kinds::window::PromotionWindowStatus;

use super::arrival::Arrival;

/// Everything that bears on whether Freight may enter a Stage. What is left out is not asked about.
#[derive(Clone, Debug)]
pub struct Situation<'a> {
    /// The Freight, the Stage and the time.
    pub arrival: Arrival<'a>,
    /// What the promotion windows say at that time; `None` when none applies to the Stage.
    pub window: Option<&'a PromotionWindowStatus>,
    /// Whether the person may promote to the Stage.
    pub permission: Permission<'a>,
    /// What automatic promotion has to know.
    pub auto: Option<AutoView<'a>>,
    /// What the queue has to know.
    pub queue: Option<QueueView<'a>>,
}

/// Whether a person may promote to a Stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission<'a> {
    /// Nobody in particular asks.
    NotAsked,
    /// The person may.
    Granted {
        /// Name of the person.
        user: &'a str,
    },
    /// The person may not.
    Denied {
        /// Name of the person.
        user: &'a str,
    },
}

/// What automatic promotion has to know beyond Freight and Stage.
#[derive(Clone, Copy, Debug)]
pub struct AutoView<'a> {
    /// Whether the Project lets the Stage promote by itself.
    pub is_enabled: bool,
    /// Name of the Freight that automatic promotion picks among all of this origin.
    pub candidate: Option<&'a str>,
    /// The holds in effect, by origin.
    pub holds: &'a BTreeMap<String, AutoPromotionHold>,
    /// The Stage's Promotions.
    pub promotions: &'a [&'a Promotion],
}

/// What the queue has to know beyond Freight and Stage.
#[derive(Clone, Copy, Debug)]
pub struct QueueView<'a> {
    /// The Stage's Promotions.
    pub promotions: &'a [&'a Promotion],
    /// The Promotion in question; `None` asks about one that would be created now.
    pub promotion: Option<&'a str>,
    /// How long what the Stage holds is given to become healthy and be verified.
    pub grace: Duration,
}

impl<'a> Situation<'a> {
    /// The situation of a person who promotes by hand.
    pub fn by_hand(arrival: Arrival<'a>, permission: Permission<'a>) -> Self {
        Self { arrival, window: None, permission, auto: None, queue: None }
    }

    /// With what the promotion windows say.
    #[must_use]
    pub fn with_window(self, window: Option<&'a PromotionWindowStatus>) -> Self {
        Self { window, ..self }
    }

    /// With what automatic promotion has to know.
    #[must_use]
    pub fn with_auto(self, auto: AutoView<'a>) -> Self {
        Self { auto: Some(auto), ..self }
    }

    /// With what the queue has to know.
    #[must_use]
    pub fn with_queue(self, queue: QueueView<'a>) -> Self {
        Self { queue: Some(queue), ..self }
    }
}
