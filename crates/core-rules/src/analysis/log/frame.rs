//! From text to the events of a stream.
//!
//! Each event has the lines of at most [`MAX_CHUNK`] bytes of the log. Lines joined, and events after
//! each other, give the log again. A carriage return would end a line of the stream, so it is left
//! out.

/// How much of the log is in one event.
pub const MAX_CHUNK: usize = 4096;

/// The event after the last one.
pub const END: &str = "event: end\ndata:\n\n";

/// The events of a piece of the log; none for an empty piece.
pub fn frames(text: &str) -> Vec<String> {
    let text = text.replace('\r', "");
    let mut frames = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (chunk, remaining) = rest.split_at(rest.floor_char_boundary(MAX_CHUNK));
        frames.push(frame(chunk));
        rest = remaining;
    }
    frames
}

/// The event that tells why the log ends early.
pub fn error_frame(message: &str) -> String {
    let data = serde_json::json!({"code": "unknown", "message": message});
    format!("event: error\ndata: {data}\n\n")
}

fn frame(chunk: &str) -> String {
    let mut frame = String::with_capacity(chunk.len() + 16);
    for line in chunk.split('\n') {
        frame.push_str("data: ");
        frame.push_str(line);
        frame.push('\n');
    }
    frame.push('\n');
    frame
}
