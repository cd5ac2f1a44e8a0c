//! Simplification of constant parts. Upstream does it too, and it can be seen: `x && true` is `x`
//! whatever `x` is, and `false && x` never looks at `x`.

use crate::ast::{Ast, Binary, Kind, NodeId, Unary};
use crate::builtin::Builtin;
use crate::check::Findings;
use crate::error::{Error, ErrorKind};
use crate::value::Relation;

/// Simplifies a checked tree.
pub(crate) fn optimize(ast: &mut Ast, findings: Findings) -> Result<(), Error> {
    for id in ast.ids() {
        if let Some(kind) = text_membership(ast, id) {
            ast.replace(id, kind);
        }
    }
    for id in ast.ids() {
        if let Some(kind) = fold(ast, id)? {
            ast.replace(id, kind);
        }
    }
    for id in ast.ids() {
        if let Some(kind) = sum(ast, id).or_else(|| early_end(ast, id)) {
            ast.replace(id, kind);
        }
    }
    for id in findings.same {
        if let Kind::Binary { operator, left, right } = *ast.kind(id) {
            let operator = match operator {
                Binary::Equal => Binary::EqualSame,
                Binary::NotEqual => Binary::NotEqualSame,
                other => other,
            };
            ast.replace(id, Kind::Binary { operator, left, right });
        }
    }
    for (id, regex) in findings.patterns {
        if let Kind::Binary { operator: Binary::Matches, left, right } = *ast.kind(id) {
            ast.replace(id, Kind::Matches { text: left, pattern: right, regex });
        }
    }
    Ok(())
}

/// `x in ["a", "b"]` looks the text up.
fn text_membership(ast: &Ast, id: NodeId) -> Option<Kind> {
    let Kind::Binary { operator: Binary::In, left, right } = *ast.kind(id) else { return None };
    let Kind::List(items) = ast.kind(right) else { return None };
    let are_texts = items.iter().all(|item| matches!(ast.kind(*item), Kind::Text(_)));
    let operator = Binary::InTexts;
    (!items.is_empty() && are_texts).then_some(Kind::Binary { operator, left, right })
}

fn fold(ast: &Ast, id: NodeId) -> Result<Option<Kind>, Error> {
    Ok(match ast.kind(id) {
        Kind::Unary { operator, operand } => match (operator, ast.kind(*operand)) {
            (Unary::Minus, Kind::Int(number)) => Some(Kind::Int(number.wrapping_neg())),
            (Unary::Minus, Kind::Float(number)) => Some(Kind::Float(-number)),
            (Unary::Plus, number @ (Kind::Int(_) | Kind::Float(_))) => Some(number.clone()),
            (Unary::Not, Kind::Bool(truth)) => Some(Kind::Bool(!truth)),
            _ => None,
        },
        Kind::Binary { operator, left, right } => {
            let (left, right) = (ast.kind(*left), ast.kind(*right));
            if let (Binary::Modulo, Kind::Int(_), Kind::Int(0)) = (operator, left, right) {
                let range = ast.range(id);
                return Err(Error::new(ErrorKind::Compile, range, "integer divide by zero"));
            }
            fold_binary(*operator, left, right)
        }
        _ => None,
    })
}

fn fold_binary(operator: Binary, left: &Kind, right: &Kind) -> Option<Kind> {
    match (operator, left, right) {
        // `true` changes nothing in a conjunction and decides a disjunction.
        (Binary::And | Binary::Or, Kind::Bool(truth), other)
        | (Binary::And | Binary::Or, other, Kind::Bool(truth)) => {
            let decides = *truth == (operator == Binary::Or);
            Some(if decides { Kind::Bool(*truth) } else { other.clone() })
        }
        (Binary::Equal, Kind::Int(left), Kind::Int(right)) => Some(Kind::Bool(left == right)),
        (Binary::Equal, Kind::Bool(left), Kind::Bool(right)) => Some(Kind::Bool(left == right)),
        (Binary::Equal, Kind::Text(left), Kind::Text(right)) => Some(Kind::Bool(left == right)),
        _ => fold_numbers(operator, left, right),
    }
}

