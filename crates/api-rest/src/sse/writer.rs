//! Frames as the server writes them.

use serde::{Deserialize, Serialize};

/// What happened to an object of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ChangeType {
    /// It is there, or is so from now on.
    Added,
    /// It is another than before.
    Modified,
    /// It is gone, or does not match any more.
    Deleted,
}

impl ChangeType {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

/// The data of an error frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchError {
    /// One of the codes of this module.
    pub code: String,
    /// What happened, for people.
    pub message: String,
}

/// A comment that keeps proxies from closing a silent connection.
pub const KEEPALIVE: &str = ": keepalive\n\n";

/// Tells that the server goes away. Without data, so that clients which know no names of events pass over it.
pub const CLOSE: &str = "event: close\n\n";

/// A change of an object that is JSON in one line already. `id` is where a client goes on after a
/// break; without one it goes on from the frame before.
pub fn watch_frame(change: ChangeType, object: &[u8], id: Option<&str>) -> Vec<u8> {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    let head = format!("{id}data: {{\"type\":\"{}\",\"object\":", change.as_str());
    let mut frame = Vec::with_capacity(head.len() + object.len() + 3);
    frame.extend_from_slice(head.as_bytes());
    frame.extend_from_slice(object);
    frame.extend_from_slice(b"}\n\n");
    frame
}

/// Tells how far a stream has come, though nothing happened to any object.
pub fn bookmark_frame(position: &str) -> String {
    let metadata = serde_json::json!({ "resourceVersion": position });
    let data = serde_json::json!({ "type": "BOOKMARK", "object": { "metadata": metadata } });
    format!("id: {position}\ndata: {data}\n\n")
}

/// The last frame of a watch that ends for a reason.
pub fn error_frame(code: &str, message: &str) -> String {
    let data = serde_json::json!({"code": code, "message": message});
    format!("event: error\ndata: {data}\n\n")
}

#[cfg(test)]
mod tests {
    use super::{ChangeType, error_frame, watch_frame};

    #[test]
    fn frames_are_those_of_upstream_with_an_id_before_them() {
        let plain = watch_frame(ChangeType::Added, b"{\"a\":1}", None);
        assert_eq!(plain, b"data: {\"type\":\"ADDED\",\"object\":{\"a\":1}}\n\n");
        let named = watch_frame(ChangeType::Deleted, b"{}", Some("7"));
        assert_eq!(named, b"id: 7\ndata: {\"type\":\"DELETED\",\"object\":{}}\n\n");
    }

    #[test]
    fn an_error_stays_in_one_line() {
        let frame = error_frame("out_of_range", "a\nb \"c\"");
        let data = r#"{"code":"out_of_range","message":"a\nb \"c\""}"#;
        assert_eq!(frame, format!("event: error\ndata: {data}\n\n"));
    }
}
