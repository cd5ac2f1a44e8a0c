//! Who may answer.

use api_rest::body::ResponderRule;
use serde_json::{Map, Value};

/// Somebody who wants to answer, as far as rules look at them.
#[derive(Clone, Debug, Default)]
pub struct Responder<'a> {
    /// What events and annotations call them.
    pub user: &'a str,
    /// Whether they meet every rule: the administrator of the installation does.
    pub is_administrator: bool,
    /// The claims of their login.
    pub claims: Option<&'a Map<String, Value>>,
    /// The roles of the Project that they have.
    pub roles: Vec<&'a str>,
}

impl Responder<'_> {
    /// Those of the rules that they meet.
    pub fn met(&self, rules: &[ResponderRule]) -> Vec<ResponderRule> {
        let met = rules.iter().filter(|rule| self.is_administrator || self.meets(rule));
        met.map(|rule| ResponderRule { required: false, ..rule.clone() }).collect()
    }

    fn meets(&self, rule: &ResponderRule) -> bool {
        if !rule.role.is_empty() {
            return self.roles.contains(&rule.role.as_str());
        }
        let is_named = !rule.claim.is_empty() && !rule.value.is_empty();
        let claim = self.claims.and_then(|claims| claims.get(&rule.claim));
        is_named && claim.is_some_and(|claim| holds(claim, &rule.value))
    }
}

/// Whether a claim has the value, or has it among others.
fn holds(claim: &Value, value: &str) -> bool {
    match claim {
        Value::String(text) => text == value,
        Value::Array(items) => items.iter().any(|item| item.as_str() == Some(value)),
        _ => false,
    }
}

/// Whether two rules mean the same people.
pub(super) fn is_same(one: &ResponderRule, other: &ResponderRule) -> bool {
    (&one.claim, &one.value, &one.role) == (&other.claim, &other.value, &other.role)
}

/// A rule in words.
pub(super) fn words(rule: &ResponderRule) -> String {
    if rule.role.is_empty() {
        format!("claim {:?} with value {:?}", rule.claim, rule.value)
    } else {
        format!("role {:?}", rule.role)
    }
}
