//! From an OpenAPI v3 schema document to the compiled tree.

use std::collections::HashMap;

use core_pattern::UserRegex;
use emb_meta::{FieldError, FieldPath};
use serde_json::Value;

use crate::{
    format::{Format, FormatName},
    node::{
        Additional, Below, Bound, Constraints, Envelope, JsonType, ListKind, Node, Pattern, Types,
    },
    pattern,
    reader::Reader,
    rule,
};

/// Schemas nested deeper than this are refused; it bounds every walker.
pub(crate) const DEPTH_LIMIT: usize = 100;
/// Schemas with more nodes than this are refused.
const NODE_LIMIT: usize = 100_000;

/// Different patterns of one schema; each may take much memory.
const PATTERN_LIMIT: usize = 500;
/// Rules of one schema.
const RULE_LIMIT: usize = 1000;

/// Where in the tree a node stands.
struct Context {
    depth: usize,
    envelope: Envelope,
    /// The list above whose items cannot be told apart, so that none of them has an old value.
    uncorrelatable: Option<FieldPath>,
}

impl Context {
    fn inner(&self) -> Self {
        Self {
            depth: self.depth + 1,
            envelope: Envelope::None,
            uncorrelatable: self.uncorrelatable.clone(),
        }
    }

    fn inner_uncorrelatable(&self, at: &FieldPath) -> Self {
        let uncorrelatable = self.uncorrelatable.clone().or_else(|| Some(at.clone()));
        Self { uncorrelatable, ..self.inner() }
    }
}

/// Compiles one document.
pub(crate) struct Compiler {
    /// The same pattern stands in many places; all share one program.
    patterns: HashMap<String, Result<UserRegex, String>>,
    nodes: usize,
    rules: usize,
    pub(crate) errors: Vec<FieldError>,
    pub(crate) warnings: Vec<String>,
}

