//! The refusal of a webhook, as the client sees it.

use emb_meta::Status;
use serde_json::Value;

/// Turns the status of a webhook that said no into ours. A code that is no failure becomes 400.
pub(super) fn denied(name: &str, stated: Option<&Value>) -> Status {
    let stated = stated.unwrap_or(&Value::Null);
    let mut status = Status::from_value(stated);
    let code = stated.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    status.code = code.filter(|code| (400..1000).contains(code)).unwrap_or(400);
    let reason = stated.get("reason").and_then(Value::as_str).unwrap_or_default();
    let denied = format!("admission webhook {name:?} denied the request");
    status.message = match (status.message.as_str(), reason) {
        ("", "") => format!("{denied} without explanation"),
        ("", why) | (why, _) => format!("{denied}: {why}"),
    };
    status
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_words_of_the_webhook_are_kept_and_success_is_no_refusal() {
        let bare = denied("a.b.c", None);
        assert_eq!(bare.code, 400);
        assert_eq!(
            bare.message,
            "admission webhook \"a.b.c\" denied the request without explanation"
        );
        assert_eq!(bare.to_value().get("reason"), None);
        let stated = json!({"code": 418, "message": "no way", "reason": "Teapot",
            "details": {"causes": [{"message": "c"}]}});
        let status = denied("a.b.c", Some(&stated)).to_value();
        assert_eq!(status["message"], "admission webhook \"a.b.c\" denied the request: no way");
        assert_eq!((&status["code"], &status["reason"]), (&json!(418), &json!("Teapot")));
        assert_eq!(status["details"]["causes"][0]["message"], "c");
        let fine = denied("a", Some(&json!({"code": 200, "reason": "Fine"})));
        assert_eq!(
            (fine.code, fine.message.as_str()),
            (400, "admission webhook \"a\" denied the request: Fine")
        );
    }
}
