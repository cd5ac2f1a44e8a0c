//! Server-sent events, as watches and logs use them: frames written by the server, read by clients.
//!
//! A frame is lines and a blank line: `event: …`, `id: …`, `data: …`. A line that begins with a
//! colon is a comment and keeps the connection alive. Clients that were written for upstream read
//! `data:` lines only, so whatever they must know is there.

mod parser;
mod writer;

pub use parser::{Frame, Parser, TooLarge};
pub use writer::{
    CLOSE, ChangeType, KEEPALIVE, WatchError, bookmark_frame, error_frame, watch_frame,
};

/// The media type of a stream.
pub const CONTENT_TYPE: &str = "text/event-stream";

/// The name of a frame that tells why a stream ends.
pub const ERROR_EVENT: &str = "error";

/// The name of a frame that tells that the server goes away; another one may be there at once.
pub const CLOSE_EVENT: &str = "close";

/// The code of an error frame: the history from the given version is gone, list again.
pub const OUT_OF_RANGE: &str = "out_of_range";

/// The code of an error frame: anything else that ends a watch.
pub const UNKNOWN: &str = "unknown";

/// The code of an error frame: the login has run out, or may not watch any more.
pub const UNAUTHENTICATED: &str = "unauthenticated";
