//! Operators.

use std::sync::Arc;

use core_pattern::UserRegex;

use crate::ast::{Binary, Kind, NodeId, Unary};
use crate::check::{Checker, MapNature, Nature};
use crate::error::Error;

impl Checker<'_> {
    pub(super) fn unary(
        &self,
        id: NodeId,
        operator: Unary,
        operand: Nature,
    ) -> Result<Nature, Error> {
        let operand = operand.dereferenced();
        match operator {
            Unary::Not if matches!(operand, Nature::Bool | Nature::Unknown) => Ok(Nature::Bool),
            Unary::Minus | Unary::Plus if operand.is_number() || operand.is_unknown() => {
                Ok(operand)
            }
            _ => {
                let symbol = operator.symbol();
                let message = format!("invalid operation: {symbol} (mismatched type {operand})");
                Err(self.error(id, message))
            }
        }
    }

    /// A binary operator and all that are its left operand, from the innermost outwards.
    pub(super) fn binary_spine(&mut self, id: NodeId) -> Result<Nature, Error> {
        let mut spine = Vec::new();
        let mut leftmost = id;
        while let Kind::Binary { operator, left, right } = self.ast.kind(leftmost) {
            spine.push((leftmost, *operator, *right));
            leftmost = *left;
        }
        let mut nature = self.visit(leftmost)?;
        for (node, operator, right_id) in spine.into_iter().rev() {
            let right = self.visit(right_id)?;
            nature = self.binary(node, operator, (nature, right), right_id)?;
        }
        Ok(nature)
    }

    fn binary(
        &mut self,
        id: NodeId,
        operator: Binary,
        (left, right): (Nature, Nature),
        right_id: NodeId,
    ) -> Result<Nature, Error> {
        let (left, right) = (left.dereferenced(), right.dereferenced());
        if operator == Binary::Matches {
            self.check_pattern(id, right_id)?;
        }
        if matches!(operator, Binary::In | Binary::InTexts) {
            self.check_membership(id, &left, &right)?;
        }
        if matches!(operator, Binary::Equal | Binary::NotEqual)
            && left == right
            && matches!(left, Nature::Int | Nature::Text)
        {
            self.findings.same.push(id);
        }
        result(operator, &left, &right).ok_or_else(|| {
            let symbol = operator.symbol();
            let message =
                format!("invalid operation: {symbol} (mismatched types {left} and {right})");
            self.error(id, message)
        })
    }

    fn check_pattern(&mut self, id: NodeId, pattern: NodeId) -> Result<(), Error> {
        if let Kind::Text(pattern) = self.ast.kind(pattern) {
            let regex = UserRegex::parse(&pattern.to_str())
                .map_err(|error| self.error(id, error.to_string()))?;
            self.findings.patterns.push((id, Arc::new(regex)));
        }
        Ok(())
    }

    fn check_membership(&self, id: NodeId, left: &Nature, right: &Nature) -> Result<(), Error> {
        let problem = match right {
            Nature::Map(MapNature::Anything | MapNature::Texts)
                if !matches!(left, Nature::Text | Nature::Unknown) =>
            {
                format!("cannot use {left} as type string in map key")
            }
            _ if right.is_list() && !left.is_comparable_to(&right.element()) => {
                format!("cannot use {left} as type {} in array", right.element())
            }
            _ => return Ok(()),
        };
        Err(self.error(id, problem))
    }
}

/// The nature of the result; `None` when the operands cannot fit.
fn result(operator: Binary, left: &Nature, right: &Nature) -> Option<Nature> {
    use Nature::{Bool, Duration, Float, Int, Text, Time, Unknown};
    let numbers = left.is_number() && right.is_number();
    match operator {
        Binary::Equal | Binary::NotEqual | Binary::EqualSame | Binary::NotEqualSame => {
            left.is_comparable_to(right).then_some(Bool)
        }
        Binary::Or | Binary::And => maybe(left, right, |nature| *nature == Bool).then_some(Bool),
        Binary::Relation(_) => {
            let is_same = matches!((left, right), (Time, Time) | (Duration, Duration))
                || (left.is_text() && right.is_text());
            (numbers || is_same || half_known(left, right, is_ordered)).then_some(Bool)
        }
        Binary::Add => match (left, right) {
            (Text, Text) => Some(Text),
            (Time, Duration) | (Duration, Time) => Some(Time),
            (Duration, Duration) => Some(Duration),
            _ if numbers => Some(promoted(left, right)),
            _ => half_known(left, right, is_ordered).then_some(Unknown),
        },
        Binary::Subtract => match (left, right) {
            (Time, Time) | (Duration, Duration) => Some(Duration),
            (Time, Duration) => Some(Time),
            _ if numbers => Some(promoted(left, right)),
            _ => half_known(left, right, |nature| is_ordered(nature) && !nature.is_text())
                .then_some(Unknown),
        },
        Binary::Multiply => match (left, right) {
            (Duration, Duration) => Some(Duration),
            (Duration, other) | (other, Duration) if other.is_number() => Some(Duration),
            _ if numbers => Some(promoted(left, right)),
            _ => half_known(left, right, |nature| nature.is_number() || *nature == Duration)
                .then_some(Unknown),
        },
        Binary::Divide | Binary::Power => maybe(left, right, Nature::is_number).then_some(Float),
        Binary::Modulo => maybe(left, right, Nature::is_integer).then_some(Int),
        Binary::Range => maybe(left, right, Nature::is_integer).then(|| Nature::list_of(Int)),
        Binary::In | Binary::InTexts => membership(left, right).then_some(Bool),
        Binary::Matches => {
            let is_match = matches!(left, Nature::Bytes) && right.is_text();
            (is_match || maybe(left, right, Nature::is_text)).then_some(Bool)
        }
        Binary::Contains | Binary::StartsWith | Binary::EndsWith => {
            maybe(left, right, Nature::is_text).then_some(Bool)
        }
        Binary::Coalesce => Some(coalesced(left, right)),
    }
}

/// Whether both operands pass a test as far as they are known.
fn maybe(left: &Nature, right: &Nature, test: fn(&Nature) -> bool) -> bool {
    let passes = |nature: &Nature| nature.is_unknown() || test(nature);
    passes(left) && passes(right)
}

/// The same, for operands of which at least one is not known.
fn half_known(left: &Nature, right: &Nature, test: fn(&Nature) -> bool) -> bool {
    (left.is_unknown() || right.is_unknown()) && maybe(left, right, test)
}

fn is_ordered(nature: &Nature) -> bool {
    nature.is_number() || nature.is_text() || matches!(nature, Nature::Time | Nature::Duration)
}

fn promoted(left: &Nature, right: &Nature) -> Nature {
    if *left == Nature::Float || *right == Nature::Float { Nature::Float } else { Nature::Int }
}

fn membership(left: &Nature, right: &Nature) -> bool {
    let may_be_field = matches!(left, Nature::Text | Nature::Unknown);
    match right {
        Nature::Unknown | Nature::Map(_) => true,
        Nature::Object(_) | Nature::Time | Nature::ApiTime | Nature::Version { .. } => may_be_field,
        Nature::Text => left.is_unknown(),
        _ => right.is_list(),
    }
}

fn coalesced(left: &Nature, right: &Nature) -> Nature {
    match (left, right) {
        (Nature::Nil, other) | (other, Nature::Nil) => other.clone(),
        _ if right.is_assignable_to(left) => left.clone(),
        _ => Nature::Unknown,
    }
}
