//! Owners named twice. Of references that are equal in everything one stays, and the client is told.

use std::collections::HashSet;

use emb_meta::ObjectExt;
use serde_json::Value;

use crate::call::Call;

/// When the repetition was seen: the texts differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// In the object that a client sent.
    Received,
    /// In what patches and mutating admission have made of it.
    Admitted,
}

impl Moment {
    fn warning(self, uids: &[&str]) -> String {
        let seen = match self {
            Self::Received => "",
            Self::Admitted => " after mutating admission happens",
        };
        format!(
            ".metadata.ownerReferences contains duplicate entries{seen}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            uids.join(", ")
        )
    }
}

/// Warns of repeated references and leaves them in: whose a list is that a patch has made is told before it is cut.
pub(crate) fn warn_of_repeated(call: &mut Call, object: &Value, moment: Moment) {
    let Some(references) = references(object) else { return };
    let repeated = references.iter().zip(first_of_its_kind(references)).filter(|(_, first)| !first);
    let uids: Vec<&str> = repeated.map(|(reference, _)| reference.text(&["uid"])).collect();
    if uids.is_empty() {
        return;
    }
    let warning = moment.warning(&uids);
    if !call.warnings.contains(&warning) {
        call.warnings.push(warning);
    }
}

/// Keeps the first of each set of equal references, with a warning.
pub(crate) fn keep_distinct(call: &mut Call, object: &mut Value, moment: Moment) {
    warn_of_repeated(call, object, moment);
    let Some(references) = references(object) else { return };
    let mut first = first_of_its_kind(references).into_iter();
    if let Some(Value::Array(references)) = object.metadata_mut().get_mut("ownerReferences") {
        references.retain(|_| first.next().unwrap_or(true));
    }
}

/// The references of an object that has several.
fn references(object: &Value) -> Option<&[Value]> {
    let references = object.metadata()?.get("ownerReferences")?.as_array()?;
    (references.len() > 1).then_some(references)
}

/// For each reference, whether it is the first with its content.
fn first_of_its_kind(references: &[Value]) -> Vec<bool> {
    let mut seen = HashSet::new();
    let content = |reference: &Value| {
        let flag = |name: &str| reference.get(name).and_then(Value::as_bool);
        let text =
            ["apiVersion", "kind", "name", "uid"].map(|name| reference.text(&[name]).to_owned());
        (text, flag("controller"), flag("blockOwnerDeletion"))
    };
    references.iter().map(|reference| seen.insert(content(reference))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_repeat_when_all_of_them_is_equal() {
        let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "1"});
        let with = |member: &str, value: Value| {
            let mut other = owner.clone();
            other[member] = value;
            other
        };
        let list = [
            owner.clone(),
            with("name", json!("b")),
            with("controller", json!(false)),
            with("controller", Value::Null),
            owner.clone(),
        ];
        assert_eq!(first_of_its_kind(&list), [true, true, true, false, false]);
    }
}
