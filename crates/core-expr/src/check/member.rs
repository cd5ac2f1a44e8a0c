//! Fields, entries, elements and slices.

use crate::ast::{Kind, Member, NodeId};
use crate::check::{Callable, Checker, Form, MapNature, Nature};
use crate::error::Error;

impl Checker<'_> {
    pub(super) fn member(&mut self, id: NodeId, member: Member) -> Result<Nature, Error> {
        let is_environment =
            matches!(self.ast.kind(member.object), Kind::Name(name) if **name == *"$env");
        if is_environment {
            return Ok(Nature::Unknown);
        }
        let object = self.visit(member.object)?;
        let property = self.visit(member.property)?;
        if object.is_unknown() {
            return Ok(Nature::Unknown);
        }
        let name = match self.ast.kind(member.property) {
            Kind::Text(name) => Some(name.to_str().into_owned()),
            _ => None,
        };
        if let Some(name) = &name {
            if object == Nature::Nil {
                return Err(self.error(id, format!("type nil has no field {name}")));
            }
            if let Some(method) = object.method(name) {
                return Ok(Nature::Function(Callable::Method(method)));
            }
        }
        let object = object.dereferenced();
        match &object {
            Nature::Map(keys) => {
                let fits = matches!(keys, MapNature::Pairs | MapNature::Groups)
                    || matches!(property, Nature::Text | Nature::Unknown);
                if fits {
                    return Ok(object.element());
                }
                let message = format!("cannot use {property} to get an element from {object}");
                Err(self.error(member.property, message))
            }
            _ if object.is_list() => {
                if property.is_integer() || property.is_unknown() {
                    return Ok(object.element());
                }
                let message = format!(
                    "array elements can only be selected using an integer (got {property})"
                );
                Err(self.error(member.property, message))
            }
            _ => self.field(id, &object, name.as_deref(), &property, member.method),
        }
    }

    fn field(
        &self,
        id: NodeId,
        object: &Nature,
        name: Option<&str>,
        property: &Nature,
        is_method: bool,
    ) -> Result<Nature, Error> {
        let Some(name) = name else {
            return Err(self.error(id, format!("type {object}[{property}] is undefined")));
        };
        let field = match object {
            Nature::Object(of) => {
                of.field(name.as_bytes()).map(|field| Nature::of_field(field.holds))
            }
            Nature::ApiTime if name == "Time" => Some(Nature::Time),
            _ => None,
        };
        field.ok_or_else(|| {
            let what = if is_method { "method" } else { "field" };
            self.error(id, format!("type {object} has no {what} {name}"))
        })
    }

    pub(super) fn slice(
        &mut self,
        id: NodeId,
        object: NodeId,
        from: Option<NodeId>,
        to: Option<NodeId>,
    ) -> Result<Nature, Error> {
        let nature = self.visit(object)?;
        if nature.is_unknown() {
            return Ok(Nature::Unknown);
        }
        if !matches!(nature.form(), Form::Text | Form::List) {
            return Err(self.error(id, format!("cannot slice {nature}")));
        }
        for bound in [from, to].into_iter().flatten() {
            let index = self.visit(bound)?;
            if !index.is_integer() && !index.is_unknown() {
                return Err(self.error(bound, format!("non-integer slice index {index}")));
            }
        }
        Ok(nature)
    }
}
