//! Conditions on a write, such as the `matchConditions` of a webhook: expressions over the object, what it was before,
//! the request, and what its author may do.

use std::sync::LazyLock;

use serde_json::Value;

use super::{
    access::{Access, Authorizer, Stage},
    ast::Expr,
    check::Checker,
    evaluate::Evaluator,
    program::{EvalError, Meter, checked},
    types::Type,
    value::Val,
};
use crate::node::{Additional, JsonType, Node, Types};

/// What all conditions of one webhook may do for one request.
const ALL_LIMIT: u64 = 2_500_000;
/// What one condition may do.
const ONE_LIMIT: u64 = 1_000_000;
const SPENT: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// A compiled condition.
#[derive(Debug)]
pub struct Condition {
    source: Box<str>,
    expr: Expr,
}

/// What a condition is about. `Null` stands for an object that is not there.
#[derive(Clone, Copy)]
pub struct ConditionInput<'a> {
    /// The object as it would be.
    pub object: &'a Value,
    /// The object as it is.
    pub old_object: &'a Value,
    /// The request: kind, resource, name, user and so on.
    pub request: &'a Value,
    /// Whom to ask about permissions.
    pub authorizer: &'a dyn Authorizer,
}

impl Condition {
    /// Compiles a source; says what is wrong with it.
    pub fn compile(source: &str) -> Result<Self, String> {
        let mut checker = Checker::new(&[
            ("object", Type::Dyn),
            ("oldObject", Type::Dyn),
            ("request", Type::Record(&REQUEST)),
            // Known to the language, but not told to webhooks.
            ("namespaceObject", Type::Dyn),
            ("authorizer", Type::Access(Stage::Authorizer)),
        ]);
        let (expr, result) = checked(source, &mut checker)?;
        if !matches!(result, Type::Bool) {
            return Err(format!("must evaluate to bool but got {result}"));
        }
        Ok(Self { source: source.into(), expr })
    }

    /// Whether all conditions hold. One that does not hold decides, even if others cannot be evaluated.
    pub fn all_hold(conditions: &[Self], input: ConditionInput<'_>) -> Result<bool, String> {
        let mut left = ALL_LIMIT;
        let mut problems: Vec<String> = Vec::new();
        for condition in conditions {
            let mut meter = Meter { left: left.min(ONE_LIMIT) };
            let before = meter.left;
            let outcome = condition.holds(input, &mut meter);
            left -= before - meter.left;
            match outcome {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(EvalError::OutOfBudget) if left == 0 => return Err(SPENT.to_owned()),
                Err(error) => {
                    let problem = condition.problem(&error);
                    if !problems.contains(&problem) {
                        problems.push(problem);
                    }
                }
            }
        }
        match problems.as_slice() {
            [] => Ok(true),
            [only] => Err(only.clone()),
            many => Err(format!("[{}]", many.join(", "))),
        }
    }

    fn holds(&self, input: ConditionInput<'_>, meter: &mut Meter) -> Result<bool, EvalError> {
        let scope = vec![
            ("object", Val::of(input.object, None)),
            ("oldObject", Val::of(input.old_object, None)),
            ("request", Val::of(input.request, Some(&REQUEST))),
            ("namespaceObject", Val::Null),
            ("authorizer", Val::Access(Access::new(input.authorizer))),
        ];
        match (Evaluator { scope, meter }).expr(&self.expr)? {
            Val::Bool(holds) => Ok(holds),
            _ => Err(EvalError::NoSuchOverload),
        }
    }

    fn problem(&self, error: &EvalError) -> String {
        let problem = match error {
            EvalError::Failed(problem) => problem,
            EvalError::NoSuchOverload => "no such overload",
            EvalError::OutOfBudget => "operation cancelled: actual cost limit exceeded",
        };
        format!("expression '{}' resulted in error: {problem}", self.source)
    }
}

/// What is known of `request` when an expression is compiled.
static REQUEST: LazyLock<Node> = LazyLock::new(|| {
    let text = || of(JsonType::String);
    let kind = || object([("group", text()), ("version", text()), ("kind", text())]);
    let resource = || object([("group", text()), ("version", text()), ("resource", text())]);
    let user = object([
        ("username", text()),
        ("uid", text()),
        ("groups", list(text())),
        ("extra", map(list(text()))),
    ]);
    object([
        ("kind", kind()),
        ("resource", resource()),
        ("subResource", text()),
        ("requestKind", kind()),
        ("requestResource", resource()),
        ("requestSubResource", text()),
        ("name", text()),
        ("namespace", text()),
        ("operation", text()),
        ("userInfo", user),
        ("dryRun", of(JsonType::Boolean)),
        // Its content depends on the operation: the one schema that leaves a type open until it is evaluated.
        ("options", Node { types: Types::IntOrString, ..Node::default() }),
    ])
});

fn of(json_type: JsonType) -> Node {
    Node { types: Types::One(json_type), ..Node::default() }
}

fn object<const N: usize>(members: [(&str, Node); N]) -> Node {
    let properties = members.into_iter().map(|(name, node)| (name.into(), node)).collect();
    Node { properties, ..of(JsonType::Object) }
}

fn list(items: Node) -> Node {
    Node { items: Some(Box::new(items)), ..of(JsonType::Array) }
}

fn map(values: Node) -> Node {
    Node { additional: Additional::Schema(Box::new(values)), ..of(JsonType::Object) }
}

#[cfg(test)]
mod tests;
