//! How the values of a kind are owned and merged: as one, member by member, or item by item.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use crate::compile;

/// How the fields of one kind in one version are owned and merged. Clones share the tree.
#[derive(Clone, Debug)]
pub struct ObjectType(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    root: Type,
    empty: Value,
}

impl ObjectType {
    /// The type of a custom resource, from the schema of one version in its definition.
    pub fn of_custom(open_api_v3_schema: &Value) -> Self {
        let root = compile::custom_resource(open_api_v3_schema);
        Self(Arc::new(Inner { root, empty: Value::Object(serde_json::Map::new()) }))
    }

    /// The type of a built-in kind, from its schema without references. `empty` is the form that an object without any
    /// content has: what always is there belongs to nobody.
    pub fn of_builtin(schema: &Value, empty: Value) -> Self {
        Self(Arc::new(Inner { root: compile::schema(schema), empty }))
    }

    pub(crate) fn root(&self) -> &Type {
        &self.0.root
    }

    pub(crate) fn empty(&self) -> &Value {
        &self.0.empty
    }
}

/// The type of one value.
#[derive(Debug)]
pub(crate) enum Type {
    Scalar(Scalar),
    List(Box<ListType>),
    Map(Box<MapType>),
    /// No type is declared: a value is treated as what it turns out to be.
    Any(Box<ListType>, Box<MapType>),
    /// Nothing is declared, here or below: objects are owned member by member, everything else as one.
    Deduced,
}

/// A value without parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Number,
    Text,
    Boolean,
    Untyped,
}

/// The type of a list.
#[derive(Debug)]
pub(crate) struct ListType {
    pub(crate) identity: Identity,
    pub(crate) items: Type,
}

/// How the items of a list are told apart.
#[derive(Debug)]
pub(crate) enum Identity {
    /// They are not: the list is one value.
    None,
    /// By themselves.
    Value,
    /// By the values of these members, which are sorted by name.
    Keys(Box<[ListKey]>),
}

/// A member that tells the items of a list apart.
#[derive(Debug)]
pub(crate) struct ListKey {
    pub(crate) name: Box<str>,
    /// The value of items without the member.
    pub(crate) default: Option<Value>,
}

/// The type of an object.
#[derive(Debug)]
pub(crate) struct MapType {
    /// The object is one value.
    pub(crate) atomic: bool,
    pub(crate) fields: BTreeMap<Box<str>, Type>,
    /// The type of members that `fields` does not name; `None`: there may be none.
    pub(crate) others: Option<Type>,
}

static DEDUCED: Type = Type::Deduced;
static DEDUCED_MAP: MapType =
    MapType { atomic: false, fields: BTreeMap::new(), others: Some(Type::Deduced) };

/// How a value is walked.
#[derive(Clone, Copy)]
pub(crate) enum Form<'t> {
    /// It is owned and replaced as one.
    Leaf,
    /// Item by item.
    List(&'t ListType),
    /// Member by member.
    Map(&'t MapType),
}

impl Type {
    /// How `value` of this type is walked. A value that does not fit its type is one value; null fits every type.
    pub(crate) fn form(&self, value: &Value) -> Form<'_> {
        match (self, value) {
            (Self::List(list) | Self::Any(list, _), Value::Array(_))
            | (Self::List(list), Value::Null) => list.form(),
            (Self::Map(map) | Self::Any(_, map), Value::Object(_) | Value::Null) => map.form(),
            (Self::Deduced, Value::Object(_) | Value::Null) => Form::Map(&DEDUCED_MAP),
            _ => Form::Leaf,
        }
    }
}

impl ListType {
    fn form(&self) -> Form<'_> {
        match self.identity {
            Identity::None => Form::Leaf,
            Identity::Value | Identity::Keys(_) => Form::List(self),
        }
    }
}

impl MapType {
    fn form(&self) -> Form<'_> {
        if self.atomic { Form::Leaf } else { Form::Map(self) }
    }

    /// The type of the member `name`; members that must not be there are treated by what they turn out to be.
    pub(crate) fn member(&self, name: &str) -> &Type {
        self.fields.get(name).or(self.others.as_ref()).unwrap_or(&DEDUCED)
    }

    /// Whether the type names the member, in contrast to the keys of a free map.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }
}
