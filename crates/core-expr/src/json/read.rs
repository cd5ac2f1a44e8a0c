//! A JSON reader that makes [`Value`]s: every number a float, the last of equal keys wins, lone
//! surrogates and invalid bytes become U+FFFD.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::Trouble;
use crate::limits::MAX_VALUE_DEPTH;
use crate::text::Text;
use crate::value::{Data, Map, Value};

/// Reads one JSON value with nothing but whitespace around it.
pub(crate) fn read(input: &[u8]) -> Result<Value, Trouble> {
    let mut reader = Reader { input, position: 0, depth: 0 };
    reader.whitespace();
    let value = reader.value()?;
    reader.whitespace();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.unexpected()),
    }
}

struct Reader<'a> {
    input: &'a [u8],
    position: usize,
    depth: u16,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.input.get(self.position).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.position += 1;
        Some(byte)
    }

    fn rest(&self) -> &'a [u8] {
        self.input.get(self.position..).unwrap_or_default()
    }

    fn whitespace(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    fn unexpected(&self) -> Trouble {
        match self.peek() {
            None => Trouble::from("unexpected end of JSON input"),
            Some(byte) => Trouble::Invalid(format!(
                "invalid character '{}' at byte {} of JSON input",
                byte.escape_ascii(),
                self.position
            )),
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Trouble> {
        if self.peek() == Some(byte) {
            self.position += 1;
            return Ok(());
        }
        Err(self.unexpected())
    }

    fn value(&mut self) -> Result<Value, Trouble> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => Ok(Value::text(self.text()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Trouble>) -> Result<Value, Trouble> {
        if self.depth >= MAX_VALUE_DEPTH {
            return Err(Trouble::Limit("the JSON input is nested too deeply"));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn word(&mut self) -> Result<Value, Trouble> {
        let words = [
            (&b"null"[..], Value::NIL),
            (b"true", Data::Bool(true).into()),
            (b"false", Data::Bool(false).into()),
        ];
        for (word, value) in words {
            if self.rest().starts_with(word) {
                self.position += word.len();
                return Ok(value);
            }
        }
        Err(self.unexpected())
    }

    fn object(&mut self) -> Result<Value, Trouble> {
        self.expect(b'{')?;
        let mut entries = BTreeMap::new();
        self.whitespace();
        if self.peek() == Some(b'}') {
            self.position += 1;
            return Ok(Data::Map(Arc::new(Map::new(entries))).into());
        }
        loop {
            self.whitespace();
            let key = self.text()?;
            self.whitespace();
            self.expect(b':')?;
            self.whitespace();
            entries.insert(key, self.value()?);
            self.whitespace();
            match self.peek() {
                Some(b',') => self.position += 1,
                Some(b'}') => {
                    self.position += 1;
                    return Ok(Data::Map(Arc::new(Map::new(entries))).into());
                }
                _ => return Err(self.unexpected()),
            }
        }
    }

    fn array(&mut self) -> Result<Value, Trouble> {
        self.expect(b'[')?;
        let mut items = Vec::new();
        self.whitespace();
        if self.peek() == Some(b']') {
            self.position += 1;
            return Ok(Value::list(items));
        }
        loop {
            self.whitespace();
            items.push(self.value()?);
            self.whitespace();
            match self.peek() {
                Some(b',') => self.position += 1,
                Some(b']') => {
                    self.position += 1;
                    return Ok(Value::list(items));
                }
                _ => return Err(self.unexpected()),
            }
        }
    }

    fn digits(&mut self) -> Result<(), Trouble> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.unexpected());
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.position += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Value, Trouble> {
        let start = self.position;
        if self.peek() == Some(b'-') {
            self.position += 1;
        }
        match self.peek() {
            Some(b'0') => self.position += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.position += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.position += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.position += 1;
            }
            self.digits()?;
        }
        let text = self.input.get(start..self.position).unwrap_or_default();
        let number: Option<f64> = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        match number {
            Some(number) if number.is_finite() => Ok(Value::float(number)),
            _ => Err(Trouble::from("number of JSON input is out of range")),
        }
    }

    fn text(&mut self) -> Result<Text, Trouble> {
        self.expect(b'"')?;
        let rest = self.rest();
        let plain = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
        let start = rest.get(..plain).unwrap_or_default();
        if rest.get(plain) == Some(&b'"') && start.iter().all(|byte| *byte >= 0x20) {
            self.position += plain + 1;
            return Ok(String::from_utf8_lossy(start).into_owned().into());
        }
        let mut bytes = Vec::new();
        loop {
            match self.next() {
                Some(b'"') => return Ok(String::from_utf8_lossy(&bytes).into_owned().into()),
                Some(b'\\') => {
                    let character = self.escape()?;
                    bytes.extend(character.encode_utf8(&mut [0; 4]).bytes());
                }
                Some(byte) if byte >= 0x20 => bytes.push(byte),
                _ => {
                    self.position = self.position.saturating_sub(1);
                    return Err(self.unexpected());
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Trouble> {
        Ok(match self.next() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(Trouble::from("invalid escape in text of JSON input")),
        })
    }

    fn unicode_escape(&mut self) -> Result<char, Trouble> {
        let high = self.hex()?;
        if (0xD800..0xDC00).contains(&high) && self.rest().starts_with(b"\\u") {
            let back = self.position;
            self.position += 2;
            let low = self.hex()?;
            if (0xDC00..0xE000).contains(&low) {
                let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.position = back;
        }
        Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&mut self) -> Result<u32, Trouble> {
        let digits = self.rest().get(..4).and_then(|digits| std::str::from_utf8(digits).ok());
        let is_hex = digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let code =
            digits.filter(|_| is_hex).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.position += 4;
        code.ok_or_else(|| Trouble::from("invalid escape in text of JSON input"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::write;

    #[test]
    fn values_survive_a_round_trip() {
        for text in [r#"{"a":[1,-2.5,null,true,"x\n"],"b":{}}"#, "[]", "-0", "1e+21", r#""é""#] {
            assert_eq!(write(&read(text.as_bytes()).unwrap()).unwrap(), text);
        }
    }

    #[test]
    fn lone_surrogates_are_replaced() {
        let value = read(br#" "\ud83d\ude00 \ud800x \ud800\u0041" "#).unwrap();
        assert_eq!(value.as_text().unwrap().to_str(), "😀 \u{fffd}x \u{fffd}A");
    }

    #[test]
    fn other_text_is_refused() {
        for text in
            ["", "{", "[1,]", "{\"a\"}", "01", "1 2", "1.", "'a'", "\"a", "\"\t\"", "1e999", "nul"]
        {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(read("[".repeat(100_000).as_bytes()).is_err());
    }
}
