//! Sets of fields that a client sent: bounded, checked, and brought into the one form that sets are compared in.

use serde_json::{Map, Value};

use crate::{
    element::{ElementError, PathElement},
    set::{FieldSet, SELF, is_member},
};

/// How deep sets may nest: as deep as objects.
const MAX_DEPTH: usize = 512;

/// Why a document is no set of fields.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldsError {
    /// A key names no path element.
    #[error(transparent)]
    Element(#[from] ElementError),
    /// Something other than an object stands where elements are expected.
    #[error("a set of fields is made of objects")]
    NoObject,
    /// The document nests too deep.
    #[error("a set of fields nests deeper than {MAX_DEPTH}")]
    TooDeep,
}

impl FieldSet {
    /// Reads a `FieldsV1` document from outside.
    pub fn decode(document: &Value) -> Result<Self, FieldsError> {
        decode(document, 0)
    }
}

fn decode(document: &Value, depth: usize) -> Result<FieldSet, FieldsError> {
    if depth > MAX_DEPTH {
        return Err(FieldsError::TooDeep);
    }
    let elements = match document {
        Value::Object(elements) => elements,
        Value::Null => &Map::new(),
        _ => return Err(FieldsError::NoObject),
    };
    let mut set = FieldSet::default();
    for (element, branch) in elements.iter().filter(|(element, _)| *element != SELF) {
        let inner = decode(branch, depth + 1)?;
        let mut one = FieldSet::default();
        one.attach(PathElement::parse(element)?.encode(), is_member(branch), inner);
        // Two spellings of one element add up.
        set.union(one);
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn spellings_are_settled_and_add_up() {
        let sent = json!({
            "f:a": {".": {}}, "f:b": null, "f:list": {
                r#"k:{"n":1, "a":"x"}"#: {".": {}, "f:p": {}}, r#"k:{"a":"x","n":1.0}"#: {"f:q": {}},
            },
        });
        assert_eq!(
            FieldSet::decode(&sent).unwrap().encode(),
            json!({"f:a": {}, "f:b": {}, "f:list": {
                r#"k:{"a":"x","n":1}"#: {".": {}, "f:p": {}, "f:q": {}}
            }})
        );
    }

    #[test]
    fn what_is_no_set_is_refused() {
        for sent in [json!([]), json!("x"), json!({"f:a": 1}), json!({"a": {}}), json!({"k:1": {}})]
        {
            assert!(FieldSet::decode(&sent).is_err(), "{sent}");
        }
        let deep = (0..600).fold(json!({}), |inner, _| json!({"f:a": inner}));
        assert_eq!(FieldSet::decode(&deep), Err(FieldsError::TooDeep));
    }

    fn sets() -> impl Strategy<Value = FieldSet> {
        let element = prop_oneof![
            "[a-z.<&é]{0,6}".prop_map(PathElement::Field),
            any::<i32>().prop_map(|number| PathElement::Value(json!(number))),
            "\\PC{0,6}".prop_map(|text| PathElement::Value(json!(text))),
            "\\PC{0,6}".prop_map(|text| {
                PathElement::Key(json!({"name": text, "port": 1}).as_object().unwrap().clone())
            }),
            any::<i16>().prop_map(|index| PathElement::Index(index.into())),
        ];
        let path = prop::collection::vec(element, 1..4);
        prop::collection::vec(path, 0..12).prop_map(|paths| {
            paths.iter().fold(FieldSet::default(), |mut set, path| {
                set.insert(path);
                set
            })
        })
    }

    proptest! {
        #[test]
        fn a_written_set_reads_back(set in sets()) {
            prop_assert_eq!(FieldSet::decode(&set.clone().encode()), Ok(set));
        }

        #[test]
        fn paths_make_the_set_again(set in sets()) {
            let paths = set.paths();
            prop_assert!(paths.iter().all(|path| set.contains(path)));
            let mut again = FieldSet::default();
            for path in &paths {
                again.insert(path);
            }
            prop_assert_eq!(again, set);
        }

        #[test]
        fn union_and_intersection_agree_with_membership(one in sets(), other in sets()) {
            let mut both = one.clone();
            both.union(other.clone());
            let common = one.intersection(&other);
            for path in both.paths() {
                let (first, second) = (one.contains(&path), other.contains(&path));
                prop_assert!(first || second);
                prop_assert_eq!(common.contains(&path), first && second);
            }
        }

        #[test]
        fn nothing_of_a_subtracted_set_is_left(one in sets(), other in sets()) {
            let mut rest = one.clone();
            rest.subtract(&other);
            prop_assert!(rest.intersection(&other).is_empty());
            prop_assert_eq!(FieldSet::decode(&rest.clone().encode()), Ok(rest.clone()));
            prop_assert!(rest.paths().iter().all(|path| one.contains(path)));
        }

        #[test]
        fn no_document_makes_it_panic(text in "\\PC{0,40}") {
            let _ = FieldSet::decode(&json!({text.clone(): {text: {}}}));
        }
    }
}
