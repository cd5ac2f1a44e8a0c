use serde_json::json;

use super::*;

#[test]
fn json_form_is_text() {
    assert_eq!(json!(Duration::from_secs(300)), json!("5m0s"));
    assert_eq!(
        serde_json::from_value::<Duration>(json!("1h30m")).unwrap(),
        Duration::from_secs(5400)
    );
    assert!(serde_json::from_value::<Duration>(json!(5)).is_err());
}

#[test]
fn conversion_to_the_standard_type_refuses_negative_spans() {
    assert_eq!(std::time::Duration::try_from(Duration::from_secs(2)).unwrap().as_secs(), 2);
    assert!(std::time::Duration::try_from(Duration::from_nanos(-1)).is_err());
    assert_eq!(Duration::from(std::time::Duration::MAX), Duration::from_nanos(i64::MAX));
}
