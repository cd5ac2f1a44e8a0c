//! The way of Freight from its origin to a Stage, and how far it has come on it.

use api_kinds::stage::{
    AutoPromotionSelectionPolicy, FreightAvailabilityStrategy, FreightRequest, FreightSources,
};
use core_clock::Time;

use super::arrival::Arrival;

/// Whether Freight is available to a Stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// It is, and stays so unless somebody changes something.
    Available,
    /// It will be at this time unless somebody changes something.
    Later(Time),
    /// Time alone does not make it available.
    Unavailable,
}

/// Whether the Freight may be promoted to the Stage as far as the two are concerned: the Stage asks
/// for its origin, and it was approved, comes directly, or has proven itself in the Stages before.
pub fn availability(arrival: &Arrival<'_>) -> Availability {
    Route::best(arrival).map_or(Availability::Unavailable, |route| route.availability())
}

/// Whether automatic promotion may pick the Freight at all: everything but what the Stage before
/// does not hold now, where the Stage asks to match that.
pub fn matches_upstream(request: &FreightRequest, arrival: &Arrival<'_>) -> bool {
    let holds_it = |stage: &String| arrival.freight.status.currently_in.contains_key(stage);
    let sources = &request.sources;
    sources.direct || !is_matching_upstream(sources) || sources.stages.first().is_some_and(holds_it)
}

/// Whether automatic promotion is to pick what the Stage before holds.
pub(crate) fn is_matching_upstream(sources: &FreightSources) -> bool {
    let policy = sources.auto_promotion_options.as_ref().map(|options| &options.selection_policy);
    policy == Some(&AutoPromotionSelectionPolicy::MatchUpstream)
}

/// How far the Freight has come on the way that one request describes.
pub(super) struct Route<'a> {
    pub(super) request: &'a FreightRequest,
    pub(super) is_approved: bool,
    pub(super) upstreams: Vec<Upstream<'a>>,
}

/// How the Freight did in one of the Stages before.
pub(super) struct Upstream<'a> {
    pub(super) name: &'a str,
    pub(super) is_verified: bool,
    pub(super) is_soaked: bool,
    /// When it will have been there long enough; only where it is verified and that will happen.
    pub(super) soaked_at: Option<Time>,
}

impl<'a> Route<'a> {
    /// The way that gets the Freight in first; `None` when the Stage does not ask for its origin.
    pub(super) fn best(arrival: &Arrival<'a>) -> Option<Self> {
        let routes = arrival.requests().map(|request| Self::of(arrival, request));
        routes.min_by_key(|route| match route.availability() {
            Availability::Available => (0, None),
            Availability::Later(at) => (1, Some(at)),
            Availability::Unavailable => (2, None),
        })
    }

    fn of(arrival: &Arrival<'a>, request: &'a FreightRequest) -> Self {
        let upstream = |name: &'a String| Upstream::of(arrival, request, name);
        let upstreams = request.sources.stages.iter().map(upstream).collect();
        Self { request, is_approved: arrival.is_approved(), upstreams }
    }

    /// Whether nothing is asked of the Stages before.
    pub(super) fn is_free(&self) -> bool {
        self.is_approved || self.request.sources.direct
    }

    pub(super) fn availability(&self) -> Availability {
        if self.is_free() || self.is_satisfied(Upstream::is_passed) {
            return Availability::Available;
        }
        self.opens_at().map_or(Availability::Unavailable, Availability::Later)
    }

    /// Whether enough of the Stages before fulfil the condition. Of none, all do.
    pub(super) fn is_satisfied(&self, condition: impl Fn(&Upstream<'a>) -> bool) -> bool {
        match self.request.sources.availability_strategy {
            FreightAvailabilityStrategy::All => self.upstreams.iter().all(condition),
            FreightAvailabilityStrategy::OneOf | FreightAvailabilityStrategy::Unset => {
                self.upstreams.iter().any(condition)
            }
            FreightAvailabilityStrategy::Other(_) => false,
        }
    }

    /// When enough of the Stages before will be content, by the passing of time alone.
    pub(super) fn opens_at(&self) -> Option<Time> {
        let waiting = self.upstreams.iter().filter(|upstream| !upstream.is_passed());
        let times = waiting.map(|upstream| upstream.soaked_at);
        match self.request.sources.availability_strategy {
            FreightAvailabilityStrategy::All => {
                times.collect::<Option<Vec<Time>>>()?.into_iter().max()
            }
            FreightAvailabilityStrategy::OneOf | FreightAvailabilityStrategy::Unset => {
                times.flatten().min()
            }
            FreightAvailabilityStrategy::Other(_) => None,
        }
    }
}

impl<'a> Upstream<'a> {
    fn of(arrival: &Arrival<'_>, request: &FreightRequest, name: &'a str) -> Self {
        let required = request.sources.required_soak_time;
        let soak = arrival.soak_in(name);
        let is_soaked = soak.reaches(required);
        let soaked_at = required.filter(|_| !is_soaked).and_then(|time| soak.reaches_at(time));
        Self { name, is_verified: arrival.is_verified_in(name), is_soaked, soaked_at }
    }

    /// Whether this Stage lets the Freight go on.
    pub(super) fn is_passed(&self) -> bool {
        self.is_verified && self.is_soaked
    }
}
