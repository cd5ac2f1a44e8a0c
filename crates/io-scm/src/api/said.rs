//! What a provider says in words when it refuses.

use serde_json::Value;

/// As much of a provider's words as goes into a message.
const LONGEST: usize = 300;
/// Problems that are quoted at most.
const MAX_PARTS: usize = 5;

/// The message of an answer, in the forms in which the providers write it; empty when there is none.
pub(super) fn said(body: &[u8]) -> String {
    let Ok(answer) = serde_json::from_slice::<Value>(body) else { return String::new() };
    let mut parts = Vec::new();
    for name in ["message", "error", "error_description"] {
        collect(answer.get(name), &mut parts);
    }
    collect(answer.get("errors"), &mut parts);
    parts.dedup();
    clean(&parts.join("; "))
}

/// Texts in a value: itself, or those of its items and of the members that hold texts.
fn collect(value: Option<&Value>, parts: &mut Vec<String>) {
    if parts.len() >= MAX_PARTS {
        return;
    }
    match value {
        Some(Value::String(text)) if !text.trim().is_empty() => parts.push(text.trim().to_owned()),
        Some(Value::Array(items)) => {
            for item in items.iter().take(MAX_PARTS) {
                collect(Some(item), parts);
            }
        }
        Some(Value::Object(members)) => match members.get("message") {
            Some(message) => collect(Some(message), parts),
            None => {
                for member in members.values().filter(|member| !member.is_number()).take(MAX_PARTS)
                {
                    collect(Some(member), parts);
                }
            }
        },
        _ => {}
    }
}

/// Short, and of printable characters.
pub(super) fn clean(text: &str) -> String {
    let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    printable.take(LONGEST).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_provider_is_understood() {
        for (body, expected) in [
            (r#"{"message":"Bad credentials"}"#, "Bad credentials"),
            (
                r#"{"message":"Validation Failed","errors":[{"resource":"PullRequest","message":"No commits between a and b"}]}"#,
                "Validation Failed; No commits between a and b",
            ),
            (
                r#"{"message":["Another open merge request exists"]}"#,
                "Another open merge request exists",
            ),
            (
                r#"{"error":{"message":"Repository is read only","code":3}}"#,
                "Repository is read only",
            ),
            (r#"{"error":"insufficient_scope"}"#, "insufficient_scope"),
            ("<html>", ""),
            ("[]", ""),
        ] {
            assert_eq!(said(body.as_bytes()), expected, "{body}");
        }
    }

    proptest! {
        #[test]
        fn whatever_a_provider_sends_is_short_and_printable(message in ".{0,2000}") {
            let said = said(serde_json::json!({"message": message}).to_string().as_bytes());
            prop_assert!(said.chars().count() <= LONGEST);
            prop_assert!(!said.contains(|c: char| c.is_control()));
        }
    }
}
