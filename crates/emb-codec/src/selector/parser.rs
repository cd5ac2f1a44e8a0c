//! The grammar of label selectors.

use emb_meta::FieldError;
use serde_json::Value;

use super::{
    SelectorError,
    lexer::{Lexer, Token},
    requirement::{Operator, Requirement},
    syntax::check_key,
};

/// Reads the requirements of a selector, sorted by key.
pub(crate) fn parse(text: &str) -> Result<Vec<Requirement>, SelectorError> {
    let mut lexer = Lexer::new(text);
    let mut requirements = Vec::new();
    match lexer.peek() {
        Token::End => return Ok(requirements),
        start if starts_requirement(start) => {}
        other => return Err(unexpected(other, "!, identifier, or 'end of string'")),
    }
    loop {
        requirements.push(requirement(&mut lexer).map_err(SelectorError::Requirement)?);
        match lexer.next() {
            Token::End => break,
            Token::Symbol(",") if starts_requirement(lexer.peek()) => {}
            Token::Symbol(",") => return Err(unexpected(lexer.peek(), "identifier after ','")),
            other => return Err(unexpected(other, "',' or 'end of string'")),
        }
    }
    requirements.sort_by(|a, b| a.key().cmp(b.key()));
    Ok(requirements)
}

fn starts_requirement(token: Token<'_>) -> bool {
    matches!(token, Token::Word(_) | Token::Symbol("!"))
}

fn unexpected(token: Token<'_>, expected: &'static str) -> SelectorError {
    SelectorError::Unexpected { found: token.text().to_owned(), expected }
}

/// Inside a requirement the same complaint follows `unable to parse requirement: `.
fn found(token: Token<'_>, expected: &str) -> String {
    format!("found '{}', expected: {expected}", token.text())
}

fn requirement(lexer: &mut Lexer<'_>) -> Result<Requirement, String> {
    let negated = lexer.peek() == Token::Symbol("!");
    if negated {
        lexer.next();
    }
    let key = key(lexer)?;
    if negated {
        return Requirement::new(key, Operator::DoesNotExist, Vec::new());
    }
    if matches!(lexer.peek(), Token::End | Token::Symbol(",")) {
        return Requirement::new(key, Operator::Exists, Vec::new());
    }
    let operator = operator(lexer)?;
    let values = match operator {
        Operator::In | Operator::NotIn => set(lexer)?,
        _ => vec![exact(lexer)?],
    };
    Requirement::new(key, operator, values)
}

fn key(lexer: &mut Lexer<'_>) -> Result<String, String> {
    let Token::Word(key) = lexer.peek() else {
        return Err(found(lexer.peek(), "identifier"));
    };
    lexer.next();
    match check_key(key) {
        None => Ok(key.to_owned()),
        Some(problem) => Err(FieldError::invalid("<nil>", &Value::from(key), &problem).to_string()),
    }
}

fn operator(lexer: &mut Lexer<'_>) -> Result<Operator, String> {
    let token = lexer.next();
    Ok(match token {
        Token::Word("in") => Operator::In,
        Token::Word("notin") => Operator::NotIn,
        Token::Symbol("=") => Operator::Equals,
        Token::Symbol("==") => Operator::DoubleEquals,
        Token::Symbol("!=") => Operator::NotEquals,
        Token::Symbol(">") => Operator::GreaterThan,
        Token::Symbol("<") => Operator::LessThan,
        other => return Err(found(other, "in, notin, =, ==, !=, gt, lt")),
    })
}

/// One value; nothing before a comma or the end means the empty value.
fn exact(lexer: &mut Lexer<'_>) -> Result<String, String> {
    match lexer.peek() {
        Token::End | Token::Symbol(",") => Ok(String::new()),
        Token::Word(value) => {
            lexer.next();
            Ok(value.to_owned())
        }
        other @ Token::Symbol(_) => Err(found(other, "identifier")),
    }
}

/// `(a,b)`. A place left empty, also in `()`, is the empty value.
fn set(lexer: &mut Lexer<'_>) -> Result<Vec<String>, String> {
    let open = lexer.next();
    if open != Token::Symbol("(") {
        return Err(format!("found '{}' expected: '('", open.text()));
    }
    match lexer.peek() {
        Token::Word(_) | Token::Symbol("," | ")") => {}
        other => return Err(found(other, "',', ')' or identifier")),
    }
    let mut values = Vec::new();
    loop {
        let named = matches!(lexer.peek(), Token::Word(_));
        values.push(if named { lexer.next().text().to_owned() } else { String::new() });
        match lexer.next() {
            Token::Symbol(",") => {}
            Token::Symbol(")") => return Ok(values),
            other if named => return Err(found(other, "',' or ')'")),
            other => return Err(found(other, "',', or identifier")),
        }
    }
}
