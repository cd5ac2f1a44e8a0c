//! The YAML form says the same as the JSON form, to old readers too.

use serde_json::{Value, json};

#[test]
fn yaml_form_reads_back_as_the_same_definitions() {
    let stream = api_kinds::crd::crds_yaml().unwrap();
    let read: Vec<Value> = serde_saphyr::from_multiple(&stream).unwrap();
    assert_eq!(read, api_kinds::crd::crds());
}

#[test]
fn text_that_old_readers_would_mistake_is_quoted() {
    for text in
        ["y", "on", "No", "0755", "1e3", "1_000", "12:30", "2026-01-02", "~", "null", "", "="]
    {
        let yaml = api_kinds::crd::to_yaml(&json!({ "key": text })).unwrap();
        let value = yaml.trim_end().strip_prefix("key: ").unwrap();
        assert!(value.starts_with(['"', '\'']), "{yaml}");
    }
}
