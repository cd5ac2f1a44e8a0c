//! Types from OpenAPI v3 schemas. Only what decides about ownership is read; what a value may be is the business of
//! validation.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::types::{Identity, ListKey, ListType, MapType, Scalar, Type};

/// The type of a custom resource: what its definition says, with the metadata every object has.
pub(crate) fn custom_resource(schema: &Value) -> Type {
    let mut root = Compiler { keeps_unknown: false }.map(schema);
    add_object_fields(&mut root);
    Type::Map(Box::new(root))
}

/// The type that a schema says by itself.
pub(crate) fn schema(schema: &Value) -> Type {
    Compiler { keeps_unknown: false }.compile(schema)
}

#[derive(Clone, Copy)]
struct Compiler {
    /// Unknown members are kept from here on down.
    keeps_unknown: bool,
}

impl Compiler {
    fn compile(mut self, schema: &Value) -> Type {
        self.keeps_unknown |= flag(schema, "x-kubernetes-preserve-unknown-fields");
        match text(schema, "type") {
            "object" => Type::Map(Box::new(self.object(schema))),
            "array" => Type::List(Box::new(self.list(schema))),
            "integer" | "number" => Type::Scalar(Scalar::Number),
            "boolean" => Type::Scalar(Scalar::Boolean),
            "string" => Type::Scalar(match text(schema, "format") {
                "" | "byte" => Scalar::Text,
                _ => Scalar::Untyped,
            }),
            _ => Type::Any(Box::new(self.list(schema)), Box::new(self.object(schema))),
        }
    }

    fn list(self, schema: &Value) -> ListType {
        let item = schema.get("items");
        ListType {
            identity: identity(schema, item),
            items: item.map_or(Type::Deduced, |item| self.compile(item)),
        }
    }

    fn object(self, schema: &Value) -> MapType {
        let mut map = self.map(schema);
        if flag(schema, "x-kubernetes-embedded-resource") {
            add_object_fields(&mut map);
        }
        map
    }

    fn map(mut self, schema: &Value) -> MapType {
        self.keeps_unknown |= flag(schema, "x-kubernetes-preserve-unknown-fields");
        let properties = schema.get("properties").and_then(Value::as_object);
        let fields: BTreeMap<Box<str>, Type> = properties
            .into_iter()
            .flatten()
            .map(|(name, member)| (name.as_str().into(), self.compile(member)))
            .collect();
        let others = match schema.get("additionalProperties") {
            Some(Value::Bool(allowed)) => allowed.then_some(Type::Deduced),
            Some(member) => Some(self.compile(member)),
            None => (self.keeps_unknown || fields.is_empty()).then_some(Type::Deduced),
        };
        MapType { atomic: text(schema, "x-kubernetes-map-type") == "atomic", fields, others }
    }
}

fn identity(schema: &Value, item: Option<&Value>) -> Identity {
    match text(schema, "x-kubernetes-list-type") {
        "set" => Identity::Value,
        "map" => {
            let names = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
            let mut keys: Vec<ListKey> = names
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(|name| ListKey { name: name.into(), default: default_of(item, name) })
                .collect();
            keys.sort_by(|left, right| left.name.cmp(&right.name));
            if keys.is_empty() { Identity::None } else { Identity::Keys(keys.into()) }
        }
        _ => Identity::None,
    }
}

fn default_of(item: Option<&Value>, name: &str) -> Option<Value> {
    let default = item?.get("properties")?.get(name)?.get("default")?;
    (!default.is_null()).then(|| default.clone())
}

fn add_object_fields(map: &mut MapType) {
    for name in ["apiVersion", "kind"] {
        map.fields.insert(name.into(), Type::Scalar(Scalar::Text));
    }
    map.fields.insert("metadata".into(), object_meta());
}

/// The metadata that every object has.
fn object_meta() -> Type {
    let map = |others| {
        Type::Map(Box::new(MapType {
            atomic: false,
            fields: BTreeMap::new(),
            others: Some(others),
        }))
    };
    let list = |identity, items| Type::List(Box::new(ListType { identity, items }));
    let uid = ListKey { name: "uid".into(), default: None };
    let texts = ["generateName", "name", "namespace", "resourceVersion", "selfLink", "uid"];
    let times = ["creationTimestamp", "deletionTimestamp"];
    let numbers = ["deletionGracePeriodSeconds", "generation"];
    let scalars = texts
        .map(|name| (name, Scalar::Text))
        .into_iter()
        .chain(times.map(|name| (name, Scalar::Untyped)))
        .chain(numbers.map(|name| (name, Scalar::Number)))
        .map(|(name, scalar)| (name, Type::Scalar(scalar)));
    let rest = [
        ("annotations", map(Type::Scalar(Scalar::Text))),
        ("finalizers", list(Identity::Value, Type::Scalar(Scalar::Text))),
        ("labels", map(Type::Scalar(Scalar::Text))),
        ("managedFields", list(Identity::None, Type::Deduced)),
        ("ownerReferences", list(Identity::Keys([uid].into()), owner_reference())),
    ];
    let fields = scalars.chain(rest).map(|(name, member)| (name.into(), member)).collect();
    Type::Map(Box::new(MapType { atomic: false, fields, others: None }))
}

fn owner_reference() -> Type {
    let texts = ["apiVersion", "kind", "name", "uid"].map(|name| (name, Scalar::Text));
    let flags = ["blockOwnerDeletion", "controller"].map(|name| (name, Scalar::Boolean));
    let fields = texts
        .into_iter()
        .chain(flags)
        .map(|(name, scalar)| (name.into(), Type::Scalar(scalar)))
        .collect();
    Type::Map(Box::new(MapType { atomic: true, fields, others: None }))
}

fn text<'a>(schema: &'a Value, member: &str) -> &'a str {
    schema.get(member).and_then(Value::as_str).unwrap_or_default()
}

fn flag(schema: &Value, member: &str) -> bool {
    schema.get(member).and_then(Value::as_bool).unwrap_or(false)
}
