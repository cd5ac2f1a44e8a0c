//! From the claims of a login to the ServiceAccounts it acts as.
//!
//! A ServiceAccount says in annotations which values of which claims lead to it. A login is looked
//! up by keys `claim/value`; one key in common is enough. Values are trimmed and empty ones mean
//! nothing, in every place; a single text means a list of one.

use std::collections::{BTreeMap, BTreeSet};

use api_kinds::annotations::{RBAC_CLAIM_PREFIX, RBAC_CLAIMS};
use serde_json::{Map, Value};

/// The annotation does not hold what it should.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// It is not JSON, or no object.
    #[error("unmarshaling OIDC claims from annotation value")]
    Json(#[from] serde_json::Error),
    /// The values of a claim are neither a text nor a list of texts.
    #[error("the values of claim {claim:?} are neither a text nor a list of texts")]
    Values {
        /// The claim.
        claim: String,
    },
}

/// Claims and the values of them that lead to a role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims(BTreeMap<String, BTreeSet<String>>);

impl Claims {
    /// What the annotations of a ServiceAccount say, in both of their forms.
    pub fn from_annotations(annotations: &BTreeMap<String, String>) -> Result<Self, ClaimError> {
        let mut claims = Self::default();
        if let Some(text) = annotations.get(RBAC_CLAIMS) {
            for (claim, value) in parse(text)? {
                claims.add(&claim, value.iter().map(String::as_str));
            }
        }
        for (claim, values) in legacy(annotations) {
            claims.add(claim, values.split(','));
        }
        Ok(claims)
    }

    /// Adds values of a claim.
    pub fn add<'a>(&mut self, claim: &str, values: impl IntoIterator<Item = &'a str>) {
        let values = values.into_iter().map(str::trim).filter(|value| !value.is_empty());
        for value in values {
            self.0.entry(claim.to_owned()).or_default().insert(value.to_owned());
        }
    }

    /// Removes values of a claim, and the claim with its last value.
    pub fn remove<'a>(&mut self, claim: &str, values: impl IntoIterator<Item = &'a str>) {
        let Some(known) = self.0.get_mut(claim) else { return };
        for value in values {
            known.remove(value.trim());
        }
        if known.is_empty() {
            self.0.remove(claim);
        }
    }

    /// Whether nobody is meant.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Claims and their values, both in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &BTreeSet<String>)> {
        self.0.iter().map(|(claim, values)| (claim.as_str(), values))
    }

    /// The value of the annotation, in its canonical form.
    pub fn to_annotation(&self) -> String {
        let values = |values: &BTreeSet<String>| values.iter().cloned().collect::<Value>();
        let object: Map<String, Value> =
            self.0.iter().map(|(claim, of_claim)| (claim.clone(), values(of_claim))).collect();
        Value::Object(object).to_string()
    }

    fn keys(&self) -> impl Iterator<Item = String> {
        self.0.iter().flat_map(|(claim, values)| values.iter().map(|value| key(claim, value)))
    }
}

/// The keys under which logins find a ServiceAccount. An unreadable annotation leads nobody
/// anywhere; the others still count.
pub fn keys_of_annotations(annotations: &BTreeMap<String, String>) -> BTreeSet<String> {
    let claims = Claims::from_annotations(annotations).unwrap_or_else(|_| {
        let mut claims = Claims::default();
        legacy(annotations).for_each(|(claim, values)| claims.add(claim, values.split(',')));
        claims
    });
    claims.keys().collect()
}

/// The keys that a login looks with: texts and the texts in lists.
pub fn keys_of_login(claims: &Map<String, Value>) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for (claim, value) in claims {
        let list = value.as_array().into_iter().flatten();
        let texts = list.chain([value]).filter_map(Value::as_str);
        keys.extend(texts.map(|text| key(claim, text)));
    }
    keys
}

