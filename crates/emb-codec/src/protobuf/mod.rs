//! Protobuf request bodies: what clients in Go send for the built-in kinds.
//!
//! A body is an envelope (the bytes `k8s\0`, then a message naming the kind and holding its bytes). The kind's own
//! message becomes the JSON object that the same client would have sent, by tables of field numbers; from there on the
//! JSON path is the only one. Replies are never protobuf.

mod message;
mod table;
mod value;
mod wire;

use serde_json::{Map, Value};

use self::wire::Fields;

pub use self::wire::WireError;

/// Every body starts with these bytes.
const MAGIC: &[u8] = b"k8s\0";

/// How deep messages may nest.
const MAX_DEPTH: usize = 64;

/// A body that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The group and version that the envelope names.
    pub api_version: String,
    /// The kind that the envelope names.
    pub kind: String,
    /// The object, with `apiVersion` and `kind`.
    pub value: Value,
}

/// Why a body is no object. Displays the message of the reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtobufError {
    /// A kind that is only read as JSON or YAML: 415.
    #[error(
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml"
    )]
    UnknownKind {
        /// The group and version that the envelope names.
        api_version: String,
        /// The kind that the envelope names.
        kind: String,
    },
    /// The bytes are no message of the kind: 400.
    #[error("unable to decode protobuf: {0}")]
    Malformed(#[from] Malformed),
    /// Messages nest too deeply: 400.
    #[error("unable to decode protobuf: exceeded max depth of {MAX_DEPTH}")]
    TooDeep,
}

/// What is wrong with the bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The body does not start with the magic bytes.
    #[error("the envelope is missing")]
    Envelope,
    /// The bytes break the encoding.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A field has a value of another type than its number says.
    #[error("field {0} has the wrong wire type")]
    Type(u32),
    /// Bytes that should be text or JSON are not, or a time is out of range.
    #[error("field {field} holds no valid {expected}")]
    Content {
        /// The field's number.
        field: u32,
        /// What it should hold.
        expected: &'static str,
    },
}

/// Whether a body looks like protobuf, whatever its content type says.
pub fn is_protobuf(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads a body.
pub fn decode(bytes: &[u8]) -> Result<Decoded, ProtobufError> {
    let bytes = bytes.strip_prefix(MAGIC).ok_or(Malformed::Envelope)?;
    let Envelope { api_version, kind, raw } = Envelope::read(bytes)?;
    let Some(table) = table::find(&api_version, &kind) else {
        return Err(ProtobufError::UnknownKind { api_version, kind });
    };
    let mut object = Map::new();
    message::read(table, raw, 0, &mut object)?;
    object.insert("apiVersion".to_owned(), Value::from(api_version.as_str()));
    object.insert("kind".to_owned(), Value::from(kind.as_str()));
    Ok(Decoded { api_version, kind, value: Value::Object(object) })
}

/// `Unknown {1: typeMeta {1: apiVersion, 2: kind}, 2: raw}`; its content type and encoding say nothing new.
#[derive(Default)]
struct Envelope<'b> {
    api_version: String,
    kind: String,
    raw: &'b [u8],
}

impl<'b> Envelope<'b> {
    fn read(bytes: &'b [u8]) -> Result<Self, Malformed> {
        let mut envelope = Self::default();
        for field in Fields::new(bytes) {
            let field = field?;
            match field.number {
                1 => envelope.read_type(field.bytes()?)?,
                2 => envelope.raw = field.bytes()?,
                _ => {}
            }
        }
        Ok(envelope)
    }

    fn read_type(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        for field in Fields::new(bytes) {
            let field = field?;
            match field.number {
                1 => field.text()?.clone_into(&mut self.api_version),
                2 => field.text()?.clone_into(&mut self.kind),
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
