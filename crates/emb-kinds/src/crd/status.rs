//! Which names a definition holds, and what its conditions say about it.
//!
//! Within a group a name belongs to whoever got it first. A definition that cannot have all of its names is kept but not
//! served, until the names are free.

use std::collections::BTreeSet;

use core_clock::Time;
use emb_meta::ObjectExt;
use serde_json::{Map, Value, json};

use super::member_mut;

/// The names that definitions of a group hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamesInUse {
    resources: BTreeSet<String>,
    kinds: BTreeSet<String>,
}

/// The names that `definitions`, all of one group, hold.
pub fn names_in_use<'a>(definitions: impl IntoIterator<Item = &'a Value>) -> NamesInUse {
    let mut used = NamesInUse::default();
    for definition in definitions {
        let names = definition.pointer("/status/acceptedNames").unwrap_or(&Value::Null);
        let resources = ["plural", "singular"].map(|member| names.text(&[member]).to_owned());
        used.resources.extend(resources.into_iter().chain(short_names(names)));
        used.kinds.extend(["kind", "listKind"].map(|member| names.text(&[member]).to_owned()));
    }
    used.resources.remove("");
    used.kinds.remove("");
    used
}

/// Writes the status that follows from the names that others of the group hold. Gives whether anything changed.
pub fn accept_names(definition: &mut Value, others: &NamesInUse, now: Time) -> bool {
    let before = definition.get("status").cloned();
    let requested = definition.pointer("/spec/names").cloned().unwrap_or_else(|| json!({}));
    let held = definition.pointer("/status/acceptedNames").cloned().unwrap_or_else(|| json!({}));
    let decision = Decision::make(&requested, &held, others);
    let established = is_established(definition);
    let Some(status) = member_mut(definition, "status") else { return false };
    status.insert("acceptedNames".to_owned(), Value::Object(decision.accepted));
    match decision.conflict {
        None => {
            set_condition(status, NO_CONFLICTS, now);
            set_condition(status, ESTABLISHED, now);
        }
        Some((reason, message)) => {
            let refused = Condition {
                kind: "NamesAccepted",
                holds: false,
                reason: &reason,
                message: &message,
            };
            set_condition(status, refused, now);
            // What is served already goes on being served under the names it has.
            if !established {
                set_condition(status, NOT_ACCEPTED, now);
            }
        }
    }
    definition.get("status") != before.as_ref()
}

/// Whether the kind is served.
pub fn is_established(definition: &Value) -> bool {
    has_condition(definition, "Established")
}

/// Whether the kind is being removed with all of its instances.
pub fn is_terminating(definition: &Value) -> bool {
    has_condition(definition, "Terminating")
}

/// Says that the instances of a deleted definition are being removed.
pub fn mark_terminating(definition: &mut Value, now: Time) {
    if let Some(status) = member_mut(definition, "status") {
        set_condition(status, TERMINATING, now);
    }
}

#[derive(Clone, Copy)]
struct Condition<'a> {
    kind: &'a str,
    holds: bool,
    reason: &'a str,
    message: &'a str,
}

const NO_CONFLICTS: Condition<'static> = Condition {
    kind: "NamesAccepted",
    holds: true,
    reason: "NoConflicts",
    message: "no conflicts found",
};
const ESTABLISHED: Condition<'static> = Condition {
    kind: "Established",
    holds: true,
    reason: "InitialNamesAccepted",
    message: "the initial names have been accepted",
};
const NOT_ACCEPTED: Condition<'static> = Condition {
    kind: "Established",
    holds: false,
    reason: "NotAccepted",
    message: "not all names are accepted",
};
const TERMINATING: Condition<'static> = Condition {
    kind: "Terminating",
    holds: true,
    reason: "InstanceDeletionInProgress",
    message: "CustomResource deletion is in progress",
};

struct Decision {
    accepted: Map<String, Value>,
    /// Reason and message of the last name that another definition holds.
    conflict: Option<(String, String)>,
}

impl Decision {
    fn make(requested: &Value, held: &Value, others: &NamesInUse) -> Self {
        let mut decision =
            Self { accepted: held.as_object().cloned().unwrap_or_default(), conflict: None };
        decision.decide("plural", requested, &others.resources);
        decision.decide("singular", requested, &others.resources);
        decision.decide_short_names(requested, &others.resources);
        decision.decide("kind", requested, &others.kinds);
        decision.decide("listKind", requested, &others.kinds);
        decision.accept("categories", requested.get("categories"));
        decision
    }

    fn decide(&mut self, member: &str, requested: &Value, used: &BTreeSet<String>) {
        let name = requested.text(&[member]);
        if used.contains(name) {
            self.refuse(member, name);
        } else {
            self.accept(member, requested.get(member));
        }
    }

    fn decide_short_names(&mut self, requested: &Value, used: &BTreeSet<String>) {
        match short_names(requested).find(|name| used.contains(name)) {
            Some(name) => self.refuse("shortNames", &name),
            None => self.accept("shortNames", requested.get("shortNames")),
        }
    }

    fn accept(&mut self, member: &str, value: Option<&Value>) {
        match value {
            Some(value) => self.accepted.insert(member.to_owned(), value.clone()),
            None => self.accepted.remove(member),
        };
    }

    fn refuse(&mut self, member: &str, name: &str) {
        let mut reason = member.to_owned();
        if let Some(first) = reason.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        self.conflict = Some((format!("{reason}Conflict"), format!("{name:?} is already in use")));
    }
}

fn short_names(names: &Value) -> impl Iterator<Item = String> {
    let list = names.get("shortNames").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned)
}

fn has_condition(definition: &Value, kind: &str) -> bool {
    let conditions = definition.pointer("/status/conditions").and_then(Value::as_array);
    conditions
        .into_iter()
        .flatten()
        .any(|condition| condition.text(&["type"]) == kind && condition.text(&["status"]) == "True")
}

/// Sets a condition; the time moves only when its status does.
fn set_condition(status: &mut Map<String, Value>, condition: Condition<'_>, now: Time) {
    let list = status.entry("conditions").or_insert_with(|| json!([]));
    if !list.is_array() {
        *list = json!([]);
    }
    let Some(list) = list.as_array_mut() else { return };
    let holds = if condition.holds { "True" } else { "False" };
    let known = list.iter_mut().find(|known| known.text(&["type"]) == condition.kind);
    let since = match &known {
        Some(known) if known.text(&["status"]) == holds => {
            known.text(&["lastTransitionTime"]).to_owned()
        }
        _ => now.to_rfc3339_seconds(),
    };
    let new = json!({
        "type": condition.kind, "status": holds, "lastTransitionTime": since,
        "reason": condition.reason, "message": condition.message,
    });
    match known {
        Some(known) => *known = new,
        None => list.push(new),
    }
}
