//! The checks on the way of Freight to a Stage, in words.

use api_kinds::Duration;
use api_kinds::stage::FreightAvailabilityStrategy;
use api_kinds::window::PromotionWindowStatus;

use super::arrival::Arrival;
use super::check::{Check, CheckName, Verdict};
use super::route::{Route, Upstream};
use super::situation::Permission;
use crate::wire_time::from_wire;

/// Origin, sources, verification, soak, strategy and approval.
pub(super) fn route_checks(arrival: &Arrival<'_>) -> Vec<Check> {
    let mut checks = vec![origin_check(arrival)];
    if let Some(route) = Route::best(arrival) {
        checks.push(sources_check(&route));
        checks.push(verified_check(&route));
        checks.push(soak_check(&route));
        checks.push(strategy_check(&route));
        checks.push(approval_check(arrival, &route));
    }
    checks
}

fn origin_check(arrival: &Arrival<'_>) -> Check {
    let (stage, origin) = (arrival.stage_name(), &arrival.freight.origin);
    if !arrival.is_same_project() {
        let project = arrival.freight.metadata.namespace.as_deref().unwrap_or_default();
        let sentence = format!("The Freight belongs to another Project, {project:?}.");
        return Check::new(CheckName::Origin, Verdict::Refused, sentence);
    }
    if arrival.requests().next().is_some() {
        let sentence = format!("Stage {stage:?} asks for Freight from {origin}.");
        return Check::new(CheckName::Origin, Verdict::Passed, sentence);
    }
    let requests = &arrival.stage.spec.requested_freight;
    let wanted: Vec<String> = requests.iter().map(|request| request.origin.to_string()).collect();
    let sentence = format!(
        "Stage {stage:?} does not ask for Freight from {origin}, only from {}.",
        or_nothing(&wanted.join(", "))
    );
    Check::new(CheckName::Origin, Verdict::Refused, sentence)
}

fn sources_check(route: &Route<'_>) -> Check {
    let sources = &route.request.sources;
    let (verdict, sentence) = if sources.direct {
        (Verdict::Passed, format!("Freight comes directly from {}.", route.request.origin))
    } else if !sources.stages.is_empty() {
        let sentence = format!("Freight comes through {}.", sources.stages.join(", "));
        (Verdict::Passed, sentence)
    } else if route.is_approved {
        (Verdict::NotNeeded, "Approval stands in for the missing way to the Stage.".to_owned())
    } else if route.is_satisfied(Upstream::is_passed) {
        let sentence = "All of no Stages before have verified the Freight: the Stage names none.";
        (Verdict::Passed, sentence.to_owned())
    } else {
        let sentence = format!(
            "The Stage asks for Freight from {} but names no way for it: neither direct nor stages.",
            route.request.origin
        );
        (Verdict::Refused, sentence)
    };
    Check::new(CheckName::Sources, verdict, sentence)
}

fn verified_check(route: &Route<'_>) -> Check {
    let condition = |upstream: &Upstream<'_>| upstream.is_verified;
    let name = CheckName::Verified;
    if route.is_free() || route.upstreams.is_empty() {
        return Check::new(name, Verdict::NotNeeded, "No verification in Stages before is needed.");
    }
    let done = names(route, condition);
    let sentence = format!(
        "Verified in: {}. Not verified in: {}.",
        or_nothing(&done),
        or_nothing(&names(route, |upstream| !condition(upstream)))
    );
    Check::new(name, verdict(route.is_satisfied(condition)), sentence)
}

fn soak_check(route: &Route<'_>) -> Check {
    let name = CheckName::Soak;
    let required = route.request.sources.required_soak_time;
    let required = required.filter(|required| *required > Duration::ZERO);
    let Some(required) = required.filter(|_| !route.is_free() && !route.upstreams.is_empty())
    else {
        return Check::new(name, Verdict::NotNeeded, "No time in Stages before is needed.");
    };
    let condition = |upstream: &Upstream<'_>| upstream.is_soaked;
    if route.is_satisfied(condition) {
        let sentence = format!("Was in {} for {required}.", names(route, condition));
        return Check::new(name, Verdict::Passed, sentence);
    }
    let opens_at = route.opens_at();
    let when = opens_at.map_or_else(
        || "No end is in sight: it must be verified there and stay there.".to_owned(),
        |at| format!("It will have been at {at}."),
    );
    let missing = names(route, |upstream| !condition(upstream));
    let sentence = format!("Has not been in {missing} for {required} yet. {when}");
    Check::new(name, Verdict::Refused, sentence).at(opens_at)
}

