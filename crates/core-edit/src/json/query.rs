//! Queries over JSON: `*` and `?` in keys, `#` for all items of a list, `#(…)` and `#(…)#` for those that fit.

use std::{cmp::Ordering, ops::Range};

use serde_json::Value;

use super::tree::{Content, Node};

/// The values that a query finds, by their places. Pipes and modifiers find nothing that could be set.
pub(super) fn find(text: &str, root: &Node, query: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if let Some(steps) = steps(query) {
        walk(text, root, &steps, &mut found);
    }
    found
}

enum Step<'q> {
    /// A key, perhaps with wildcards, or an index.
    Name(Vec<Token>),
    /// All items of a list.
    Every,
    /// The items of a list that fit, or the first of them.
    Fitting { condition: Condition<'q>, is_every: bool },
}

/// A piece of a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    One(char),
    AnyOne,
    AnyMany,
}

struct Condition<'q> {
    path: &'q str,
    test: Option<(&'q str, Value)>,
}

fn walk(text: &str, node: &Node, steps: &[Step<'_>], found: &mut Vec<Range<usize>>) {
    let Some((step, rest)) = steps.split_first() else {
        found.push(node.span.clone());
        return;
    };
    match (step, &node.content) {
        (Step::Name(pattern), Content::Object { members, .. }) => {
            if let Some((_, value)) = members.iter().find(|(name, _)| fits(pattern, name)) {
                walk(text, value, rest, found);
            }
        }
        (Step::Name(pattern), Content::Array { items, .. }) => {
            if let Some(item) = index(pattern).and_then(|index| items.get(index)) {
                walk(text, item, rest, found);
            }
        }
        // At the end of a query `#` is the number of items, which cannot be set.
        (Step::Every, Content::Array { items, .. }) if !rest.is_empty() => {
            for item in items {
                walk(text, item, rest, found);
            }
        }
        (Step::Fitting { condition, is_every }, Content::Array { items, .. }) => {
            let count = if *is_every { usize::MAX } else { 1 };
            for item in items.iter().filter(|item| condition.holds(text, item)).take(count) {
                walk(text, item, rest, found);
            }
        }
        _ => {}
    }
}

/// The steps of a query; `None` when it asks for something that cannot be set.
fn steps(query: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    let mut rest = query;
    loop {
        let (step, behind) = match rest.strip_prefix("#(") {
            Some(condition) => fitting(condition)?,
            None => name(rest)?,
        };
        steps.push(step);
        match behind.strip_prefix('.') {
            Some(next) => rest = next,
            None if behind.is_empty() => return Some(steps),
            None => return None,
        }
    }
}

/// A key or `#`, and what stands behind it.
fn name(text: &str) -> Option<(Step<'_>, &str)> {
    let mut pattern = Vec::new();
    let mut characters = text.char_indices();
    let mut end = text.len();
    while let Some((offset, character)) = characters.next() {
        match character {
            '.' => {
                end = offset;
                break;
            }
            '|' | '@' => return None,
            '*' => pattern.push(Token::AnyMany),
            '?' => pattern.push(Token::AnyOne),
            '\\' => pattern.extend(characters.next().map(|(_, escaped)| Token::One(escaped))),
            other => pattern.push(Token::One(other)),
        }
    }
    let step = if text.get(..end) == Some("#") { Step::Every } else { Step::Name(pattern) };
    Some((step, text.get(end..)?))
}

/// `…)` or `…)#`, and what stands behind it.
fn fitting(text: &str) -> Option<(Step<'_>, &str)> {
    let end = closing(text)?;
    let condition = condition(text.get(..end)?)?;
    let behind = text.get(end + 1..)?;
    Some(match behind.strip_prefix('#') {
        Some(behind) => (Step::Fitting { condition, is_every: true }, behind),
        None => (Step::Fitting { condition, is_every: false }, behind),
    })
}

/// Where the bracket closes that was opened before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut is_quoted = false;
    let mut is_escaped = false;
    let mut depth = 0_usize;
    for (offset, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted && depth == 0 => return Some(offset),
            ')' if !is_quoted => depth -= 1,
            _ => {}
        }
    }
    None
}

fn condition(text: &str) -> Option<Condition<'_>> {
    let Some(start) = text.find(['=', '!', '<', '>', '%']) else {
        return Some(Condition { path: text.trim(), test: None });
    };
    let (path, test) = text.split_at_checked(start)?;
    let length = test.find(|c| !matches!(c, '=' | '!' | '<' | '>' | '%')).unwrap_or(test.len());
    let (operator, operand) = test.split_at_checked(length)?;
    let operand = operand.trim();
    let operand = serde_json::from_str(operand).unwrap_or_else(|_| Value::from(operand));
    Some(Condition { path: path.trim(), test: Some((operator, operand)) })
}

impl Condition<'_> {
    fn holds(&self, text: &str, item: &Node) -> bool {
        let Some(value) = self.value(text, item) else { return false };
        let Some((operator, operand)) = &self.test else { return true };
        let order = compare(&value, operand);
        let is_like = || match (&value, operand) {
            (Value::String(value), Value::String(pattern)) => fits(&tokens(pattern), value),
            _ => false,
        };
        match *operator {
            "=" | "==" => order == Some(Ordering::Equal),
            "!=" => order != Some(Ordering::Equal),
            "<" => order == Some(Ordering::Less),
            "<=" => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            ">" => order == Some(Ordering::Greater),
            ">=" => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            "%" => is_like(),
            "!%" => !is_like(),
            _ => false,
        }
    }

    /// The value of an item that the condition is about.
    fn value(&self, text: &str, item: &Node) -> Option<Value> {
        let mut node = item;
        for part in self.path.split('.').filter(|part| !part.is_empty()) {
            node = match &node.content {
                Content::Object { members, .. } => {
                    &members.iter().find(|(name, _)| name == part)?.1
                }
                Content::Array { items, .. } => items.get(part.parse::<usize>().ok()?)?,
                Content::Scalar => return None,
            };
        }
        match node.content {
            Content::Scalar => serde_json::from_str(text.get(node.span.clone())?).ok(),
            _ => Some(Value::Null),
        }
    }
}

fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64()?.partial_cmp(&right.as_f64()?),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::Null, Value::Null) => Some(Ordering::Equal),
        _ => None,
    }
}

fn tokens(pattern: &str) -> Vec<Token> {
    let token = |character| match character {
        '*' => Token::AnyMany,
        '?' => Token::AnyOne,
        other => Token::One(other),
    };
    pattern.chars().map(token).collect()
}

/// The index that a pattern without wildcards stands for.
fn index(pattern: &[Token]) -> Option<usize> {
    let digit = |token: &Token| match token {
        Token::One(character) => Some(*character),
        _ => None,
    };
    pattern.iter().map(digit).collect::<Option<String>>()?.parse().ok()
}

/// Whether a name fits a pattern; goes back to the last `*` only, so the time is bounded by the product of lengths.
fn fits(pattern: &[Token], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut position) = (0, 0);
    let mut last_star = None;
    while position < name.len() {
        match pattern.get(at) {
            Some(Token::AnyMany) => {
                last_star = Some((at, position));
                at += 1;
            }
            Some(Token::One(wanted)) if name.get(position) == Some(wanted) => {
                at += 1;
                position += 1;
            }
            Some(Token::AnyOne) => {
                at += 1;
                position += 1;
            }
            _ => match &mut last_star {
                Some((star, taken)) => {
                    *taken += 1;
                    at = *star + 1;
                    position = *taken;
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|token| *token == Token::AnyMany))
}
