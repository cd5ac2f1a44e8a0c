//! The type checker. It refuses what could never work, so that authors of rules learn of it and not their users.

use super::{
    access::{REQUEST_RESOURCE, Stage},
    ast::{Access, Call, Expr, Kind, Literal, Macro, MacroKind, Style},
    function::Function,
    program::CompileError,
    signature,
    types::{self, Type},
};
use crate::pattern;

/// Checks one expression.
pub(super) struct Checker<'n> {
    scope: Vec<(Box<str>, Type<'n>)>,
    /// Names that the expression used.
    used: Vec<Box<str>>,
}

type Checked<'n> = Result<Type<'n>, CompileError>;

impl<'n> Checker<'n> {
    pub(super) fn new(variables: &[(&str, Type<'n>)]) -> Self {
        let scope = variables.iter().map(|(name, found)| ((*name).into(), found.clone())).collect();
        Self { scope, used: Vec::new() }
    }

    pub(super) fn uses(&self, name: &str) -> bool {
        self.used.iter().any(|used| used.as_ref() == name)
    }

    pub(super) fn expr(&mut self, expr: &mut Expr) -> Checked<'n> {
        let at = expr.at;
        match &mut expr.kind {
            Kind::Literal(literal) => Ok(literal_type(literal)),
            Kind::Name(name) => self.name(name, at),
            Kind::Select { operand, field, access } => self.select(operand, field, *access, at),
            Kind::Index { operand, index, access } => self.index(operand, index, *access, at),
            Kind::Not(operand) => match self.expr(operand)? {
                Type::Bool | Type::Dyn => Ok(Type::Bool),
                other => no_overload(at, "!_", &[other]),
            },
            Kind::Negate(operand) => match self.expr(operand)? {
                number @ (Type::Int | Type::Double | Type::Dyn) => Ok(number),
                other => no_overload(at, "-_", &[other]),
            },
            Kind::Binary { operator, left, right } => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                match signature::operator(*operator, &left, &right) {
                    Some(result) => Ok(result),
                    None => no_overload(at, operator.name(), &[left, right]),
                }
            }
            Kind::And(operands) | Kind::Or(operands) => self.logical(operands),
            Kind::Conditional { condition, then, otherwise } => {
                let condition = self.expr(condition)?;
                let (then, otherwise) = (self.expr(then)?, self.expr(otherwise)?);
                let is_bool = matches!(condition, Type::Bool | Type::Dyn);
                if is_bool && then.agrees(&otherwise) {
                    return Ok(then.or(otherwise));
                }
                no_overload(at, "_?_:_", &[condition, then, otherwise])
            }
            Kind::List(items) => Ok(Type::List(Box::new(self.same(items.iter_mut())?))),
            Kind::Map(entries) => {
                let keys = self.same(entries.iter_mut().map(|(key, _)| key))?;
                let values = self.same(entries.iter_mut().map(|(_, value)| value))?;
                Ok(Type::Map(Box::new(keys), Box::new(values)))
            }
            Kind::Call(call) => self.call(call, at),
            Kind::Macro(parts) => self.comprehension(parts, at),
        }
    }

