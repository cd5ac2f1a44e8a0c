//! Calls of functions and methods.

use crate::ast::{Kind, NodeId};
use crate::check::signature::check_arguments;
use crate::check::{Callable, Checker, Nature};
use crate::error::Error;
use crate::library::HostFunction;

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        id: NodeId,
        callee: NodeId,
        arguments: &[NodeId],
    ) -> Result<Nature, Error> {
        if matches!(self.ast.kind(callee), Kind::Name(name) if **name == *"$env") {
            return Err(self.error(id, "$env is not callable"));
        }
        match self.visit(callee)? {
            Nature::Unknown => Ok(Nature::Unknown),
            Nature::Function(Callable::Host(function)) => self.host_call(id, function, arguments),
            Nature::Function(Callable::Method(method)) => {
                let natures = self.visit_all(arguments)?;
                if method.outputs > 2 {
                    return Err(self.error(id, "the method returns more than two values"));
                }
                check_arguments("the method", method.parameters, &natures)
                    .map_err(|message| self.error(id, message))?;
                Ok(*method.result)
            }
            Nature::Function(Callable::Builtin) => {
                self.visit_all(arguments)?;
                Ok(Nature::Unknown)
            }
            other => Err(self.error(id, format!("{other} is not callable"))),
        }
    }

    /// The first overload that takes the arguments counts; the last one explains why none does.
    fn host_call(
        &mut self,
        id: NodeId,
        function: HostFunction,
        arguments: &[NodeId],
    ) -> Result<Nature, Error> {
        let natures = self.visit_all(arguments)?;
        let mut problem = String::new();
        for overload in function.overloads() {
            match check_arguments(function.name(), overload.parameters, &natures) {
                Ok(()) => return Ok(overload.gives.nature()),
                Err(message) => problem = message,
            }
        }
        Err(self.error(id, problem))
    }
}
