//! From text to a template.

use std::{iter::Peekable, str::Chars};

use serde_json::Value;

use super::{Filter, Node, Operand, Operator, Slice, Step};

/// No template that a person writes is longer.
const MAX_LENGTH: usize = 64 * 1024;
/// How deep ranges and filters may nest.
const MAX_DEPTH: usize = 32;

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseError {
    #[error("the template is too long")]
    TooLong,
    #[error("the template nests too deep")]
    TooDeep,
    #[error("unclosed action")]
    UnclosedAction,
    #[error("unterminated array")]
    UnterminatedArray,
    #[error("unterminated filter")]
    UnterminatedFilter,
    #[error("unterminated quoted string")]
    UnterminatedString,
    #[error("unclosed range")]
    UnclosedRange,
    #[error("not in range, nothing to end")]
    NothingToEnd,
    #[error("unrecognized identifier {0}")]
    Identifier(String),
    #[error("unrecognized character in action: {0:?}")]
    Character(char),
    #[error("invalid array index {0}")]
    Index(String),
    #[error("unrecognized filter: {0}")]
    Filter(String),
}

type Parsed<T> = Result<T, ParseError>;

/// The nodes of a template.
pub(super) fn parse(text: &str) -> Parsed<Vec<Node>> {
    if text.len() > MAX_LENGTH {
        return Err(ParseError::TooLong);
    }
    let mut parser = Parser { rest: text.chars().peekable(), open: Vec::new(), nodes: Vec::new() };
    parser.template()?;
    if parser.open.is_empty() { Ok(parser.nodes) } else { Err(ParseError::UnclosedRange) }
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    /// Ranges that have not ended, with what was before each.
    open: Vec<(Vec<Step>, Vec<Node>)>,
    nodes: Vec<Node>,
}

impl Parser<'_> {
    fn template(&mut self) -> Parsed<()> {
        let mut text = String::new();
        while let Some(c) = self.rest.next() {
            if c != '{' {
                text.push(c);
                continue;
            }
            if !text.is_empty() {
                self.nodes.push(Node::Text(std::mem::take(&mut text)));
            }
            self.action()?;
        }
        if !text.is_empty() {
            self.nodes.push(Node::Text(text));
        }
        Ok(())
    }

    /// What is between braces: paths, quoted text and keywords, one after the other.
    fn action(&mut self) -> Parsed<()> {
        loop {
            match self.rest.peek().copied() {
                None => return Err(ParseError::UnclosedAction),
                Some('}') => {
                    self.rest.next();
                    return Ok(());
                }
                Some(c) if c.is_whitespace() => {
                    self.rest.next();
                }
                Some(quote @ ('"' | '\'')) => {
                    self.rest.next();
                    let text = quoted(&mut self.rest, quote)?;
                    self.nodes.push(Node::Text(text));
                }
                Some('.' | '[' | '$' | '@') => {
                    let path = path(&mut self.rest, 0)?;
                    self.nodes.push(Node::Path(path));
                }
                Some(c) if c.is_alphabetic() => self.keyword()?,
                Some(c) => return Err(ParseError::Character(c)),
            }
        }
    }

    fn keyword(&mut self) -> Parsed<()> {
        let word = take_while(&mut self.rest, char::is_alphanumeric);
        match word.as_str() {
            "range" => {
                skip_spaces(&mut self.rest);
                let path = path(&mut self.rest, 0)?;
                if self.open.len() >= MAX_DEPTH {
                    return Err(ParseError::TooDeep);
                }
                self.open.push((path, std::mem::take(&mut self.nodes)));
                Ok(())
            }
            "end" => {
                let (path, before) = self.open.pop().ok_or(ParseError::NothingToEnd)?;
                let body = std::mem::replace(&mut self.nodes, before);
                self.nodes.push(Node::Range(path, body));
                Ok(())
            }
            _ => Err(ParseError::Identifier(word)),
        }
    }
}

/// A path, until something that cannot belong to one.
fn path(rest: &mut Peekable<Chars<'_>>, depth: usize) -> Parsed<Vec<Step>> {
    if depth > MAX_DEPTH {
        return Err(ParseError::TooDeep);
    }
    let mut steps = Vec::new();
    loop {
        match rest.peek().copied() {
            Some('$') => {
                rest.next();
                steps.push(Step::Root);
            }
            Some('@') => {
                rest.next();
                steps.push(Step::Current);
            }
            Some('.') => {
                rest.next();
                steps.extend(after_dot(rest)?);
            }
            Some('[') => {
                rest.next();
                steps.push(bracket(rest, depth)?);
            }
            _ => return Ok(steps),
        }
    }
}

/// A field, a wildcard, or with a second dot either of them at any depth.
fn after_dot(rest: &mut Peekable<Chars<'_>>) -> Parsed<Vec<Step>> {
    let mut steps = Vec::new();
    if rest.next_if_eq(&'.').is_some() {
        steps.push(Step::Recursive);
    }
    let field = field_name(rest)?;
    match field.as_str() {
        "" => {}
        "*" => steps.push(Step::Wildcard),
        _ => steps.push(Step::Field(field)),
    }
    Ok(steps)
}