/// Arithmetic whose results are literals again, because later steps look for literals.
fn fold_numbers(operator: Binary, left: &Kind, right: &Kind) -> Option<Kind> {
    if let (Kind::Int(left), Kind::Int(right)) = (left, right) {
        let whole = match operator {
            Binary::Add => Some(left.wrapping_add(*right)),
            Binary::Subtract => Some(left.wrapping_sub(*right)),
            Binary::Multiply => Some(left.wrapping_mul(*right)),
            Binary::Modulo => left.checked_rem(*right),
            _ => None,
        };
        if whole.is_some() {
            return whole.map(Kind::Int);
        }
    }
    fold_floats(operator, to_float(left)?, to_float(right)?)
}

fn fold_floats(operator: Binary, left: f64, right: f64) -> Option<Kind> {
    Some(Kind::Float(match operator {
        Binary::Add => left + right,
        Binary::Subtract => left - right,
        Binary::Multiply => left * right,
        Binary::Divide => left / right,
        Binary::Power => left.powf(right),
        _ => return None,
    }))
}

#[expect(clippy::cast_precision_loss, reason = "mixed arithmetic is done in floats")]
fn to_float(kind: &Kind) -> Option<f64> {
    match kind {
        Kind::Int(number) => Some(*number as f64),
        Kind::Float(number) => Some(*number),
        _ => None,
    }
}

/// Calls that only need the first match look no further: `first(filter(…))` and `count(…) > 0`.
fn early_end(ast: &Ast, id: NodeId) -> Option<Kind> {
    let call = |id: NodeId, wanted: Builtin| match ast.kind(id) {
        Kind::Builtin { builtin, arguments } if *builtin == wanted => Some(arguments.clone()),
        _ => None,
    };
    match ast.kind(id) {
        Kind::Builtin { builtin: builtin @ (Builtin::First | Builtin::Last), arguments } => {
            let [list] = arguments.as_ref() else { return None };
            let find = if *builtin == Builtin::First { Builtin::Find } else { Builtin::FindLast };
            let arguments = call(*list, Builtin::Filter)?;
            Some(Kind::Builtin { builtin: find, arguments })
        }
        Kind::Binary { operator: Binary::Relation(relation), left, right } => {
            let is_any = matches!(
                (relation, ast.kind(*right)),
                (Relation::Greater, Kind::Int(0)) | (Relation::GreaterOrEqual, Kind::Int(1))
            );
            let arguments = call(*left, Builtin::Count).filter(|all| is_any && all.len() == 2)?;
            Some(Kind::Builtin { builtin: Builtin::Any, arguments })
        }
        _ => None,
    }
}

/// Sums of list literals are plain additions, and sums of constant ranges are known.
fn sum(ast: &Ast, id: NodeId) -> Option<Kind> {
    let Kind::Builtin { builtin: Builtin::Sum, arguments } = ast.kind(id) else { return None };
    let [list] = arguments.as_ref() else { return None };
    match ast.kind(*list) {
        Kind::List(items) => {
            let is_constant = items.iter().all(|item| {
                let kind = ast.kind(*item);
                matches!(kind, Kind::Int(_) | Kind::Float(_) | Kind::Text(_) | Kind::Bool(_))
            });
            (items.len() >= 2 && !is_constant).then(|| Kind::SumOf(items.clone()))
        }
        Kind::Binary { operator: Binary::Range, left, right } => {
            let (Kind::Int(from), Kind::Int(to)) = (ast.kind(*left), ast.kind(*right)) else {
                return None;
            };
            let count = i128::from(*to) - i128::from(*from) + 1;
            let sum = count * (i128::from(*from) + i128::from(*to)) / 2;
            (count > 0).then(|| i64::try_from(sum).ok().map(Kind::Int))?
        }
        _ => None,
    }
}
