//! `rbac-annotations` and `rbac-claims`: which ServiceAccounts a login acts as.

use std::collections::{BTreeMap, BTreeSet};

use core_rules::access::claim::{
    Claims, is_namespace_considered, keys_of_annotations, keys_of_login,
};
use serde_json::{Map, Value};

use crate::{Answer, Case, Exception};

pub(super) const BLANK_VALUES: Exception = Exception {
    name: "blank-values",
    reason: "an empty value in an annotation gives the role to nobody, and blanks around one do not count",
    applies: |case| claim_values(&case.member_or_null("annotations")).any(is_blank),
};

pub(super) const SINGLE_VALUES: Exception = Exception {
    name: "single-values",
    reason: "a claim with a single value in place of a list gives the role that is shown for it",
    applies: |case| has_single_value(&case.member_or_null("annotations")),
};

pub(super) const REPEATED_VALUES: Exception = Exception {
    name: "repeated-values",
    reason: "a value that is named twice is one value",
    applies: |case| {
        let keys = case.texts("matchKeys");
        keys.iter().collect::<BTreeSet<_>>().len() < keys.len()
    },
};

pub(super) const MAPPED_BY_SINGLE_VALUE: Exception = Exception {
    name: "mapped-by-single-value",
    reason: "a claim with a single value in place of a list gives the role that is shown for it",
    applies: |case| agrees_without(case, has_single_value),
};

pub(super) const MAPPED_BY_NOTHING: Exception = Exception {
    name: "mapped-by-nothing",
    reason: "an empty claim of a login gives no role",
    applies: |case| {
        agrees_without(case, |annotations| {
            has_single_value(annotations) || claim_values(annotations).any(is_blank)
        })
    },
};

pub(super) fn run_annotations(case: &Case<'_>) -> Answer {
    let annotations = texts(&case.member_or_null("annotations"));
    let Ok(claims) = Claims::from_annotations(&annotations) else { return Answer::refused() };
    let shown: Map<String, Value> = claims
        .iter()
        .map(|(claim, values)| (claim.to_owned(), values.iter().cloned().collect()))
        .collect();
    let keys: Value = keys_of_annotations(&annotations).into_iter().collect();
    Answer::value(shown).and("matchKeys", keys)
}

pub(super) fn run_claims(case: &Case<'_>) -> Answer {
    Answer::value(mapped(case, |_| true))
}

/// The ServiceAccounts, out of those whose annotations are considered, that the login acts as.
fn mapped(case: &Case<'_>, is_considered: impl Fn(&Value) -> bool) -> Value {
    let claims = case.member_or_null("claims");
    let login = keys_of_login(claims.as_object().unwrap_or(&Map::new()));
    let namespaces = considered_namespaces(case);
    let accounts = case.fixture("serviceAccounts").and_then(Value::as_array);
    let names: BTreeSet<String> = accounts
        .into_iter()
        .flatten()
        .filter(|account| {
            let annotations = account.get("annotations").cloned().unwrap_or_default();
            namespaces.contains(text(account, "namespace"))
                && is_considered(&annotations)
                && !keys_of_annotations(&texts(&annotations)).is_disjoint(&login)
        })
        .map(|account| format!("{}/{}", text(account, "namespace"), text(account, "name")))
        .collect();
    names.into_iter().collect()
}

fn considered_namespaces<'a>(case: &Case<'a>) -> BTreeSet<&'a str> {
    let namespaces = case.fixture("namespaces").and_then(Value::as_array).into_iter().flatten();
    let is_considered = |namespace: &&Value| {
        let labels = texts(&namespace.get("labels").cloned().unwrap_or_default());
        is_namespace_considered(text(namespace, "name"), &labels, case.texts("globalNamespaces"))
    };
    namespaces.filter(is_considered).map(|namespace| text(namespace, "name")).collect()
}

/// Whether the only difference is about ServiceAccounts with such annotations: the others are
/// chosen as expected.
fn agrees_without(case: &Case<'_>, is_such: fn(&Value) -> bool) -> bool {
    let want = case.member_or_null("want");
    let accounts = case.fixture("serviceAccounts").and_then(Value::as_array);
    let left_out: BTreeSet<String> = accounts
        .into_iter()
        .flatten()
        .filter(|account| account.get("annotations").is_some_and(is_such))
        .map(|account| format!("{}/{}", text(account, "namespace"), text(account, "name")))
        .collect();
    let names = want.as_array().into_iter().flatten();
    let others: Value = names
        .filter(|name| !name.as_str().is_some_and(|name| left_out.contains(name)))
        .cloned()
        .collect();
    mapped(case, |annotations| !is_such(annotations)) == others
}

fn has_single_value(annotations: &Value) -> bool {
    claim_object(annotations).values().any(Value::is_string)
}

/// Every value that the annotations name, as it stands there.
fn claim_values(annotations: &Value) -> impl Iterator<Item = String> {
    let listed = claim_object(annotations).into_iter().flat_map(|(_, values)| match values {
        Value::Array(values) => values,
        other => vec![other],
    });
    let listed = listed.filter_map(|value| value.as_str().map(str::to_owned));
    let legacy = texts(annotations)
        .into_iter()
        .filter(|(key, _)| key.starts_with("rbac.kargo.akuity.io/claim."))
        // Blanks around the values of this form never counted.
        .flat_map(|(_, values)| {
            values.split(',').map(|value| value.trim().to_owned()).collect::<Vec<_>>()
        });
    listed.chain(legacy)
}

fn is_blank(value: String) -> bool {
    value.is_empty() || value.trim() != value
}

fn claim_object(annotations: &Value) -> Map<String, Value> {
    let claims = annotations.get("rbac.kargo.akuity.io/claims").unwrap_or(&Value::Null);
    serde_json::from_str(claims.as_str().unwrap_or("{}")).unwrap_or_default()
}

fn texts(object: &Value) -> BTreeMap<String, String> {
    serde_json::from_value(object.clone()).unwrap_or_default()
}

fn text<'a>(object: &'a Value, member: &str) -> &'a str {
    object.get(member).and_then(Value::as_str).unwrap_or_default()
}
