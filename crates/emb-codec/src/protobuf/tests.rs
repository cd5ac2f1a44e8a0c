use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Objects and the bytes that client-go makes of them.
fn fixtures() -> Vec<(Value, Vec<u8>)> {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../testdata/protobuf.json")).unwrap();
    cases
        .into_iter()
        .map(|case| (case["object"].clone(), unhex(case["hex"].as_str().unwrap())))
        .collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// Encoders and this decoder differ in whether they leave out an empty object or write it; both mean the same.
fn without_empty(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, inner)| (key.clone(), without_empty(inner)))
            .filter(|(_, inner)| !inner.is_null() && *inner != json!({}))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(without_empty).collect::<Vec<_>>().into(),
        plain => plain.clone(),
    }
}

fn body(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let names = [&field(1, api_version.as_bytes())[..], &field(2, kind.as_bytes())].concat();
    [MAGIC, &field(1, &names), &field(2, raw)].concat()
}

fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).unwrap();
    let length = if length < 128 { vec![length] } else { vec![length, 1] };
    [&[number << 3 | 2], &length[..], content].concat()
}

fn config_map(raw: &[u8]) -> Result<Value, ProtobufError> {
    decode(&body("v1", "ConfigMap", raw)).map(|decoded| decoded.value)
}

#[test]
fn bodies_of_real_clients_become_the_json_they_would_have_sent() {
    let fixtures = fixtures();
    assert_eq!(fixtures.len(), 22);
    for (object, bytes) in fixtures {
        let decoded = decode(&bytes).unwrap();
        assert_eq!(without_empty(&decoded.value), without_empty(&object), "{object}");
        assert_eq!(decoded.kind, object["kind"]);
        assert_eq!(decoded.api_version, object["apiVersion"]);
    }
}

#[test]
fn pointers_to_zero_survive_and_plain_zeros_vanish() {
    let (_, bytes) = fixtures().pop().unwrap();
    let options = decode(&bytes).unwrap().value;
    assert_eq!(options["gracePeriodSeconds"], json!(0));
    assert_eq!(options["orphanDependents"], json!(false));
    let (_, bytes) = fixtures().swap_remove(0);
    assert_eq!(decode(&bytes).unwrap().value["metadata"], json!({"name": "pond"}));
}

#[test]
fn delete_options_come_under_any_version() {
    for version in ["v1", "kargo.akuity.io/v1alpha1", "apps/v1"] {
        let decoded = decode(&body(version, "DeleteOptions", &[])).unwrap();
        assert_eq!(decoded.value, json!({"apiVersion": version, "kind": "DeleteOptions"}));
    }
}

#[test]
fn kinds_that_only_come_as_text_are_told_apart() {
    let error = decode(&body("v1", "Pod", &[])).unwrap_err();
    let unknown = ProtobufError::UnknownKind { api_version: "v1".into(), kind: "Pod".into() };
    assert_eq!(error, unknown);
    assert!(error.to_string().contains("accepted media types include: application/json"));
    assert!(matches!(decode(MAGIC), Err(ProtobufError::UnknownKind { .. })));
}

#[test]
fn fields_from_the_future_are_skipped() {
    let raw = [
        &field(1, &field(1, b"a"))[..],
        &[15 << 3, 1],                                               // a varint
        &[15 << 3 | 1, 0, 0, 0, 0, 0, 0, 0, 0],                      // 64 bits
        &[15 << 3 | 5, 0, 0, 0, 0],                                  // 32 bits
        &[15 << 3 | 3, 14 << 3 | 3, 8, 1, 14 << 3 | 4, 15 << 3 | 4], // a group in a group
        &field(15, b"x"),
    ]
    .concat();
    let expected = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    assert_eq!(config_map(&raw), Ok(expected));
}

#[test]
fn malformed_bodies_are_told_apart() {
    let malformed = |raw: &[u8]| match config_map(raw) {
        Err(ProtobufError::Malformed(malformed)) => malformed,
        other => panic!("{other:?}"),
    };
    assert_eq!(decode(b"{}"), Err(Malformed::Envelope.into()));
    assert_eq!(malformed(&[0x0a]), WireError::Truncated.into());
    assert_eq!(malformed(&[0x0a, 9, 1]), WireError::Truncated.into());
    assert_eq!(malformed(&[0xff; 11]), WireError::Overflow.into());
    assert_eq!(malformed(&[0x00, 0]), WireError::Number.into());
    assert_eq!(malformed(&[15 << 3 | 7]), WireError::Type.into());
    assert_eq!(malformed(&[15 << 3 | 4]), WireError::Type.into());
    assert_eq!(malformed(&[0x08, 1]), Malformed::Type(1));
    let name = field(1, &field(1, &[0xff]));
    assert_eq!(malformed(&name), Malformed::Content { field: 1, expected: "UTF-8" });
    let time = field(1, &field(8, &[8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]));
    assert_eq!(malformed(&time), Malformed::Content { field: 8, expected: "time" });
}

#[test]
fn nesting_is_bounded() {
    let nested = |levels: usize| (0..levels).fold(Vec::new(), |inner, _| long_field(28, &inner));
    let schema = |levels: usize| {
        let validation = long_field(1, &nested(levels));
        let spec = long_field(7, &long_field(4, &validation));
        let raw = long_field(2, &spec);
        let names = body("apiextensions.k8s.io/v1", "CustomResourceDefinition", &[]);
        let names = &names[..names.len() - 2];
        [names, &long_field(2, &raw)].concat()
    };
    assert!(decode(&schema(50)).is_ok());
    assert_eq!(decode(&schema(64)), Err(ProtobufError::TooDeep));
}

/// As [`field`], for any number and length.
fn long_field(number: u32, content: &[u8]) -> Vec<u8> {
    let varint = |mut value: usize| {
        let mut bytes = Vec::new();
        while value >= 0x80 {
            bytes.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
            value >>= 7;
        }
        bytes.push(u8::try_from(value).unwrap());
        bytes
    };
    let tag = usize::try_from(number << 3 | 2).unwrap();
    [varint(tag), varint(content.len()), content.to_vec()].concat()
}

#[test]
fn truncated_bodies_never_panic() {
    for (_, bytes) in fixtures() {
        for length in 0..bytes.len() {
            let _ = decode(&bytes[..length]);
        }
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let _ = decode(&[MAGIC, &bytes].concat());
        let _ = config_map(&bytes);
        let _ = decode(&body("v1", "Event", &bytes));
        let _ = decode(&body("apiextensions.k8s.io/v1", "CustomResourceDefinition", &bytes));
    }

    #[test]
    fn damaged_bodies_never_panic(case in 0..22_usize, at: prop::sample::Index, byte: u8) {
        let (_, mut bytes) = fixtures().swap_remove(case);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = decode(&bytes);
    }
}
