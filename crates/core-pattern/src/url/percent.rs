//! Percent-encoding, by component of an address.

use super::uri::UriError;

/// Which part of an address is encoded; each leaves other characters alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    User,
    Host,
    Zone,
    Path,
    Query,
    Fragment,
}

impl Component {
    /// Whether `byte` needs no encoding here.
    pub(super) fn allows(self, byte: u8) -> bool {
        let reserved: &[u8] = match self {
            Self::User => b"$&+,;=",
            Self::Host | Self::Zone => b"!\"$&'()*+,:;<=>[]",
            Self::Path => b"$&+,/:;=@",
            Self::Query => b"",
            Self::Fragment => b"!$&()*+,/:;=?@",
        };
        byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) || reserved.contains(&byte)
    }

    fn is_host(self) -> bool {
        matches!(self, Self::Host | Self::Zone)
    }
}

/// Encodes what the component does not allow.
pub(super) fn encode(bytes: &[u8], component: Component) -> String {
    let mut encoded = String::with_capacity(bytes.len());
    for &byte in bytes {
        if component.allows(byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            for nibble in [byte >> 4, byte & 15] {
                let digit = char::from_digit(u32::from(nibble), 16).unwrap_or_default();
                encoded.push(digit.to_ascii_uppercase());
            }
        }
    }
    encoded
}

/// Decodes, and refuses what may not appear in the component.
pub(super) fn decode(text: &str, component: Component) -> Result<Vec<u8>, UriError> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        match *byte {
            b'%' => {
                let ([high, low, ..], Some(after)) = (after, after.get(2..)) else {
                    return Err(UriError::Escape);
                };
                decoded.push(decoded_byte(*high, *low, component)?);
                rest = after;
            }
            b'+' if component == Component::Query => decoded.push(b' '),
            other if component.is_host() && other.is_ascii() && !component.allows(other) => {
                return Err(UriError::Host);
            }
            other => decoded.push(other),
        }
    }
    Ok(decoded)
}

/// Hosts may encode only what is not ASCII, and the percent sign that begins a zone; zones also
/// what a host could hold plainly, and spaces.
fn decoded_byte(high: u8, low: u8, component: Component) -> Result<u8, UriError> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (Some(high), Some(low)) = (digit(high), digit(low)) else {
        return Err(UriError::Escape);
    };
    let byte = high << 4 | low;
    let is_allowed = match component {
        _ if byte == b'%' => true,
        Component::Host => !byte.is_ascii(),
        Component::Zone => byte == b' ' || Component::Host.allows(byte),
        _ => true,
    };
    if is_allowed { Ok(byte) } else { Err(UriError::Escape) }
}

/// Whether an encoded text may be kept as it was written.
pub(super) fn is_well_encoded(text: &str, component: Component) -> bool {
    text.bytes().all(|byte| b"!$&'()*+,;=:@[]%".contains(&byte) || component.allows(byte))
}
