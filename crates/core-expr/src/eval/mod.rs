//! Evaluation of a syntax tree.

mod arithmetic;
mod call;
mod member;
mod membership;
mod method;
mod operator;
mod predicate;

use std::sync::Arc;

use crate::ast::{Ast, Kind, NodeId, Pointer};
use crate::error::{Failure, Trouble};
use crate::library::Library;
use crate::limits::{Budget, MAX_VALUE_BYTES, MAX_VALUE_DEPTH};
use crate::scope::Scope;
use crate::text::Text;
use crate::value::{Data, List, Map, Value};
pub(crate) use member::fetch;

/// Evaluates one expression.
pub(crate) struct Machine<'a> {
    ast: &'a Ast,
    library: Library,
    pub(crate) scope: &'a Scope<'a>,
    pub(crate) budget: &'a mut Budget,
    variables: Vec<(Arc<str>, Value)>,
    frames: Vec<Frame>,
}

/// What `#` and its variants stand for at the moment.
struct Frame {
    items: Arc<List>,
    /// Maps have as many rounds as entries, but no elements.
    length: usize,
    index: usize,
    accumulator: Value,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(
        ast: &'a Ast,
        library: Library,
        scope: &'a Scope<'a>,
        budget: &'a mut Budget,
    ) -> Self {
        Self { ast, library, scope, budget, variables: Vec::new(), frames: Vec::new() }
    }

    fn fail(&self, id: NodeId, trouble: Trouble) -> Failure {
        trouble.at(self.ast.range(id))
    }

    /// A result, with the place of its trouble.
    fn located<T>(&self, id: NodeId, result: Result<T, Trouble>) -> Result<T, Failure> {
        result.map_err(|trouble| self.fail(id, trouble))
    }

    pub(crate) fn evaluate(&mut self, id: NodeId) -> Result<Value, Failure> {
        if let Err(trouble) = self.budget.steps(1) {
            return Err(self.fail(id, trouble));
        }
        let ast = self.ast;
        match ast.kind(id) {
            Kind::Nil => Ok(Value::NIL),
            Kind::Bool(truth) => Ok(Data::Bool(*truth).into()),
            Kind::Int(number) => Ok(Value::int(*number)),
            Kind::Float(number) => Ok(Value::float(*number)),
            Kind::Text(text) => Ok(Value::text(text.clone())),
            Kind::Bytes(bytes) => Ok(Data::Bytes(bytes.clone()).into()),
            Kind::Name(name) => self.name(id, name),
            Kind::Unary { operator, operand } => {
                let operand = self.evaluate(*operand)?;
                self.located(id, operator::unary(*operator, &operand))
            }
            Kind::Binary { .. } => self.binary_spine(id),
            Kind::Matches { text, regex, .. } => {
                let text = self.evaluate(*text)?;
                let result = membership::matches(&text, regex, self.budget);
                self.located(id, result)
            }
            Kind::Member(member) => self.member(id, *member),
            Kind::Chain(inner) => self.chain(*inner),
            Kind::Slice { object, from, to } => self.slice(id, *object, *from, *to),
            Kind::Call { callee, arguments } => self.call(id, *callee, arguments),
            Kind::Builtin { builtin, arguments } => self.builtin(id, *builtin, arguments),
            Kind::SumOf(items) => self.sum_of(id, items),
            Kind::Predicate(body) => self.evaluate(*body),
            Kind::Pointer(pointer) => self.pointer(id, pointer),
            Kind::Let { name, value, body } => {
                let value = self.evaluate(*value)?;
                self.variables.push((Arc::clone(name), value));
                let result = self.evaluate(*body);
                self.variables.pop();
                result
            }
            Kind::Sequence(nodes) => {
                let mut last = Value::NIL;
                for node in nodes {
                    last = self.evaluate(*node)?;
                }
                Ok(last)
            }
            Kind::If { condition, then, otherwise, .. } => {
                let truth = self.truth(*condition)?;
                self.evaluate(if truth { *then } else { *otherwise })
            }
            Kind::List(items) => self.list(id, items),
            Kind::Map(entries) => self.map(id, entries),
        }
    }

    fn evaluate_all(&mut self, ids: &[NodeId]) -> Result<Vec<Value>, Failure> {
        ids.iter().map(|id| self.evaluate(*id)).collect()
    }

    /// A value that must be a truth value.
    fn truth(&mut self, id: NodeId) -> Result<bool, Failure> {
        let value = self.evaluate(id)?;
        value.as_bool().ok_or_else(|| {
            self.fail(id, Trouble::Invalid(format!("expected bool, but got {}", value.type_name())))
        })
    }

    fn local(&self, name: &str) -> Option<&Value> {
        self.variables.iter().rev().find(|(known, _)| **known == *name).map(|(_, value)| value)
    }

    fn name(&self, id: NodeId, name: &str) -> Result<Value, Failure> {
        if let Some(value) = self.local(name) {
            return Ok(value.clone());
        }
        let root = self.scope.variables.root();
        match &root.data {
            _ if name == "$env" => Ok(root.clone()),
            Data::Map(map) => Ok(map.entries.get(name.as_bytes()).cloned().unwrap_or(Value::NIL)),
            _ => self.located(id, fetch(root, &Value::text(name))),
        }
    }

    fn pointer(&self, id: NodeId, pointer: &Pointer) -> Result<Value, Failure> {
        let value = self.frames.last().and_then(|frame| match pointer {
            Pointer::Item => frame.items.items.get(frame.index).cloned(),
            Pointer::Index => i64::try_from(frame.index).ok().map(Value::int),
            Pointer::Accumulator => Some(frame.accumulator.clone()),
            Pointer::Unknown(_) => None,
        });
        value.ok_or_else(|| self.fail(id, Trouble::from("there is no current element")))
    }

    fn list(&mut self, id: NodeId, items: &[NodeId]) -> Result<Value, Failure> {
        let items = self.evaluate_all(items)?;
        let room = self.budget.elements(items.len());
        self.located(id, room)?;
        self.collected(id, Value::list(items))
    }

    /// The first of equal keys wins.
    fn map(&mut self, id: NodeId, entries: &[(NodeId, NodeId)]) -> Result<Value, Failure> {
        let room = self.budget.elements(entries.len());
        self.located(id, room)?;
        let mut map = std::collections::BTreeMap::<Text, Value>::new();
        let mut has_tainted_key = false;
        for (key_id, value_id) in entries {
            let key_value = self.evaluate(*key_id)?;
            let value = self.evaluate(*value_id)?;
            let Some(key) = key_value.as_text() else {
                let name = key_value.type_name();
                let message = format!("a map key must be a string, not {name}");
                return Err(self.fail(*key_id, Trouble::Invalid(message)));
            };
            has_tainted_key |= key_value.is_tainted();
            map.entry(key.clone()).or_insert(value);
        }
        let map = Value::from(Data::Map(Arc::new(Map::new(map))));
        self.collected(id, map.with_taint(has_tainted_key))
    }

    /// A new collection, unless it is nested too deeply or too large.
    fn collected(&self, id: NodeId, value: Value) -> Result<Value, Failure> {
        if value.depth() > MAX_VALUE_DEPTH {
            return Err(self.fail(id, Trouble::Limit("lists or maps are nested too deeply")));
        }
        if value.weight() > MAX_VALUE_BYTES {
            return Err(self.fail(id, Trouble::Limit("the value is too large")));
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests;