/// The name of a field; a backslash takes the meaning from what follows.
fn field_name(rest: &mut Peekable<Chars<'_>>) -> Parsed<String> {
    let mut name = String::new();
    while let Some(c) = rest.peek().copied() {
        match c {
            '\\' => {
                rest.next();
                name.push(rest.next().ok_or(ParseError::UnclosedAction)?);
            }
            '.' | '[' | ']' | '{' | '}' | '(' | ')' | ',' | '=' | '!' | '<' | '>' | '"' | '\'' => {
                break;
            }
            c if c.is_whitespace() => break,
            c => {
                rest.next();
                name.push(c);
            }
        }
    }
    Ok(name)
}

/// What is between brackets: indexes, slices, names, a wildcard or a filter.
fn bracket(rest: &mut Peekable<Chars<'_>>, depth: usize) -> Parsed<Step> {
    if rest.peek() == Some(&'?') {
        rest.next();
        return filter(rest, depth);
    }
    let mut parts = Vec::new();
    loop {
        skip_spaces(rest);
        let part = match rest.peek().copied() {
            None => return Err(ParseError::UnterminatedArray),
            Some(quote @ ('"' | '\'')) => {
                rest.next();
                Step::Field(quoted(rest, quote)?)
            }
            Some(_) => index(&take_while(rest, |c| !matches!(c, ']' | ',' | '}')))?,
        };
        parts.push(part);
        skip_spaces(rest);
        match rest.next() {
            Some(']') => break,
            Some(',') => {}
            _ => return Err(ParseError::UnterminatedArray),
        }
    }
    match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => Ok(only),
        (last, _) => {
            parts.extend(last);
            Ok(Step::Union(parts))
        }
    }
}

/// `*`, `3`, `-1`, `1:3`, `::2`.
fn index(text: &str) -> Parsed<Step> {
    let text = text.trim();
    if text == "*" {
        return Ok(Step::Wildcard);
    }
    let wrong = || ParseError::Index(text.chars().take(64).collect());
    let number = |part: &str| match part.trim() {
        "" => Ok(None),
        part => part.parse::<i64>().map(Some).map_err(|_| wrong()),
    };
    let parts: Vec<&str> = text.split(':').collect();
    match parts.as_slice() {
        [one] => {
            let from = number(one)?.ok_or_else(wrong)?;
            Ok(Step::Slice(Slice { from: Some(from), to: None, step: 1, is_index: true }))
        }
        [from, to] => {
            let (from, to) = (number(from)?, number(to)?);
            Ok(Step::Slice(Slice { from, to, step: 1, is_index: false }))
        }
        [from, to, step] => {
            let (from, to) = (number(from)?, number(to)?);
            let step = number(step)?.unwrap_or(1);
            if step <= 0 {
                return Err(wrong());
            }
            Ok(Step::Slice(Slice { from, to, step, is_index: false }))
        }
        _ => Err(wrong()),
    }
}

/// `?(@.a == "b")]`, from the parenthesis on.
fn filter(rest: &mut Peekable<Chars<'_>>, depth: usize) -> Parsed<Step> {
    if rest.next() != Some('(') {
        return Err(ParseError::UnterminatedFilter);
    }
    let left = operand(rest, depth)?;
    let filter = match operator(rest)? {
        None => Filter::Exists(left),
        Some(operator) => Filter::Compare(left, operator, operand(rest, depth)?),
    };
    skip_spaces(rest);
    if rest.next() != Some(')') || rest.next() != Some(']') {
        return Err(ParseError::UnterminatedFilter);
    }
    Ok(Step::Filter(Box::new(filter)))
}

fn operator(rest: &mut Peekable<Chars<'_>>) -> Parsed<Option<Operator>> {
    skip_spaces(rest);
    let sign = take_while(rest, |c| matches!(c, '=' | '!' | '<' | '>'));
    Ok(Some(match sign.as_str() {
        "" => return Ok(None),
        "==" => Operator::Equal,
        "!=" => Operator::NotEqual,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        _ => return Err(ParseError::Filter(sign)),
    }))
}

fn operand(rest: &mut Peekable<Chars<'_>>, depth: usize) -> Parsed<Operand> {
    skip_spaces(rest);
    match rest.peek().copied() {
        None => Err(ParseError::UnterminatedFilter),
        Some(quote @ ('"' | '\'')) => {
            rest.next();
            Ok(Operand::Literal(Value::String(quoted(rest, quote)?)))
        }
        Some('@' | '.' | '$') => Ok(Operand::Path(path(rest, depth + 1)?)),
        Some(_) => {
            let word = take_while(rest, |c| c.is_alphanumeric() || matches!(c, '-' | '+' | '.'));
            match serde_json::from_str(&word) {
                Ok(value @ (Value::Bool(_) | Value::Number(_) | Value::Null)) => {
                    Ok(Operand::Literal(value))
                }
                _ => Err(ParseError::Filter(word)),
            }
        }
    }
}

/// Text until its quote, with the escapes that people use.
fn quoted(rest: &mut Peekable<Chars<'_>>, quote: char) -> Parsed<String> {
    let mut text = String::new();
    while let Some(c) = rest.next() {
        match c {
            c if c == quote => return Ok(text),
            '\\' => match rest.next().ok_or(ParseError::UnterminatedString)? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                other => text.push(other),
            },
            c => text.push(c),
        }
    }
    Err(ParseError::UnterminatedString)
}

fn take_while(rest: &mut Peekable<Chars<'_>>, belongs: impl Fn(char) -> bool) -> String {
    let mut text = String::new();
    while let Some(c) = rest.next_if(|c| belongs(*c)) {
        text.push(c);
    }
    text
}

fn skip_spaces(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|c| c.is_whitespace()).is_some() {}
}