/// Whether a ServiceAccount counts at all: those of Projects and of namespaces named as global do.
pub fn is_namespace_considered<'a>(
    name: &str,
    labels: &BTreeMap<String, String>,
    global: impl IntoIterator<Item = &'a str>,
) -> bool {
    let is_project = labels
        .get(api_kinds::labels::PROJECT)
        .is_some_and(|value| value == api_kinds::labels::TRUE);
    is_project || global.into_iter().any(|namespace| namespace == name)
}

fn key(claim: &str, value: &str) -> String {
    format!("{claim}/{value}")
}

fn legacy(annotations: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    annotations
        .iter()
        .filter_map(|(key, values)| Some((key.strip_prefix(RBAC_CLAIM_PREFIX)?, values.as_str())))
}

fn parse(text: &str) -> Result<BTreeMap<String, Vec<String>>, ClaimError> {
    let object: Option<BTreeMap<String, Value>> = serde_json::from_str(text)?;
    let read = |(claim, value): (String, Value)| match texts(value) {
        Some(values) => Ok((claim, values)),
        None => Err(ClaimError::Values { claim }),
    };
    object.unwrap_or_default().into_iter().map(read).collect()
}

fn texts(value: Value) -> Option<Vec<String>> {
    let text = |value| match value {
        Value::String(text) => Some(text),
        _ => None,
    };
    match value {
        Value::String(text) => Some(vec![text]),
        Value::Array(values) => values.into_iter().map(text).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::{Claims, keys_of_annotations, keys_of_login};

    fn annotations(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let named = |(key, value): &(&str, &str)| {
            (format!("rbac.kargo.akuity.io/{key}"), (*value).to_owned())
        };
        pairs.iter().map(named).collect()
    }

    #[test]
    fn both_forms_are_joined_and_written_as_one() {
        let both =
            annotations(&[("claim.a", "b, z,,"), ("claims", r#"{"a":["z"," a "],"e":"x"}"#)]);
        let claims = Claims::from_annotations(&both).unwrap();
        assert_eq!(claims.to_annotation(), r#"{"a":["a","b","z"],"e":["x"]}"#);
        let again = annotations(&[("claims", &claims.to_annotation())]);
        assert_eq!(Claims::from_annotations(&again).unwrap(), claims);
    }

    #[test]
    fn empty_values_lead_nobody_anywhere() {
        let empty = annotations(&[("claim.email", "  "), ("claims", r#"{"email":["",""]}"#)]);
        assert!(Claims::from_annotations(&empty).unwrap().is_empty());
        let login = json!({"email": ""});
        assert!(
            keys_of_annotations(&empty).is_disjoint(&keys_of_login(login.as_object().unwrap()))
        );
    }

    #[test]
    fn an_unreadable_annotation_is_an_error_and_leaves_the_other_form_in_force() {
        for bad in ["", "{", "[]", r#"{"a":5}"#, r#"{"a":[1]}"#] {
            let annotations = annotations(&[("claims", bad), ("claim.b", "c")]);
            assert!(Claims::from_annotations(&annotations).is_err(), "{bad}");
            assert_eq!(Vec::from_iter(keys_of_annotations(&annotations)), ["b/c"], "{bad}");
        }
    }

    #[test]
    fn a_login_looks_with_every_text_it_has() {
        let login = json!({"sub": "x", "groups": ["a", 5, ["b"], "c"], "verified": true});
        let keys = keys_of_login(login.as_object().unwrap());
        assert_eq!(Vec::from_iter(keys), ["groups/a", "groups/c", "sub/x"]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(claim in "[a-z.]{0,8}", values in prop::collection::vec(".{0,6}", 0..5)) {
            let mut claims = Claims::default();
            claims.add(&claim, values.iter().map(String::as_str));
            let written = annotations(&[("claims", &claims.to_annotation())]);
            prop_assert_eq!(Claims::from_annotations(&written).unwrap(), claims);
        }

        #[test]
        fn any_text_is_read_without_panic(text in ".{0,60}") {
            keys_of_annotations(&annotations(&[("claims", &text), ("claim.", &text)]));
        }
    }
}
