//! The checks that only automatic promotion minds.

use api_kinds::collection::FreightReference;

use super::arrival::Arrival;
use super::check::{Check, CheckName, Verdict};
use super::route::{Route, is_matching_upstream};
use super::situation::AutoView;
use crate::promotion::Attempt;
use crate::stage::current_collection;

/// Policy, selection, hold and what happened earlier.
pub(super) fn checks(arrival: &Arrival<'_>, view: &AutoView<'_>) -> [Check; 4] {
    [
        policy_check(arrival, view),
        selection_check(arrival, view),
        hold_check(arrival, view),
        earlier_check(arrival, view),
    ]
}

fn policy_check(arrival: &Arrival<'_>, view: &AutoView<'_>) -> Check {
    let stage = arrival.stage_name();
    let (verdict, sentence) = if view.is_enabled {
        (Verdict::Passed, format!("Stage {stage:?} promotes by itself."))
    } else {
        let sentence =
            format!("No promotion policy of the Project lets Stage {stage:?} promote by itself.");
        (Verdict::Refused, sentence)
    };
    Check::new(CheckName::Policy, verdict, sentence)
}

fn selection_check(arrival: &Arrival<'_>, view: &AutoView<'_>) -> Check {
    let sources = Route::best(arrival).map(|route| &route.request.sources);
    let to_match = sources.filter(|sources| is_matching_upstream(sources));
    let rule = match to_match.and_then(|sources| sources.stages.first()) {
        Some(upstream) => format!("what Stage {upstream:?} holds now"),
        None => "the newest available Freight of an origin".to_owned(),
    };
    let (verdict, sentence) = match view.candidate {
        Some(candidate) if candidate == arrival.freight_name() => {
            (Verdict::Passed, format!("It is {rule}."))
        }
        Some(candidate) => {
            let sentence =
                format!("Automatic promotion picks {rule}, which is Freight {candidate:?}.");
            (Verdict::Refused, sentence)
        }
        None => {
            let sentence = format!("Automatic promotion picks {rule}; at present that is none.");
            (Verdict::Refused, sentence)
        }
    };
    Check::new(CheckName::Selection, verdict, sentence)
}

fn hold_check(arrival: &Arrival<'_>, view: &AutoView<'_>) -> Check {
    let origin = &arrival.freight.origin;
    let Some(hold) = view.holds.get(&origin.to_string()) else {
        let sentence = format!("No hold on Freight from {origin}.");
        return Check::new(CheckName::Hold, Verdict::Passed, sentence);
    };
    let by = if hold.actor.is_empty() { "somebody" } else { hold.actor.as_str() };
    let sentence = format!(
        "{by} pinned Freight {:?} from {origin}; promote what automatic promotion picks by hand to lift the hold.",
        hold.freight_name
    );
    Check::new(CheckName::Hold, Verdict::Refused, sentence)
}

fn earlier_check(arrival: &Arrival<'_>, view: &AutoView<'_>) -> Check {
    let reason = if is_held(arrival) {
        Some("The Stage holds it already.".to_owned())
    } else if is_on_its_way(arrival) {
        Some("The Promotion under way brings it.".to_owned())
    } else {
        attempt_reason(&Attempt::latest(arrival.stage, arrival.freight_name(), view.promotions))
    };
    match reason {
        Some(reason) => Check::new(CheckName::Earlier, Verdict::Refused, reason),
        None => Check::new(CheckName::Earlier, Verdict::Passed, "Nothing speaks against trying."),
    }
}

fn attempt_reason(attempt: &Attempt<'_>) -> Option<String> {
    match attempt {
        Attempt::None | Attempt::Succeeded => None,
        Attempt::Unsettled { promotion } => {
            Some(format!("Promotion {promotion:?} has not been dealt with yet."))
        }
        Attempt::Unsuccessful { promotion, phase } => {
            Some(format!("Promotion {promotion:?} ended as {phase}; promote by hand to try again."))
        }
    }
}

fn is_held(arrival: &Arrival<'_>) -> bool {
    let collection = current_collection(&arrival.stage.status);
    let origin = arrival.freight.origin.to_string();
    collection
        .and_then(|collection| collection.freight.get(&origin))
        .is_some_and(|piece| piece.name == arrival.freight_name())
}

fn is_on_its_way(arrival: &Arrival<'_>) -> bool {
    let current = arrival.stage.status.current_promotion.as_ref();
    let is_same = |piece: &FreightReference| {
        piece.name == arrival.freight_name() && piece.origin == arrival.freight.origin
    };
    current.and_then(|promotion| promotion.freight.as_ref()).is_some_and(is_same)
}
