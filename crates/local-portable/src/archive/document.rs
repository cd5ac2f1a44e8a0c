//! Objects as a stream of YAML documents.
//!
//! Each object is a document of its own, so that reading one is bounded and a person finds it. Text is never folded or
//! put into blocks: a line of three dashes is always the end of an object.

use api_kinds::crd::to_yaml;
use serde_json::Value;

use crate::{Error, Resource, object::Key};

const SEPARATOR: &str = "---\n";

/// All objects of a kind. What would not read back as it is is written as JSON, which is YAML too.
pub(super) fn encode(resource: &Resource, objects: &[Value]) -> Result<String, Error> {
    let mut stream = String::new();
    for object in objects {
        stream.push_str(SEPARATOR);
        let yaml = to_yaml(object).map_err(|error| Error::Encode {
            object: Key::of(resource, object).to_string(),
            why: error.to_string(),
        })?;
        if reads_back(&yaml, object) {
            stream.push_str(&yaml);
        } else {
            stream.push_str(&object.to_string());
            stream.push('\n');
        }
    }
    Ok(stream)
}

fn reads_back(yaml: &str, object: &Value) -> bool {
    let is_one = yaml.ends_with('\n') && !yaml.contains("\n---");
    is_one && decode_one(yaml).is_ok_and(|read| read == *object)
}

/// The objects of a stream.
pub(super) fn decode(stream: &str) -> Result<Vec<Value>, String> {
    let Some(stream) = stream.strip_prefix(SEPARATOR) else {
        return if stream.is_empty() {
            Ok(Vec::new())
        } else {
            Err("no document begins it".to_owned())
        };
    };
    stream.split("\n---\n").map(decode_one).collect()
}

fn decode_one(document: &str) -> Result<Value, String> {
    if document.starts_with('{') {
        return serde_json::from_str(document).map_err(|error| error.to_string());
    }
    let read = serde_saphyr::from_str(document);
    read.map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::RESOURCES;

    fn round_trip(objects: &[Value]) -> Vec<Value> {
        decode(&encode(&RESOURCES[0], objects).unwrap()).unwrap()
    }

    #[test]
    fn texts_that_yaml_reads_in_its_own_way_stay_as_they_are() {
        let texts = [
            "yes",
            "010",
            "1e3",
            "~",
            "",
            "null",
            "- a",
            "a: b",
            "---",
            "x\n---\ny",
            "\u{85}\u{2028}\u{feff}",
            "tab\t",
            "trailing ",
            "\r\n",
            "0x1F",
            "2026-01-01",
            "=",
            "<<",
            "!!int 1",
            "&a",
            "*a",
            "%x",
            "@",
            "`",
            "\u{7}",
            "12:30",
        ];
        let objects: Vec<Value> = texts
            .iter()
            .map(|text| json!({"metadata": {"name": text}, "data": {"k": text, *text: [text, 1.0, 1, -0.5, null, true]}}))
            .collect();
        assert_eq!(round_trip(&objects), objects);
    }

    #[test]
    fn nothing_is_an_empty_stream() {
        assert_eq!(round_trip(&[]), Vec::<Value>::new());
        assert!(decode("kind: Stage\n").is_err());
        assert!(decode("---\n{\n").is_err());
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>()
                .prop_filter("JSON has no others", |number| number.is_finite())
                .prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[ -~\n]{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[ -~]{0,8}", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_object_reads_back_as_it_was(values in prop::collection::vec(value(), 1..4)) {
            let objects: Vec<Value> = values.into_iter().map(|value| json!({"data": value})).collect();
            prop_assert_eq!(round_trip(&objects), objects);
        }

        #[test]
        fn no_text_is_a_panic(text in "\\PC*") {
            let _ = decode(&format!("---\n{text}"));
        }
    }
}