    fn name(&mut self, name: &str, at: usize) -> Checked<'n> {
        if let Some((_, found)) = self.scope.iter().rev().find(|(known, _)| known.as_ref() == name)
        {
            self.used.push(name.into());
            return Ok(found.clone());
        }
        if is_type_name(name) {
            return Ok(Type::OfTypes);
        }
        fail(at, format!("undeclared reference to '{name}' (in container '')"))
    }

    fn select(
        &mut self,
        operand: &mut Expr,
        field: &mut Box<str>,
        access: Access,
        at: usize,
    ) -> Checked<'n> {
        let is_variable = matches!(operand.kind, Kind::Name(_));
        let (operand, was_optional) = unwrap_optional(self.expr(operand)?);
        let found = match operand {
            Type::Object(node) => {
                let declared = types::declared(node, field)
                    .and_then(|(name, member)| Some((name, Type::of(member)?)));
                let Some((name, found)) = declared else {
                    return fail(at, format!("undefined field '{field}'"));
                };
                *field = name.into();
                found
            }
            Type::Record(node) => match node.properties.get(field).and_then(Type::of) {
                Some(found) => found,
                None => return fail(at, format!("undefined field '{field}'")),
            },
            Type::Access(Stage::Authorizer) if is_variable && **field == *REQUEST_RESOURCE => {
                Type::Access(Stage::Resource)
            }
            other @ Type::Access(_) => {
                return fail(at, format!("unexpected failed resolution of '{other}'"));
            }
            Type::Map(keys, values) if keys.agrees(&Type::Text) => *values,
            Type::Dyn => Type::Dyn,
            other => {
                return fail(at, format!("type '{other}' does not support field selection"));
            }
        };
        Ok(accessed(found, access, was_optional))
    }

    fn index(
        &mut self,
        operand: &mut Expr,
        index: &mut Expr,
        access: Access,
        at: usize,
    ) -> Checked<'n> {
        let (operand, was_optional) = unwrap_optional(self.expr(operand)?);
        let index = self.expr(index)?;
        let found = match &operand {
            Type::List(items) if matches!(index, Type::Int | Type::Uint | Type::Dyn) => {
                (**items).clone()
            }
            Type::Map(keys, values) if keys.agrees(&index) => (**values).clone(),
            Type::Dyn => Type::Dyn,
            _ => return no_overload(at, "_[_]", &[operand, index]),
        };
        Ok(accessed(found, access, was_optional))
    }

    fn logical(&mut self, operands: &mut [Expr]) -> Checked<'n> {
        for operand in operands {
            let found = self.expr(operand)?;
            if !matches!(found, Type::Bool | Type::Dyn) {
                return fail(operand.at, format!("expected type 'bool' but found '{found}'"));
            }
        }
        Ok(Type::Bool)
    }

    /// The one type of all items of a literal.
    fn same<'e>(&mut self, items: impl Iterator<Item = &'e mut Expr>) -> Checked<'n> {
        let mut common = Type::Dyn;
        for item in items {
            let found = self.expr(item)?;
            if !common.agrees(&found) {
                return fail(item.at, format!("expected type '{common}' but found '{found}'"));
            }
            common = common.or(found);
        }
        Ok(common)
    }

    fn call(&mut self, call: &mut Call, at: usize) -> Checked<'n> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &mut call.arguments {
            arguments.push(self.expr(argument)?);
        }
        let Some(result) = signature::call(call.function, call.style, &arguments) else {
            return match (call.style, arguments.split_first()) {
                (Style::Method, Some((receiver, rest))) => {
                    no_method(at, call.function.name(), receiver, rest)
                }
                _ => no_overload(at, call.function.name(), &arguments),
            };
        };
        compile_pattern(call)?;
        Ok(result)
    }

    fn comprehension(&mut self, parts: &mut Macro, at: usize) -> Checked<'n> {
        let item = match self.expr(&mut parts.range)? {
            Type::List(items) => *items,
            Type::Map(keys, _) => *keys,
            Type::Dyn => Type::Dyn,
            other => {
                return fail(
                    parts.range.at,
                    format!(
                        "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                    ),
                );
            }
        };
        self.scope.push((parts.variable.clone(), item.clone()));
        let condition =
            parts.condition.as_mut().map(|condition| self.expr(condition)).transpose()?;
        let body = self.expr(&mut parts.body)?;
        self.scope.pop();
        let tested = if parts.kind == MacroKind::Map { condition } else { Some(body.clone()) };
        if let Some(found) = tested.filter(|found| !matches!(found, Type::Bool | Type::Dyn)) {
            return fail(at, format!("expected type 'bool' but found '{found}'"));
        }
        Ok(match parts.kind {
            MacroKind::All | MacroKind::Exists | MacroKind::ExistsOne => Type::Bool,
            MacroKind::Map => Type::List(Box::new(body)),
            MacroKind::Filter => Type::List(Box::new(item)),
        })
    }
}

fn literal_type(literal: &Literal) -> Type<'static> {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::Text(_) => Type::Text,
        Literal::Bytes(_) => Type::Bytes,
    }
}

pub(super) fn is_type_name(name: &str) -> bool {
    matches!(
        name,
        "bool"
            | "int"
            | "uint"
            | "double"
            | "string"
            | "bytes"
            | "list"
            | "map"
            | "null_type"
            | "type"
    )
}

/// Patterns written as literals are compiled once, and refused if they are wrong.
fn compile_pattern(call: &mut Call) -> Result<(), CompileError> {
    if !matches!(call.function, Function::Matches | Function::Find | Function::FindAll) {
        return Ok(());
    }
    if let Some(Expr { at, kind: Kind::Literal(Literal::Text(text)), .. }) = call.arguments.get(1) {
        let compiled = pattern::compile(text).map_err(|reason| CompileError {
            at: *at,
            problem: format!("invalid {} argument: {reason}", call.function.name()),
        })?;
        call.pattern = Some(compiled);
    }
    Ok(())
}

fn unwrap_optional(found: Type<'_>) -> (Type<'_>, bool) {
    match found {
        Type::Optional(inner) => (*inner, true),
        other => (other, false),
    }
}

fn accessed(found: Type<'_>, access: Access, was_optional: bool) -> Type<'_> {
    match access {
        Access::Test => Type::Bool,
        Access::Plain if !was_optional => found,
        Access::Plain | Access::Optional => Type::Optional(Box::new(found)),
    }
}

fn fail<T>(at: usize, problem: String) -> Result<T, CompileError> {
    Err(CompileError { at, problem })
}

fn no_overload<T>(at: usize, name: &str, arguments: &[Type<'_>]) -> Result<T, CompileError> {
    let problem =
        format!("found no matching overload for '{name}' applied to '({})'", listed(arguments));
    fail(at, problem)
}

fn no_method<T>(
    at: usize,
    name: &str,
    receiver: &Type<'_>,
    rest: &[Type<'_>],
) -> Result<T, CompileError> {
    let problem = format!(
        "found no matching overload for '{name}' applied to '{receiver}.({})'",
        listed(rest)
    );
    fail(at, problem)
}

fn listed(types: &[Type<'_>]) -> String {
    types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ")
}