impl Compiler {
    pub(crate) fn new() -> Self {
        Self {
            patterns: HashMap::new(),
            nodes: 0,
            rules: 0,
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The root node of `schema`, which stands at `at` in its document.
    pub(crate) fn root(&mut self, schema: &Value, at: &FieldPath, envelope: Envelope) -> Node {
        let context = Context { depth: 0, envelope, uncorrelatable: None };
        self.node(schema, at, &context)
    }

    fn node(&mut self, schema: &Value, at: &FieldPath, context: &Context) -> Node {
        let Some(keywords) = schema.as_object() else {
            self.errors.push(FieldError::type_invalid(at, schema, "must be of type object"));
            return Node::default();
        };
        self.nodes += 1;
        if context.depth > DEPTH_LIMIT || self.nodes > NODE_LIMIT {
            self.errors.push(FieldError::forbidden(at, "schema is too deep or too large"));
            return Node::default();
        }
        let mut errors = std::mem::take(&mut self.errors);
        let mut reader = Reader { keywords, at, errors: &mut errors };
        let types = read_types(&mut reader);
        let mut node = Node {
            types,
            nullable: reader.flag("nullable"),
            preserve_unknown: reader.flag("x-kubernetes-preserve-unknown-fields"),
            list: read_list_kind(&mut reader),
            default: reader.any("default").cloned(),
            constraints: read_constraints(&mut reader),
            envelope: context.envelope,
            ..Node::default()
        };
        if reader.flag("x-kubernetes-embedded-resource") {
            node.envelope = Envelope::Embedded;
        }
        let format = reader.text("format");
        let pattern = reader.text("pattern");
        self.errors = errors;
        node.constraints.format = format.and_then(|name| self.format(types, name));
        node.constraints.pattern = pattern.and_then(|text| self.pattern(text, at));
        self.children(&mut node, keywords, at, context);
        if self.errors.is_empty() {
            let uncorrelatable = context.uncorrelatable.as_ref();
            node.rules = rule::compile(&node, keywords, at, uncorrelatable, &mut self.errors);
            self.rules += node.rules.len();
            if self.rules > RULE_LIMIT {
                self.errors.push(FieldError::forbidden(at, "schema has too many rules"));
            }
        }
        node.below = below(&node);
        node
    }

    fn format(&mut self, types: Types, name: &str) -> Option<Format> {
        let known = FormatName::parse(types, name);
        if known.is_none() {
            let warning = format!("unrecognized format {name:?}");
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        known.map(|format| Format { text: name.into(), name: format })
    }

    fn pattern(&mut self, text: &str, at: &FieldPath) -> Option<Pattern> {
        if self.patterns.len() >= PATTERN_LIMIT && !self.patterns.contains_key(text) {
            let detail = "schema has too many patterns";
            self.errors.push(FieldError::forbidden(at.child("pattern"), detail));
            return None;
        }
        let compiled =
            self.patterns.entry(text.to_owned()).or_insert_with(|| pattern::compile(text)).clone();
        match compiled {
            Ok(regex) => Some(Pattern { text: text.into(), regex }),
            Err(reason) => {
                let detail = format!("must be a valid regular expression, but isn't: {reason}");
                self.errors.push(FieldError::invalid(at.child("pattern"), &text.into(), &detail));
                None
            }
        }
    }

    fn children(
        &mut self,
        node: &mut Node,
        keywords: &serde_json::Map<String, Value>,
        at: &FieldPath,
        context: &Context,
    ) {
        let mut errors = std::mem::take(&mut self.errors);
        let mut reader = Reader { keywords, at, errors: &mut errors };
        let properties = reader.map("properties");
        let (all_of, any_of, one_of) =
            (reader.list("allOf"), reader.list("anyOf"), reader.list("oneOf"));
        let (items, additional, not) =
            (reader.any("items"), reader.any("additionalProperties"), reader.any("not"));
        self.errors = errors;

        let inner = context.inner();
        let items_context = match node.list {
            ListKind::Map(_) => context.inner(),
            ListKind::Atomic | ListKind::Set => context.inner_uncorrelatable(at),
        };
        let properties_at = at.child("properties");
        node.properties = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| {
                (name.as_str().into(), self.node(schema, &properties_at.key(name), &inner))
            })
            .collect();
        node.items =
            items.map(|schema| Box::new(self.node(schema, &at.child("items"), &items_context)));
        node.additional = match additional {
            None => Additional::Absent,
            Some(Value::Bool(true)) => Additional::Any,
            Some(Value::Bool(false)) => Additional::Forbidden,
            Some(schema) => Additional::Schema(Box::new(self.node(
                schema,
                &at.child("additionalProperties"),
                &inner,
            ))),
        };
        node.constraints.all_of = self.branches(all_of, &at.child("allOf"), &inner);
        node.constraints.any_of = self.branches(any_of, &at.child("anyOf"), &inner);
        node.constraints.one_of = self.branches(one_of, &at.child("oneOf"), &inner);
        node.constraints.not =
            not.map(|schema| Box::new(self.node(schema, &at.child("not"), &inner)));
    }

    fn branches(&mut self, schemas: &[Value], at: &FieldPath, context: &Context) -> Box<[Node]> {
        schemas
            .iter()
            .enumerate()
            .map(|(index, schema)| self.node(schema, &at.index(index), context))
            .collect()
    }
}

fn read_types(reader: &mut Reader<'_, '_>) -> Types {
    if reader.flag("x-kubernetes-int-or-string") {
        return Types::IntOrString;
    }
    let Some(name) = reader.text("type") else { return Types::Any };
    if let Some(json_type) = JsonType::parse(name) {
        return Types::One(json_type);
    }
    reader.errors.push(FieldError::not_supported(
        reader.at.child("type"),
        &name.into(),
        ["array", "boolean", "integer", "number", "object", "string"],
    ));
    Types::Any
}

fn read_list_kind(reader: &mut Reader<'_, '_>) -> ListKind {
    match reader.text("x-kubernetes-list-type") {
        Some("set") => ListKind::Set,
        Some("map") => ListKind::Map(reader.texts("x-kubernetes-list-map-keys")),
        _ => ListKind::Atomic,
    }
}

fn read_constraints(reader: &mut Reader<'_, '_>) -> Constraints {
    let exclusive_minimum = reader.flag("exclusiveMinimum");
    let exclusive_maximum = reader.flag("exclusiveMaximum");
    let bound = |exclusive: bool| move |value: f64| Bound { value, exclusive };
    Constraints {
        minimum: reader.float("minimum").map(bound(exclusive_minimum)),
        maximum: reader.float("maximum").map(bound(exclusive_maximum)),
        multiple_of: reader.float("multipleOf"),
        min_length: reader.count("minLength"),
        max_length: reader.count("maxLength"),
        min_items: reader.count("minItems"),
        max_items: reader.count("maxItems"),
        min_properties: reader.count("minProperties"),
        max_properties: reader.count("maxProperties"),
        required: reader.texts("required"),
        choices: reader.list("enum").into(),
        ..Constraints::default()
    }
}

fn below(node: &Node) -> Below {
    let here = Below {
        sets_or_maps: node.list != ListKind::Atomic,
        embedded: node.envelope == Envelope::Embedded,
        rules: !node.rules.is_empty(),
    };
    let additional = match &node.additional {
        Additional::Schema(schema) => Some(schema.as_ref()),
        Additional::Absent | Additional::Any | Additional::Forbidden => None,
    };
    node.properties
        .iter()
        .map(|(_, property)| property)
        .chain(node.items.as_deref())
        .chain(additional)
        .fold(here, |below, child| below.or(child.below))
}
