//! Base64 as request bodies carry it: standard alphabet, padding required, line breaks ignored. Kept apart from the
//! `base64` crate because clients see the offset of the first bad byte and line breaks are allowed.

use base64::{Engine, engine::general_purpose::STANDARD};

/// Base64 text that cannot be decoded; displays as the reply says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal base64 data at input byte {offset}")]
pub(crate) struct IllegalBase64 {
    offset: usize,
}

/// Decodes `text`.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, IllegalBase64> {
    let mut input = Input { bytes: text.as_bytes(), at: 0 };
    let mut output = Vec::with_capacity(text.len() / 4 * 3);
    while let Some(quantum) = input.next_quantum()? {
        output.extend_from_slice(quantum.bytes.get(..quantum.length).unwrap_or_default());
        if quantum.length < 3 {
            input.expect_end()?;
            break;
        }
    }
    Ok(output)
}

/// Encodes `bytes`.
pub(crate) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// How many bytes `text`, known to be sound, decodes to.
pub(crate) fn decoded_length(text: &str) -> usize {
    let padding = text.bytes().rev().take_while(|&byte| byte == b'=').count();
    (text.len() / 4 * 3).saturating_sub(padding)
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

struct Quantum {
    bytes: [u8; 3],
    length: usize,
}

impl Input<'_> {
    /// The next byte that is no line break.
    fn next(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            if byte != b'\n' && byte != b'\r' {
                return Some(byte);
            }
        }
    }

    /// Up to three bytes from four characters; `None` at the end of the input.
    fn next_quantum(&mut self) -> Result<Option<Quantum>, IllegalBase64> {
        let mut bits: u32 = 0;
        for index in 0..4_usize {
            let Some(byte) = self.next() else {
                return if index == 0 { Ok(None) } else { Err(self.illegal(index)) };
            };
            match sextet(byte) {
                Some(value) => bits = bits << 6 | u32::from(value),
                None if byte == b'=' && index >= 2 => {
                    if index == 2 {
                        self.expect_padding()?;
                    }
                    let bits = bits << (6 * (4 - index));
                    return Ok(Some(Quantum { bytes: split(bits), length: index - 1 }));
                }
                None => return Err(self.illegal(1)),
            }
        }
        Ok(Some(Quantum { bytes: split(bits), length: 3 }))
    }

    fn expect_padding(&mut self) -> Result<(), IllegalBase64> {
        match self.next() {
            Some(b'=') => Ok(()),
            Some(_) => Err(self.illegal(1)),
            None => Err(self.illegal(0)),
        }
    }

    fn expect_end(&mut self) -> Result<(), IllegalBase64> {
        if self.next().is_some() { Err(self.illegal(1)) } else { Ok(()) }
    }

    fn illegal(&self, back: usize) -> IllegalBase64 {
        IllegalBase64 { offset: self.at.saturating_sub(back) }
    }
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

fn split(bits: u32) -> [u8; 3] {
    let [_, first, second, third] = bits.to_be_bytes();
    [first, second, third]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn errors_name_the_first_bad_byte() {
        for (text, offset) in
            [("zz?z", 2), ("YQ", 0), ("?", 0), ("YQ=a", 3), ("YQ==YQ==", 4), ("=", 0)]
        {
            assert_eq!(decode(text), Err(IllegalBase64 { offset }), "{text}");
        }
    }

    #[test]
    fn line_breaks_do_not_count() {
        assert_eq!(decode("YW\nJj\r\n"), Ok(b"abc".to_vec()));
    }

    proptest! {
        #[test]
        fn what_was_encoded_decodes(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let text = encode(&bytes);
            prop_assert_eq!(decoded_length(&text), bytes.len());
            prop_assert_eq!(decode(&text), Ok(bytes));
        }

        #[test]
        fn any_text_is_answered(text in "\\PC{0,40}") {
            let _ = decode(&text);
        }
    }
}
