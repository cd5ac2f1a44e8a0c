//! From bytes in some character set to text, piece by piece.
//!
//! Pieces end anywhere, also inside a character: what is not yet a character waits for the next
//! piece. What can be no character becomes the replacement character.

/// How a log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8.
    Utf8,
    /// ISO 8859-1: each byte is a character.
    Latin1,
    /// UTF-16, the higher byte first.
    Utf16BigEndian,
    /// UTF-16, the lower byte first.
    Utf16LittleEndian,
}

impl Charset {
    /// The character set that a `Content-Type` names; `None` when it names none that is known.
    pub fn of_content_type(content_type: &str) -> Option<Self> {
        let mut parameters = content_type.split(';').skip(1);
        let charset = parameters.find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
        })?;
        match charset.to_ascii_lowercase().as_str() {
            "iso-8859-1" => Some(Self::Latin1),
            "utf-8" => Some(Self::Utf8),
            "utf-16" | "utf-16be" => Some(Self::Utf16BigEndian),
            "utf-16le" => Some(Self::Utf16LittleEndian),
            _ => None,
        }
    }
}

const BIG_ENDIAN_MARK: [u8; 2] = [0xfe, 0xff];
const LITTLE_ENDIAN_MARK: [u8; 2] = [0xff, 0xfe];

/// Decodes a log that comes in pieces.
#[derive(Clone, Debug)]
pub struct Decoder {
    charset: Option<Charset>,
    /// Whether the first two bytes, which may be a mark, have been looked at.
    has_begun: bool,
    waiting: Vec<u8>,
}

impl Decoder {
    /// A decoder for what the keeper of the log says it sends. When it says nothing, a mark at the
    /// beginning tells, and without one the log is UTF-8.
    pub fn new(content_type: &str) -> Self {
        let charset = Charset::of_content_type(content_type);
        Self { charset, has_begun: false, waiting: Vec::new() }
    }

    /// The text that is certain after this piece.
    pub fn push(&mut self, piece: &[u8]) -> String {
        self.waiting.extend_from_slice(piece);
        if !self.has_begun {
            if self.waiting.len() < 2 {
                return String::new();
            }
            self.begin();
        }
        self.decode(false)
    }

    /// The rest of the text, after the last piece.
    pub fn finish(mut self) -> String {
        if !self.has_begun {
            self.begin();
        }
        self.decode(true)
    }

    /// Looks for a mark and drops it.
    fn begin(&mut self) {
        self.has_begun = true;
        let mark = match self.waiting.first_chunk::<2>() {
            Some(&BIG_ENDIAN_MARK) => Some(Charset::Utf16BigEndian),
            Some(&LITTLE_ENDIAN_MARK) => Some(Charset::Utf16LittleEndian),
            _ => None,
        };
        let is_utf16 = matches!(
            self.charset,
            None | Some(Charset::Utf16BigEndian | Charset::Utf16LittleEndian)
        );
        if let (Some(charset), true) = (mark, is_utf16) {
            self.charset = Some(charset);
            self.waiting.drain(..2);
        }
    }

    fn decode(&mut self, is_last: bool) -> String {
        match self.charset.unwrap_or(Charset::Utf8) {
            Charset::Latin1 => self.waiting.drain(..).map(char::from).collect(),
            Charset::Utf8 => self.decode_utf8(is_last),
            Charset::Utf16BigEndian => self.decode_utf16(is_last, u16::from_be_bytes),
            Charset::Utf16LittleEndian => self.decode_utf16(is_last, u16::from_le_bytes),
        }
    }

    fn decode_utf8(&mut self, is_last: bool) -> String {
        let mut text = String::new();
        let mut kept = Vec::new();
        let mut chunks = self.waiting.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let is_end = chunks.peek().is_none();
            if chunk.invalid().is_empty() {
                continue;
            }
            if is_end && !is_last && is_beginning(chunk.invalid()) {
                kept = chunk.invalid().to_vec();
            } else {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.waiting = kept;
        text
    }

    fn decode_utf16(&mut self, is_last: bool, unit: fn([u8; 2]) -> u16) -> String {
        let mut units: Vec<u16> = Vec::with_capacity(self.waiting.len() / 2);
        let (pairs, odd) = self.waiting.as_chunks::<2>();
        units.extend(pairs.iter().copied().map(unit));
        let mut kept = odd.to_vec();
        let ends_inside = units.last().is_some_and(|last| (0xd800..0xdc00).contains(last));
        if ends_inside && !is_last {
            units.pop();
            kept = [pairs.last().map_or(&[][..], |pair| &pair[..]), odd].concat();
        }
        let decoded = char::decode_utf16(units);
        let mut text: String = decoded.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        if is_last && !kept.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            kept.clear();
        }
        self.waiting = kept;
        text
    }
}

/// Whether these bytes, which are no character, could become one when others follow.
fn is_beginning(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}
