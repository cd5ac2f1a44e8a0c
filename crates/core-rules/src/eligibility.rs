//! What the gate says, as clients are told.

use api_rest::body::{Eligibility, EligibilityCheck};

use crate::gate::{Answer, Check, Question, Verdict};

/// Whether a person may promote the Freight to the Stage, and why not.
pub fn eligibility(stage: &str, freight: &str, answer: &Answer) -> Eligibility {
    let question = Question::Enter;
    let counting = answer.checks().iter().filter(|check| check.counts_for(question));
    Eligibility {
        stage: stage.to_owned(),
        freight: freight.to_owned(),
        allowed: answer.allows(question),
        changes_at: answer.changes_at(question).map(|at| at.to_string()),
        checks: counting.map(told).collect(),
    }
}

fn told(check: &Check) -> EligibilityCheck {
    let verdict = match check.verdict {
        Verdict::Passed => "passed",
        Verdict::Refused => "refused",
        Verdict::NotNeeded => "not needed",
    };
    EligibilityCheck {
        name: check.name.to_string(),
        verdict: verdict.to_owned(),
        reason: check.sentence.clone(),
        changes_at: check.changes_at.map(|at| at.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::{Freight, Stage};
    use core_clock::Time;
    use serde_json::json;

    use super::*;
    use crate::gate::{Arrival, PassingStages, Permission, Situation, judge};

    #[test]
    fn the_reasons_come_with_the_answer() {
        let freight: Freight = serde_json::from_value(json!({
            "metadata": {"name": "f", "namespace": "p"},
            "origin": {"kind": "Warehouse", "name": "w"},
        }))
        .unwrap();
        let stage: Stage = serde_json::from_value(json!({
            "metadata": {"name": "qa", "namespace": "p"},
            "spec": {"requestedFreight": [
                {"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"direct": true}}]},
        }))
        .unwrap();
        let answer = |permission| {
            let arrival = Arrival {
                freight: &freight,
                stage: &stage,
                passing_stages: &PassingStages::new(),
                now: Time::from_seconds(0),
            };
            eligibility("qa", "f", &judge(&Situation::by_hand(arrival, permission)))
        };
        assert!(answer(Permission::Granted { user: "u" }).allowed);
        let refused = answer(Permission::Denied { user: "u" });
        assert!(!refused.allowed);
        let reasons = refused.checks.iter().filter(|check| check.verdict == "refused");
        assert_eq!(reasons.map(|check| check.name.as_str()).collect::<Vec<_>>(), ["permission"]);
    }
}
