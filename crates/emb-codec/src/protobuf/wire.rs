//! The protobuf wire format: a message is a sequence of numbered fields.

use super::Malformed;

/// Bytes that break the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The bytes end inside a field.
    #[error("unexpected end of message")]
    Truncated,
    /// A number takes more than 64 bits.
    #[error("integer overflow")]
    Overflow,
    /// A field has number 0, or one beyond 29 bits.
    #[error("illegal field number")]
    Number,
    /// A field has a wire type that does not exist, or a group ends that never began.
    #[error("illegal wire type")]
    Type,
}

/// One field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field<'b> {
    /// Which field.
    pub(super) number: u32,
    content: Content<'b>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content<'b> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'b [u8]),
    /// 32-bit numbers and groups: no field that we know has them.
    Other,
}

impl<'b> Field<'b> {
    /// The integer or boolean that the field holds.
    pub(super) fn varint(&self) -> Result<u64, Malformed> {
        match self.content {
            Content::Varint(value) => Ok(value),
            _ => Err(Malformed::Type(self.number)),
        }
    }

    /// The floating-point number that the field holds.
    pub(super) fn double(&self) -> Result<f64, Malformed> {
        match self.content {
            Content::Fixed64(bits) => Ok(f64::from_bits(bits)),
            _ => Err(Malformed::Type(self.number)),
        }
    }

    /// The bytes, text or message that the field holds.
    pub(super) fn bytes(&self) -> Result<&'b [u8], Malformed> {
        match self.content {
            Content::Bytes(bytes) => Ok(bytes),
            _ => Err(Malformed::Type(self.number)),
        }
    }

    /// The text that the field holds.
    pub(super) fn text(&self) -> Result<&'b str, Malformed> {
        std::str::from_utf8(self.bytes()?).map_err(|_| self.invalid("UTF-8"))
    }

    /// What to say when the content is not what it should be.
    pub(super) fn invalid(&self, expected: &'static str) -> Malformed {
        Malformed::Content { field: self.number, expected }
    }
}

/// The fields of a message in order; ends after the first error.
#[derive(Debug)]
pub(super) struct Fields<'b> {
    rest: &'b [u8],
}

impl<'b> Fields<'b> {
    pub(super) fn new(message: &'b [u8]) -> Self {
        Self { rest: message }
    }

    fn field(&mut self) -> Result<Field<'b>, WireError> {
        let (number, wire_type) = self.tag()?;
        let content = match wire_type {
            0 => Content::Varint(self.varint()?),
            1 => Content::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => Content::Bytes(self.delimited()?),
            3 => {
                self.skip_group()?;
                Content::Other
            }
            5 => {
                self.array::<4>()?;
                Content::Other
            }
            _ => return Err(WireError::Type),
        };
        Ok(Field { number, content })
    }

    fn tag(&mut self) -> Result<(u32, u64), WireError> {
        const MAX_NUMBER: u32 = (1 << 29) - 1;
        let tag = self.varint()?;
        match u32::try_from(tag >> 3) {
            Ok(number @ 1..=MAX_NUMBER) => Ok((number, tag & 7)),
            _ => Err(WireError::Number),
        }
    }

    /// Skips to the end of the group that has just begun, counting those inside instead of recursing.
    fn skip_group(&mut self) -> Result<(), WireError> {
        let mut open = 1_usize;
        while open > 0 {
            match self.tag()?.1 {
                0 => drop(self.varint()?),
                1 => drop(self.array::<8>()?),
                2 => drop(self.delimited()?),
                3 => open += 1,
                4 => open -= 1,
                5 => drop(self.array::<4>()?),
                _ => return Err(WireError::Type),
            }
        }
        Ok(())
    }

    fn varint(&mut self) -> Result<u64, WireError> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or(WireError::Truncated)?;
            self.rest = rest;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(WireError::Overflow);
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(WireError::Overflow)
    }

    fn delimited(&mut self) -> Result<&'b [u8], WireError> {
        let length = usize::try_from(self.varint()?).map_err(|_| WireError::Truncated)?;
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(WireError::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], WireError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(WireError::Truncated)?;
        self.rest = rest;
        Ok(*taken)
    }
}

impl<'b> Iterator for Fields<'b> {
    type Item = Result<Field<'b>, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}
