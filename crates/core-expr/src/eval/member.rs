//! Fields, entries, elements and slices.

use std::sync::Arc;

use crate::ast::{Kind, Member, NodeId};
use crate::builtin::{fetch_index, slice_bounds};
use crate::error::{Failure, Trouble};
use crate::eval::{Machine, method};
use crate::limits::Budget;
use crate::value::{Data, List, ListKind, Value, equal};

impl Machine<'_> {
    pub(super) fn member(&mut self, id: NodeId, member: Member) -> Result<Value, Failure> {
        let object = self.evaluate(member.object)?;
        self.member_of(id, &object, member)
    }

    fn member_of(&mut self, id: NodeId, object: &Value, member: Member) -> Result<Value, Failure> {
        let property = match self.ast.kind(member.property) {
            Kind::Text(text) => Value::text(text.clone()),
            _ => self.evaluate(member.property)?,
        };
        if let Data::Pairs(pairs) = &object.data {
            let steps = self.budget.steps(pairs.entries.len());
            self.located(id, steps)?;
        }
        self.located(id, fetch(object, &property))
    }

    /// A chain: once something left of `?.` is nil, so is all of it.
    pub(super) fn chain(&mut self, inner: NodeId) -> Result<Value, Failure> {
        match self.link(inner)? {
            Some(value) if !value.is_nil() => Ok(value),
            _ => Ok(Value::NIL),
        }
    }

    /// One link of a chain; `None` when the chain ended to the left of it.
    fn link(&mut self, id: NodeId) -> Result<Option<Value>, Failure> {
        let ast = self.ast;
        match ast.kind(id) {
            Kind::Member(member) => {
                let Some(object) = self.link(member.object)? else { return Ok(None) };
                if member.optional && object.is_nil() {
                    return Ok(None);
                }
                self.member_of(id, &object, *member).map(Some)
            }
            Kind::Call { callee, arguments } => match ast.kind(*callee) {
                Kind::Member(member) => {
                    let Some(object) = self.link(member.object)? else { return Ok(None) };
                    if member.optional && object.is_nil() {
                        return Ok(None);
                    }
                    self.call_member(id, &object, *member, arguments).map(Some)
                }
                _ => self.evaluate(id).map(Some),
            },
            _ => self.evaluate(id).map(Some),
        }
    }

    pub(super) fn slice(
        &mut self,
        id: NodeId,
        object: NodeId,
        from: Option<NodeId>,
        to: Option<NodeId>,
    ) -> Result<Value, Failure> {
        let object = self.evaluate(object)?;
        let to = to.map(|to| self.evaluate(to)).transpose()?;
        let from = from.map(|from| self.evaluate(from)).transpose()?;
        let result = slice(&object, from.as_ref(), to.as_ref(), self.budget);
        self.located(id, result)
    }
}

/// What a value has under a name, key or index.
pub(crate) fn fetch(object: &Value, property: &Value) -> Result<Value, Trouble> {
    let taint = property.is_tainted();
    match &object.data {
        Data::Map(map) => {
            let key = match &property.data {
                Data::Text(key) => key.as_bytes(),
                Data::Nil => b"",
                _ => return Err(cannot_fetch(object, property)),
            };
            let missing = || if map.holds_texts { Value::text("") } else { Value::NIL };
            Ok(map.entries.get(key).cloned().unwrap_or_else(missing))
        }
        Data::List(_) | Data::Text(_) | Data::Bytes(_) if is_number(property) => {
            let found = fetch_index(object, property)?;
            found
                .map(|value| value.with_taint(taint))
                .ok_or_else(|| Trouble::from("index out of range"))
        }
        Data::Pairs(pairs) => {
            let entry = pairs.entries.iter().find(|(key, _)| is_key(key, property));
            let empty = || Data::List(Arc::new(List::nil(ListKind::Any))).into();
            let missing = || if pairs.holds_lists { empty() } else { Value::NIL };
            Ok(entry.map_or_else(missing, |(_, value)| value.clone()))
        }
        Data::Object(fields) => {
            let field = property.as_text().and_then(|name| fields.get(name.as_bytes()));
            field.cloned().ok_or_else(|| cannot_fetch(object, property))
        }
        _ => method_of(object, property),
    }
}

fn is_number(value: &Value) -> bool {
    matches!(value.data, Data::Int(_) | Data::Uint(_) | Data::Float(_))
}

/// Keys of any type are the same only if their types are.
fn is_key(key: &Value, wanted: &Value) -> bool {
    std::mem::discriminant(&key.data) == std::mem::discriminant(&wanted.data) && equal(key, wanted)
}

fn method_of(object: &Value, property: &Value) -> Result<Value, Trouble> {
    match (property.as_text(), &object.data) {
        (Some(name), Data::Moment(_)) if name.as_bytes() == b"Time" => Ok(object.clone()),
        (Some(name), _) if method::exists(object, &name.to_str()) => {
            Ok(Data::Method(Arc::new((object.clone(), name.clone()))).into())
        }
        _ => Err(cannot_fetch(object, property)),
    }
}

fn cannot_fetch(object: &Value, property: &Value) -> Trouble {
    let name = match property.as_text() {
        Some(name) if !property.is_tainted() => name.to_str().into_owned(),
        _ => property.type_name().to_owned(),
    };
    Trouble::Invalid(format!("cannot fetch {name} from {}", object.type_name()))
}

fn slice(
    object: &Value,
    from: Option<&Value>,
    to: Option<&Value>,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    let cannot = || Trouble::Invalid(format!("cannot slice {}", object.type_name()));
    let length = match &object.data {
        Data::Text(text) | Data::Bytes(text) => text.len(),
        Data::List(list) => list.items.len(),
        _ => return Err(cannot()),
    };
    let bounds = slice_bounds(length, from, to)?;
    match &object.data {
        Data::List(_) => budget.steps(bounds.len())?,
        _ => budget.text(bounds.len())?,
    }
    let data = match &object.data {
        Data::Text(text) => Data::Text(text.as_bytes().get(bounds).ok_or_else(cannot)?.into()),
        Data::Bytes(text) => Data::Bytes(text.as_bytes().get(bounds).ok_or_else(cannot)?.into()),
        Data::List(list) => {
            let items = list.items.get(bounds).ok_or_else(cannot)?.to_vec();
            let kind = if list.kind == ListKind::Pair { ListKind::Any } else { list.kind };
            Data::List(Arc::new(List::new(items, kind)))
        }
        _ => return Err(cannot()),
    };
    let taint = object.is_tainted() && !matches!(object.data, Data::List(_));
    Ok(Value::from(data).with_taint(taint))
}