fn strategy_check(route: &Route<'_>) -> Check {
    let name = CheckName::Strategy;
    if route.is_free() || route.upstreams.is_empty() {
        return Check::new(name, Verdict::NotNeeded, "No consent of Stages before is needed.");
    }
    let missing = names(route, |upstream| !upstream.is_passed());
    let passed = names(route, Upstream::is_passed);
    let is_passed = route.is_satisfied(Upstream::is_passed);
    let sentence = match &route.request.sources.availability_strategy {
        FreightAvailabilityStrategy::Other(unknown) => {
            format!("The availability strategy {unknown:?} is unknown: must be All or OneOf.")
        }
        FreightAvailabilityStrategy::All if is_passed => {
            format!("All Stages before let it go on: {passed}.")
        }
        FreightAvailabilityStrategy::All => {
            format!("All Stages before must let it go on; missing: {missing}.")
        }
        _ if is_passed => format!("One Stage before is enough, and lets it go on: {passed}."),
        _ => format!("One Stage before must let it go on; none does of: {missing}."),
    };
    let opens_at = if is_passed { None } else { route.opens_at() };
    Check::new(name, verdict(is_passed), sentence).at(opens_at)
}

fn approval_check(arrival: &Arrival<'_>, route: &Route<'_>) -> Check {
    let stage = arrival.stage_name();
    let (verdict, sentence) = if route.is_approved {
        (Verdict::Passed, format!("Approved for Stage {stage:?}."))
    } else {
        let sentence = format!(
            "Not approved for Stage {stage:?}; approval would stand in for verification and soak."
        );
        (Verdict::NotNeeded, sentence)
    };
    Check::new(CheckName::Approval, verdict, sentence)
}

/// What promotion windows say about the present.
pub(super) fn window_check(window: Option<&PromotionWindowStatus>) -> Check {
    let name = CheckName::Window;
    let Some(window) = window else {
        return Check::new(name, Verdict::NotNeeded, "No promotion window applies to the Stage.");
    };
    if window.closed {
        let next = window.next_open.as_ref().map(from_wire);
        let when = next.map_or_else(String::new, |at| format!(" They will be again at {at}."));
        let sentence = format!(
            "Promotions are not allowed now: {}.{when}",
            window.reason.trim_end_matches('.')
        );
        return Check::new(name, Verdict::Refused, sentence).at(next);
    }
    let next = window.next_close.as_ref().map(from_wire);
    Check::new(name, Verdict::Passed, "Promotions are allowed now.").at(next)
}

/// Whether the person may promote.
pub(super) fn permission_check(arrival: &Arrival<'_>, permission: &Permission<'_>) -> Check {
    let stage = arrival.stage_name();
    let (verdict, sentence) = match permission {
        Permission::NotAsked => {
            let sentence = format!("Takes the verb \"promote\" on Stage {stage:?}.");
            (Verdict::NotNeeded, sentence)
        }
        Permission::Granted { user } => {
            (Verdict::Passed, format!("{user:?} may promote to Stage {stage:?}."))
        }
        Permission::Denied { user } => {
            let sentence = format!(
                "{user:?} may not promote to Stage {stage:?}: the verb \"promote\" is not granted."
            );
            (Verdict::Refused, sentence)
        }
    };
    Check::new(CheckName::Permission, verdict, sentence)
}

fn verdict(is_passed: bool) -> Verdict {
    if is_passed { Verdict::Passed } else { Verdict::Refused }
}

fn names<'a>(route: &Route<'a>, condition: impl Fn(&Upstream<'a>) -> bool) -> String {
    let chosen = route.upstreams.iter().filter(|upstream| condition(upstream));
    chosen.map(|upstream| upstream.name).collect::<Vec<_>>().join(", ")
}

fn or_nothing(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}
