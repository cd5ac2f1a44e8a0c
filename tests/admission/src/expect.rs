//! Whether an answer is what a row expects; everything that is not is said at once.

use dev_testkit::Reply;
use regex::Regex;
use serde_json::Value;

use crate::table::Row;

/// What is wrong with the answer; empty when it is as expected.
pub(crate) fn judge(row: &Row, reply: &Reply) -> Vec<String> {
    let answer = reply.json();
    let code = reply.status.as_u16();
    let mut wrong = Vec::new();
    match row.code {
        Some(want) => judge_refusal(row, want, code, &answer, &mut wrong),
        None if !reply.status.is_success() => {
            wrong.push(format!("refused with {code}: {}", answer["message"]));
        }
        None => {}
    }
    if let Some(want) = &row.gives {
        differences("", &answer, want, &mut wrong);
    }
    judge_warnings(&row.warns, &reply.warnings(), &mut wrong);
    wrong
}

fn judge_refusal(row: &Row, want: u16, code: u16, answer: &Value, wrong: &mut Vec<String>) {
    if code != want {
        wrong.push(format!("answered {code}, want {want}: {}", answer["message"]));
        return;
    }
    if !reasons(code).contains(&answer["reason"].as_str().unwrap_or_default()) {
        wrong.push(format!("reason {} does not go with {code}", answer["reason"]));
    }
    let message = answer["message"].as_str().unwrap_or_default();
    let missing = row.says.iter().filter(|part| !message.contains(part.as_str()));
    wrong.extend(missing.map(|part| format!("{message:?} does not say {part:?}")));
    if let Some(want) = &row.causes {
        judge_causes(want, &answer["details"]["causes"], wrong);
    }
}

/// The reasons that go with a code.
fn reasons(code: u16) -> &'static [&'static str] {
    match code {
        400 => &["BadRequest"],
        403 => &["Forbidden"],
        404 => &["NotFound"],
        409 => &["Conflict", "AlreadyExists"],
        422 => &["Invalid"],
        500 => &["InternalError"],
        _ => &[],
    }
}

fn judge_causes(want: &[String], causes: &Value, wrong: &mut Vec<String>) {
    let causes = causes.as_array().map(Vec::as_slice).unwrap_or_default();
    let is_met = |(want, cause): (&String, &Value)| {
        let (field, part) = want.split_once(": ").unwrap_or((want, ""));
        cause["field"].as_str().unwrap_or_default() == field
            && cause["message"].as_str().is_some_and(|message| message.contains(part))
    };
    if causes.len() != want.len() || !want.iter().zip(causes).all(is_met) {
        let got: Vec<String> = causes
            .iter()
            .map(|cause| format!("{}: {}", cause["field"], cause["message"]))
            .collect();
        wrong.push(format!("causes {got:#?}, want {want:#?}"));
    }
}

fn judge_warnings(want: &[String], got: &[String], wrong: &mut Vec<String>) {
    let is_met = |(want, got): (&String, &String)| got.contains(want.as_str());
    if want.len() != got.len() || !want.iter().zip(got).all(is_met) {
        wrong.push(format!("warnings {got:?}, want {want:?}"));
    }
}

/// Where `got` lacks what `want` has. Members that are not wanted do not matter; null stands for
/// absent, and a text that begins with `~` is a regular expression.
pub(crate) fn differences(path: &str, got: &Value, want: &Value, wrong: &mut Vec<String>) {
    match want {
        Value::Object(members) => {
            for (key, want) in members {
                differences(&format!("{path}/{key}"), &got[key.as_str()], want, wrong);
            }
        }
        Value::Array(items) => {
            let got = got.as_array().map(Vec::as_slice).unwrap_or_default();
            if got.len() != items.len() {
                wrong.push(format!("{path} has {} items, want {}", got.len(), items.len()));
            }
            for (index, (got, want)) in got.iter().zip(items).enumerate() {
                differences(&format!("{path}/{index}"), got, want, wrong);
            }
        }
        Value::String(text) if text.starts_with('~') => {
            let pattern = Regex::new(text.trim_start_matches('~'));
            let is_match =
                pattern.is_ok_and(|pattern| got.as_str().is_some_and(|got| pattern.is_match(got)));
            if !is_match {
                wrong.push(format!("{path} is {got}, want a match of {want}"));
            }
        }
        want if got != want => wrong.push(format!("{path} is {got}, want {want}")),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::differences;

    fn found(got: Value, want: Value) -> Vec<String> {
        let mut wrong = Vec::new();
        differences("", &got, &want, &mut wrong);
        wrong
    }

    #[test]
    fn only_what_is_wanted_is_compared() {
        let got = json!({"a": {"b": "dev.01.f", "c": 1}, "l": [{"x": 1, "y": 2}]});
        assert!(
            found(got.clone(), json!({"a": {"b": "~^dev\\.", "gone": null}, "l": [{"x": 1}]}))
                .is_empty()
        );
        assert_eq!(found(got.clone(), json!({"a": {"b": "~^test", "c": null}})).len(), 2);
        assert_eq!(found(got, json!({"l": []})).len(), 1);
    }
}
