//! What travels over the wire of the embedded API server, and what it means: request bodies (JSON, YAML, protobuf)
//! become `serde_json::Value` objects, patches change objects, selectors choose among them.
//!
//! Everything here reads untrusted input: each decoder bounds depth and growth, none panics, and every error displays
//! the text that the reply's Status carries.

mod error;
pub mod json;
pub mod patch;
pub mod protobuf;
pub mod selector;
pub mod yaml;

pub use error::DecodeError;
