//! Precedence of operators.

use crate::ast::{Binary, Unary};
use crate::value::Relation;

/// To which side operators of the same precedence group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Associativity {
    Left,
    Right,
}

/// How a binary operator binds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) operator: Binary,
    pub(super) precedence: u16,
    pub(super) associativity: Associativity,
}

/// The binary operator that a symbol stands for. The pipe is one for precedence only.
pub(super) fn binary(symbol: &str) -> Option<Rule> {
    let (operator, precedence) = match symbol {
        "|" => (Binary::Or, 0),
        "or" | "||" => (Binary::Or, 10),
        "and" | "&&" => (Binary::And, 15),
        "==" => (Binary::Equal, 20),
        "!=" => (Binary::NotEqual, 20),
        "<" => (Binary::Relation(Relation::Less), 20),
        ">" => (Binary::Relation(Relation::Greater), 20),
        ">=" => (Binary::Relation(Relation::GreaterOrEqual), 20),
        "<=" => (Binary::Relation(Relation::LessOrEqual), 20),
        "in" => (Binary::In, 20),
        "matches" => (Binary::Matches, 20),
        "contains" => (Binary::Contains, 20),
        "startsWith" => (Binary::StartsWith, 20),
        "endsWith" => (Binary::EndsWith, 20),
        ".." => (Binary::Range, 25),
        "+" => (Binary::Add, 30),
        "-" => (Binary::Subtract, 30),
        "*" => (Binary::Multiply, 60),
        "/" => (Binary::Divide, 60),
        "%" => (Binary::Modulo, 60),
        "**" | "^" => (Binary::Power, 100),
        "??" => (Binary::Coalesce, 500),
        _ => return None,
    };
    let associativity =
        if operator == Binary::Power { Associativity::Right } else { Associativity::Left };
    Some(Rule { operator, precedence, associativity })
}

/// The unary operator that a symbol stands for, and its precedence.
pub(super) fn unary(symbol: &str) -> Option<(Unary, u16)> {
    match symbol {
        "not" | "!" => Some((Unary::Not, 50)),
        "-" => Some((Unary::Minus, 90)),
        "+" => Some((Unary::Plus, 90)),
        _ => None,
    }
}

/// Whether several of these can follow each other: `a < b < c`.
pub(super) fn is_comparison(symbol: &str) -> bool {
    matches!(symbol, "<" | ">" | "<=" | ">=")
}

/// Whether `not` may stand before the operator.
pub(super) fn is_negatable(symbol: &str) -> bool {
    matches!(symbol, "contains" | "matches" | "startsWith" | "endsWith" | "in")
}
