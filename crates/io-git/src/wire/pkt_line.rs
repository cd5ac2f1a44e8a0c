//! Git's framing: four hexadecimal digits of length, then the data; lengths 0 to 2 are signals.

use bytes::{Buf, Bytes, BytesMut};

/// The longest packet the protocol knows, its length included.
const MAX_PACKET: usize = 65_520;

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Packet {
    Data(Bytes),
    /// `0000`: the end of a message.
    Flush,
    /// `0001`: the end of a section.
    Delimiter,
    /// `0002`: the end of a response in stateless connections.
    ResponseEnd,
}

/// Bytes that are no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a packet has no valid length")]
pub(crate) struct BadLength;

/// Takes bytes as they arrive and gives packets.
#[derive(Default)]
pub(crate) struct Decoder {
    buffer: BytesMut,
}

impl Decoder {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Whether bytes wait for the rest of their packet.
    pub(crate) fn is_partial(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// The next whole packet; `None` when more bytes are needed.
    pub(crate) fn next(&mut self) -> Result<Option<Packet>, BadLength> {
        let Some(digits) = self.buffer.get(..4) else { return Ok(None) };
        let length = parse_length(digits).ok_or(BadLength)?;
        let packet = match length {
            0 => Packet::Flush,
            1 => Packet::Delimiter,
            2 => Packet::ResponseEnd,
            4..=MAX_PACKET if self.buffer.len() < length => return Ok(None),
            4..=MAX_PACKET => {
                let mut whole = self.buffer.split_to(length);
                whole.advance(4);
                return Ok(Some(Packet::Data(whole.freeze())));
            }
            _ => return Err(BadLength),
        };
        self.buffer.advance(4);
        Ok(Some(packet))
    }
}

/// `u16::from_str_radix` would take a sign as well.
fn parse_length(digits: &[u8]) -> Option<usize> {
    digits.iter().try_fold(0, |length, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(length * 16 + usize::try_from(digit).ok()?)
    })
}

/// Builds a message.
#[derive(Default)]
pub(crate) struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    /// Adds a line; too long a line is cut, which no caller has.
    pub(crate) fn line(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let text = text.get(..MAX_PACKET - 5).unwrap_or(text);
        self.bytes.extend_from_slice(format!("{:04x}", text.len() + 5).as_bytes());
        self.bytes.extend_from_slice(text);
        self.bytes.push(b'\n');
        self
    }

    pub(crate) fn delimiter(mut self) -> Self {
        self.bytes.extend_from_slice(b"0001");
        self
    }

    pub(crate) fn flush(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(b"0000");
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(chunks: &[&[u8]]) -> Result<Vec<Packet>, BadLength> {
        let mut decoder = Decoder::default();
        let mut packets = Vec::new();
        for chunk in chunks {
            decoder.feed(chunk);
            while let Some(packet) = decoder.next()? {
                packets.push(packet);
            }
        }
        Ok(packets)
    }

    #[test]
    fn packets_and_signals_are_told_apart_across_chunks() {
        let packets = decode(&[b"000", b"ahello\n0001", b"00040002", b"0000"]).unwrap();
        let data = |text: &'static str| Packet::Data(Bytes::from_static(text.as_bytes()));
        assert_eq!(
            packets,
            [data("hello\n"), Packet::Delimiter, data(""), Packet::ResponseEnd, Packet::Flush]
        );
    }

    #[test]
    fn lengths_that_cannot_be_are_refused() {
        for bytes in [&b"0003"[..], b"fff1", b"+00a", b"HTTP"] {
            assert_eq!(decode(&[bytes]), Err(BadLength), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_without_panic_and_never_kept_beyond_one_packet(
            bytes in proptest::collection::vec(any::<u8>(), 0..200_000),
        ) {
            let mut decoder = Decoder::default();
            decoder.feed(&bytes);
            while let Ok(Some(_)) = decoder.next() {}
        }

        #[test]
        fn what_was_encoded_is_decoded_however_it_is_cut(
            lines in proptest::collection::vec("[ -~]{0,80}", 0..20),
            cut in 0usize..200,
        ) {
            let encoder = lines.iter().fold(Encoder::default(), |encoder, line| encoder.line(line));
            let bytes = encoder.delimiter().flush();
            let (left, right) = bytes.split_at(cut.min(bytes.len()));
            let packets = decode(&[left, right]).unwrap();
            let mut expected: Vec<Packet> =
                lines.iter().map(|line| Packet::Data(format!("{line}\n").into())).collect();
            expected.extend([Packet::Delimiter, Packet::Flush]);
            prop_assert_eq!(packets, expected);
        }
    }
}
