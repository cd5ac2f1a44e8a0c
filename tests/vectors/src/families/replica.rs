//! `replica-hash`: content hash and labels of copies.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core_rules::replica::{Source, SourceKind};
use serde_json::Value;

use crate::{Answer, Case};

pub(super) fn run(case: &Case<'_>) -> Answer {
    let text = |value: &str| Some(value.to_owned());
    let bytes = |value: &str| Some(value.as_bytes().to_vec());
    let decoded = |value: &str| STANDARD.decode(value).ok();
    let source = Source {
        kind: match case.text("kind") {
            "Secret" => SourceKind::Secret,
            _ => SourceKind::ConfigMap,
        },
        name: "src",
        labels: &map(case, "labels", text),
        annotations: &map(case, "annotations", text),
        data: &map(case, "data", bytes),
        binary_data: &map(case, "binaryData", decoded),
    };
    Answer::value(source.content_hash())
        .and("replicated", source.is_eligible())
        .and("replicaLabels", source.replica_labels().into_iter().collect::<Value>())
}

fn map<V>(
    case: &Case<'_>,
    member: &str,
    convert: impl Fn(&str) -> Option<V>,
) -> BTreeMap<String, V> {
    let entries = case.member(member).and_then(Value::as_object);
    let convert = |(key, value): (&String, &Value)| {
        Some((key.clone(), convert(value.as_str().unwrap_or_default())?))
    };
    entries.into_iter().flatten().filter_map(convert).collect()
}
