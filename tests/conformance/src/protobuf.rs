//! Just enough protobuf to write request bodies as typed Go clients send them.

use bytes::Bytes;

/// A message under construction.
#[derive(Clone, Default)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A length-delimited field: text, bytes or a nested message.
    #[must_use]
    pub(crate) fn bytes(mut self, field: u8, value: impl AsRef<[u8]>) -> Self {
        let value = value.as_ref();
        self.tag(field, 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    /// A nested message.
    #[must_use]
    pub(crate) fn message(self, field: u8, value: &Self) -> Self {
        self.bytes(field, &value.0)
    }

    /// An integer or boolean.
    #[must_use]
    pub(crate) fn integer(mut self, field: u8, value: u64) -> Self {
        self.tag(field, 0);
        self.varint(value);
        self
    }

    /// An entry of a map.
    #[must_use]
    pub(crate) fn entry(self, field: u8, key: &str, value: impl AsRef<[u8]>) -> Self {
        self.message(field, &Self::new().bytes(1, key).bytes(2, value))
    }

    /// The request body: magic, then the envelope with the kind around this message.
    pub(crate) fn envelope(&self, api_version: &str, kind: &str) -> Bytes {
        let type_meta = Self::new().bytes(1, api_version).bytes(2, kind);
        let unknown = Self::new().message(1, &type_meta).message(2, self).bytes(3, "").bytes(4, "");
        [b"k8s\0".as_slice(), &unknown.0].concat().into()
    }

    fn tag(&mut self, field: u8, wire_type: u64) {
        self.varint(u64::from(field) << 3 | wire_type);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push((value & 0x7f) as u8);
    }
}

/// ObjectMeta with a name, as Go clients send it: empty texts included.
pub(crate) fn object_meta(name: &str) -> Message {
    Message::new()
        .bytes(1, name)
        .bytes(2, "")
        .bytes(3, "")
        .bytes(4, "")
        .bytes(5, "")
        .bytes(6, "")
        .integer(7, 0)
        .bytes(8, "")
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn an_envelope_is_what_kubectl_sends() {
        let body = Message::new().integer(1, 300).bytes(2, "x").envelope("v1", "Kind");
        assert_eq!(
            &body[..],
            b"k8s\0\x0a\x0a\x0a\x02v1\x12\x04Kind\x12\x06\x08\xac\x02\x12\x01x\x1a\0\x22\0"
        );
    }
}
