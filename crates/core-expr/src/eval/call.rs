//! Calls of functions, methods and built-ins.

use crate::ast::{Kind, Member, NodeId};
use crate::builtin::Builtin;
use crate::error::{Failure, Trouble};
use crate::eval::{Machine, fetch, method};
use crate::value::{Data, Value};

impl Machine<'_> {
    pub(super) fn call(
        &mut self,
        id: NodeId,
        callee: NodeId,
        arguments: &[NodeId],
    ) -> Result<Value, Failure> {
        let ast = self.ast;
        match ast.kind(callee) {
            Kind::Name(name) => {
                let function = self.library.function(name).filter(|_| self.local(name).is_none());
                if let Some(function) = function {
                    let arguments = self.evaluate_all(arguments)?;
                    let result = function.call(&arguments, self);
                    return self.located(id, result);
                }
                let callee = self.name(id, name)?;
                self.call_value(id, &callee, arguments)
            }
            Kind::Member(member) => {
                let object = self.evaluate(member.object)?;
                self.call_member(id, &object, *member, arguments)
            }
            _ => {
                let callee = self.evaluate(callee)?;
                self.call_value(id, &callee, arguments)
            }
        }
    }

    /// Calls a method, or a function that is an entry of a map.
    pub(super) fn call_member(
        &mut self,
        id: NodeId,
        object: &Value,
        member: Member,
        arguments: &[NodeId],
    ) -> Result<Value, Failure> {
        let ast = self.ast;
        let Kind::Text(name) = ast.kind(member.property) else {
            return Err(self.fail(id, Trouble::from("a method has a name")));
        };
        if method::exists(object, &name.to_str()) {
            let arguments = self.evaluate_all(arguments)?;
            let result = method::call(object, &name.to_str(), &arguments, self.budget);
            return self.located(id, result);
        }
        let callee = fetch(object, &Value::text(name.clone()));
        let callee = self.located(id, callee)?;
        self.call_value(id, &callee, arguments)
    }

    fn call_value(
        &mut self,
        id: NodeId,
        callee: &Value,
        arguments: &[NodeId],
    ) -> Result<Value, Failure> {
        let arguments = self.evaluate_all(arguments)?;
        let result = match &callee.data {
            Data::Function(function) => function.call(&arguments).map_err(Trouble::from),
            Data::Method(bound) => {
                method::call(&bound.0, &bound.1.to_str(), &arguments, self.budget)
            }
            Data::Nil => Err(Trouble::from("invalid operation: cannot call nil")),
            _ => {
                let name = callee.type_name();
                Err(Trouble::Invalid(format!(
                    "invalid operation: cannot call non-function of type {name}"
                )))
            }
        };
        self.located(id, result)
    }

    pub(super) fn builtin(
        &mut self,
        id: NodeId,
        builtin: Builtin,
        arguments: &[NodeId],
    ) -> Result<Value, Failure> {
        if builtin.predicate_parameters().is_some() {
            return self.predicate_builtin(id, builtin, arguments);
        }
        let arguments = self.evaluate_all(arguments)?;
        let result = builtin.call(&arguments, self);
        let value = self.located(id, result)?;
        self.collected(id, value)
    }
}
