//! Reads paths.

use serde_json::Value;

use super::{Filter, JsonPathError, MAX_BYTES, MAX_STEPS, Operand, Operator, Slice, Step};

type Result<T> = std::result::Result<T, JsonPathError>;

/// What ends a field that is written after a dot.
const TERMINATORS: &[char] = &['.', ',', '[', ']', '(', ')', '$', '@', '{', '}'];

const OPERATORS: [(&str, Operator); 6] = [
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

/// A path with its braces, or without.
pub(super) fn path(text: &str) -> Result<Vec<Step>> {
    if text.len() > MAX_BYTES {
        return Err(JsonPathError::Syntax("it is too long"));
    }
    let text = text.trim();
    let inner = match text.strip_prefix('{') {
        Some(rest) => rest
            .strip_suffix('}')
            .ok_or(JsonPathError::Syntax("one path in braces is expected, such as {$.status}"))?,
        None => text,
    };
    let mut reader = Reader { rest: inner.trim(), steps: 0 };
    let steps = reader.steps()?;
    if !reader.rest.is_empty() {
        return Err(JsonPathError::Syntax("something follows the end of the path"));
    }
    Ok(steps)
}

struct Reader<'a> {
    rest: &'a str,
    /// How many steps were read, those in filters included.
    steps: usize,
}

impl Reader<'_> {
    /// Steps until something that is none.
    fn steps(&mut self) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        loop {
            let before = steps.len();
            if self.take("$") {
                steps.push(Step::Root);
            } else if self.take("@") {
                // What is looked at, which is where every path begins.
                continue;
            } else if self.take("..") {
                steps.push(Step::Descend);
                if !self.rest.starts_with('[') {
                    steps.push(self.field()?);
                }
            } else if self.take(".") {
                // `{.}` is the whole.
                if !self.rest.is_empty() && !self.rest.starts_with('[') {
                    steps.push(self.field()?);
                }
            } else if self.take("[") {
                steps.push(self.brackets()?);
            } else if steps.is_empty() && self.begins_field() {
                steps.push(self.field()?);
            } else {
                return Ok(steps);
            }
            self.count(steps.len() - before)?;
        }
    }

    fn count(&mut self, more: usize) -> Result<()> {
        self.steps += more;
        if self.steps > MAX_STEPS {
            return Err(JsonPathError::Syntax("it has too many steps"));
        }
        Ok(())
    }

    fn begins_field(&self) -> bool {
        let first = self.rest.chars().next();
        first.is_some_and(|first| first == '*' || !is_terminator(first))
    }

    /// A name after a dot; a backslash takes the next character as it is.
    fn field(&mut self) -> Result<Step> {
        let mut name = String::new();
        let mut characters = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, character)) = characters.next() {
            if character == '\\' {
                let escaped = characters.next();
                name.push(escaped.ok_or(JsonPathError::Syntax("it ends in a backslash"))?.1);
            } else if is_terminator(character) {
                end = at;
                break;
            } else {
                name.push(character);
            }
        }
        self.rest = self.rest.get(end..).unwrap_or_default();
        match name.as_str() {
            "" => Err(JsonPathError::Syntax("a field has no name")),
            "*" => Ok(Step::Every),
            _ => Ok(Step::Field(name)),
        }
    }

    /// What stands in brackets, up to and with the closing one.
    fn brackets(&mut self) -> Result<Step> {
        self.skip_spaces();
        if self.take("?(") {
            // Counted first: filters hold paths, which hold filters.
            self.count(1)?;
            let filter = self.filter()?;
            self.expect(")]")?;
            return Ok(Step::Filter(Box::new(filter)));
        }
        let mut choices = vec![self.choice()?];
        loop {
            self.skip_spaces();
            if self.take("]") {
                break;
            }
            self.expect(",")?;
            self.skip_spaces();
            choices.push(self.choice()?);
            self.count(1)?;
        }
        match choices.len() {
            1 => choices.pop().ok_or(JsonPathError::Syntax("brackets are empty")),
            _ => Ok(Step::Union(choices)),
        }
    }

    fn choice(&mut self) -> Result<Step> {
        if self.take("*") {
            return Ok(Step::Every);
        }
        if let Some(name) = self.quoted()? {
            return Ok(Step::Field(name));
        }
        let end = self.rest.find([',', ']']).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        slice(text.trim()).map(Step::Slice)
    }

    fn filter(&mut self) -> Result<Filter> {
        let left = self.operand()?;
        self.skip_spaces();
        let operator = OPERATORS.iter().find(|(sign, _)| self.rest.starts_with(sign));
        let Some(&(sign, operator)) = operator else {
            return Ok(Filter { left, comparison: None });
        };
        self.expect(sign)?;
        let right = self.operand()?;
        self.skip_spaces();
        Ok(Filter { left, comparison: Some((operator, right)) })
    }

    fn operand(&mut self) -> Result<Operand> {
        self.skip_spaces();
        if self.rest.starts_with(['@', '$', '.']) {
            return self.steps().map(Operand::Path);
        }
        if let Some(text) = self.quoted()? {
            return Ok(Operand::Literal(Value::String(text)));
        }
        let is_end = |c: char| c.is_whitespace() || matches!(c, ')' | '=' | '!' | '<' | '>');
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        serde_json::from_str(text)
            .ok()
            .filter(|value: &Value| !value.is_array() && !value.is_object())
            .map(Operand::Literal)
            .ok_or(JsonPathError::Syntax(
                "a filter compares paths, texts, numbers and truth values",
            ))
    }

    /// A text in single or double quotes, if one comes next.
    fn quoted(&mut self) -> Result<Option<String>> {
        let Some(quote) = self.rest.chars().next().filter(|first| matches!(first, '\'' | '"'))
        else {
            return Ok(None);
        };
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
                _ if character == quote => {
                    self.rest = self.rest.get(at + 1..).unwrap_or_default();
                    return Ok(Some(text));
                }
                _ => text.push(character),
            }
        }
        Err(JsonPathError::Syntax("a quote is not closed"))
    }

    fn take(&mut self, sign: &str) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if self.take(sign) { Ok(()) } else { Err(JsonPathError::Syntax("a bracket is not closed")) }
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }
}

fn is_terminator(character: char) -> bool {
    character.is_whitespace()
        || TERMINATORS.contains(&character)
        || matches!(character, '=' | '!' | '<' | '>')
}

/// `3`, `-1`, `1:`, `:3`, `0:6:2`.
fn slice(text: &str) -> Result<Slice> {
    let number = |text: &str| -> Result<Option<i64>> {
        if text.is_empty() {
            return Ok(None);
        }
        let wrong = |_| JsonPathError::Syntax("an index is not a number");
        text.trim().parse().map(Some).map_err(wrong)
    };
    let mut parts = text.split(':');
    let first = number(parts.next().unwrap_or_default())?;
    let Some(second) = parts.next() else {
        return first.map(Slice::Index).ok_or(JsonPathError::Syntax("brackets are empty"));
    };
    let step = number(parts.next().unwrap_or_default())?.unwrap_or(1);
    if parts.next().is_some() || step < 1 {
        return Err(JsonPathError::Syntax("a range is from:to:step with a step above zero"));
    }
    Ok(Slice::Range { from: first, to: number(second)?, step })
}
