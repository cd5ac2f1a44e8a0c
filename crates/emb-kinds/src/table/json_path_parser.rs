//! Reads the text of a [`JsonPath`](super::JsonPath).

use serde_json::Value;

use super::json_path::{Comparison, Filter, JsonPathError, Step};

/// Paths come from definitions that users write.
const LENGTH_LIMIT: usize = 1024;

pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
}

type Parsed<T> = Result<T, JsonPathError>;

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn path(mut self) -> Parsed<Vec<Step>> {
        if self.text.len() > LENGTH_LIMIT {
            return Err(self.error("path is too long"));
        }
        let mut steps = Vec::new();
        while self.peek().is_some() {
            steps.push(self.step()?);
        }
        if steps.is_empty() { Err(self.error("path is empty")) } else { Ok(steps) }
    }

    fn step(&mut self) -> Parsed<Step> {
        if self.eat("[") {
            return self.bracket();
        }
        self.expect(".", "expected [ or .")?;
        if self.eat("*") {
            return Ok(Step::Every);
        }
        Ok(Step::Member(self.name()?))
    }

    /// A member name up to the next dot or bracket; a backslash takes the next character as it is.
    fn name(&mut self) -> Parsed<String> {
        let mut name = String::new();
        while let Some(next) = self.peek() {
            match next {
                '.' | '[' => break,
                '\\' => {
                    self.bump(next);
                    let escaped = self.peek().ok_or_else(|| self.error("nothing to escape"))?;
                    self.bump(escaped);
                    name.push(escaped);
                }
                _ => {
                    self.bump(next);
                    name.push(next);
                }
            }
        }
        if name.is_empty() { Err(self.error("expected a name")) } else { Ok(name) }
    }

    fn bracket(&mut self) -> Parsed<Step> {
        let step = match self.peek() {
            Some('*') => {
                self.bump('*');
                Step::Every
            }
            Some('?') => {
                self.bump('?');
                Step::Filter(self.filter()?)
            }
            Some(quote @ ('\'' | '"')) => Step::Member(self.quoted(quote)?),
            _ => self.index_or_slice()?,
        };
        self.expect("]", "expected ]")?;
        Ok(step)
    }

    fn index_or_slice(&mut self) -> Parsed<Step> {
        let from = self.integer();
        if self.eat(":") {
            return Ok(Step::Slice { from: from.unwrap_or(0), to: self.integer() });
        }
        from.map(Step::Index).ok_or_else(|| self.error("expected an index"))
    }

    fn integer(&mut self) -> Option<i64> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest.bytes().skip(sign).take_while(u8::is_ascii_digit).count();
        let number = rest.get(..sign + digits)?.parse().ok()?;
        self.at += sign + digits;
        Some(number)
    }

    fn filter(&mut self) -> Parsed<Filter> {
        self.expect("(", "expected (")?;
        self.skip_spaces();
        self.expect("@", "expected @")?;
        let mut member = Vec::new();
        while self.eat(".") {
            member.push(self.filter_name()?);
        }
        self.skip_spaces();
        let test = match self.comparison() {
            Some(comparison) => {
                self.skip_spaces();
                Some((comparison, self.literal()?))
            }
            None => None,
        };
        self.skip_spaces();
        self.expect(")", "expected )")?;
        Ok(Filter { member, test })
    }

    fn filter_name(&mut self) -> Parsed<String> {
        let ends = |c: char| !(c.is_alphanumeric() || "_-/\\".contains(c));
        let length = self.rest().find(ends).unwrap_or(self.rest().len());
        let name = self.rest().get(..length).unwrap_or_default().to_owned();
        self.at += length;
        if name.is_empty() { Err(self.error("expected a name")) } else { Ok(name) }
    }

    fn comparison(&mut self) -> Option<Comparison> {
        // Longer operators first.
        const OPERATORS: [(&str, Comparison); 6] = [
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        OPERATORS.into_iter().find(|(text, _)| self.eat(text)).map(|(_, comparison)| comparison)
    }

    fn literal(&mut self) -> Parsed<Value> {
        if let Some(quote @ ('\'' | '"')) = self.peek() {
            return Ok(Value::String(self.quoted(quote)?));
        }
        let length = self.rest().find([')', ' ']).unwrap_or(self.rest().len());
        let text = self.rest().get(..length).unwrap_or_default();
        let value: Value =
            serde_json::from_str(text).map_err(|_| self.error("expected a value"))?;
        self.at += length;
        Ok(value)
    }

    fn quoted(&mut self, quote: char) -> Parsed<String> {
        self.bump(quote);
        let mut text = String::new();
        loop {
            let next = self.peek().ok_or_else(|| self.error("unterminated quote"))?;
            self.bump(next);
            match next {
                _ if next == quote => return Ok(text),
                '\\' => {
                    let escaped = self.peek().ok_or_else(|| self.error("nothing to escape"))?;
                    self.bump(escaped);
                    text.push(escaped);
                }
                _ => text.push(next),
            }
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self, character: char) {
        self.at += character.len_utf8();
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str, problem: &'static str) -> Parsed<()> {
        if self.eat(token) { Ok(()) } else { Err(self.error(problem)) }
    }

    fn skip_spaces(&mut self) {
        while self.eat(" ") {}
    }

    fn error(&self, problem: &'static str) -> JsonPathError {
        JsonPathError { problem, at: self.at }
    }
}
