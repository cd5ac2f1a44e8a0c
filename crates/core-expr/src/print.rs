//! A syntax tree as text that is read as the same tree.

use std::fmt::Write as _;

use crate::ast::{Ast, Binary, Kind, Member, NodeId, Pointer};
use crate::lexer::{is_alphanumeric, is_name_start};
use crate::text::{Characters, Text};

/// The longest text that is printed. Chains of comparisons share operands, so a small tree can
/// be a long text.
const MAX_PRINTED_BYTES: usize = 256 * 1024;

/// The tree as text; cut when it is too long.
pub(crate) fn print(ast: &Ast, root: NodeId) -> String {
    let mut printer = Printer { ast, output: String::new() };
    printer.node(root);
    printer.output
}

struct Printer<'a> {
    ast: &'a Ast,
    output: String,
}

impl Printer<'_> {
    fn push(&mut self, text: &str) {
        if self.output.len() < MAX_PRINTED_BYTES {
            self.output.push_str(text);
        }
    }

    fn node(&mut self, id: NodeId) {
        if self.output.len() >= MAX_PRINTED_BYTES {
            return;
        }
        let ast = self.ast;
        match ast.kind(id) {
            Kind::Nil => self.push("nil"),
            Kind::Bool(truth) => self.push(if *truth { "true" } else { "false" }),
            Kind::Int(number) => self.push(&number.to_string()),
            Kind::Float(number) => self.push(&format!("{number:e}")),
            Kind::Text(text) => self.push(&quoted(text, false)),
            Kind::Bytes(bytes) => self.push(&quoted(bytes, true)),
            Kind::Name(name) => self.push(name),
            Kind::Unary { operator, operand } => {
                self.push(operator.symbol());
                self.operand(*operand);
            }
            Kind::Binary { operator, left, right } => self.binary(*operator, *left, *right),
            Kind::Matches { text, pattern, .. } => self.binary(Binary::Matches, *text, *pattern),
            Kind::Member(member) => self.member(*member),
            Kind::Chain(inner) => self.node(*inner),
            Kind::Slice { object, from, to } => {
                self.object(*object);
                self.push("[");
                for (index, bound) in [from, to].into_iter().enumerate() {
                    self.push(if index > 0 { ":" } else { "" });
                    if let Some(bound) = bound {
                        self.node(*bound);
                    }
                }
                self.push("]");
            }
            Kind::Call { callee, arguments } => {
                self.node(*callee);
                self.list("(", arguments, ")");
            }
            Kind::Builtin { builtin, arguments } => {
                self.push(builtin.name());
                self.list("(", arguments, ")");
            }
            Kind::SumOf(items) => {
                self.push("sum(");
                self.list("[", items, "])");
            }
            Kind::Predicate(body) => {
                self.push("{");
                self.node(*body);
                self.push("}");
            }
            Kind::Pointer(pointer) => self.push(&format!("#{}", pointer_name(pointer))),
            Kind::Let { name, value, body } => {
                self.push(&format!("let {name} = "));
                self.operand(*value);
                self.push("; ");
                self.node(*body);
            }
            Kind::Sequence(nodes) => {
                for (index, node) in nodes.iter().enumerate() {
                    self.push(if index > 0 { "; " } else { "" });
                    self.operand(*node);
                }
            }
            Kind::If { condition, then, otherwise, ternary } => {
                self.condition(*condition, *then, *otherwise, *ternary);
            }
            Kind::List(items) => self.list("[", items, "]"),
            Kind::Map(entries) => self.map(entries),
        }
    }

    /// A node in parentheses, unless it cannot be torn apart.
    fn operand(&mut self, id: NodeId) {
        let is_closed = match self.ast.kind(id) {
            Kind::Nil
            | Kind::Bool(_)
            | Kind::Text(_)
            | Kind::Bytes(_)
            | Kind::Name(_)
            | Kind::Call { .. }
            | Kind::Builtin { .. }
            | Kind::Member(_)
            | Kind::Pointer(_)
            | Kind::List(_)
            | Kind::Map(_)
            | Kind::SumOf(_) => true,
            Kind::Int(number) => *number >= 0,
            _ => false,
        };
        if is_closed {
            return self.node(id);
        }
        self.push("(");
        self.node(id);
        self.push(")");
    }

    fn binary(&mut self, operator: Binary, left: NodeId, right: NodeId) {
        self.operand(left);
        self.push(&format!(" {} ", operator.symbol()));
        self.operand(right);
    }

    fn condition(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId, ternary: bool) {
        let [open, middle, close] =
            if ternary { ["", " ? ", " : "] } else { ["if ", " { ", " } else { "] };
        self.push(open);
        self.operand(condition);
        self.push(middle);
        self.operand(then);
        self.push(close);
        self.operand(otherwise);
        self.push(if ternary { "" } else { " }" });
    }

    /// What is accessed: words and numbers need parentheses, chains go on without them.
    fn object(&mut self, id: NodeId) {
        match self.ast.kind(id) {
            Kind::Int(_) | Kind::Nil | Kind::Bool(_) => {
                self.push("(");
                self.node(id);
                self.push(")");
            }
            Kind::Chain(inner) => self.node(*inner),
            _ => self.operand(id),
        }
    }

    fn member(&mut self, member: Member) {
        self.object(member.object);
        match self.ast.kind(member.property) {
            Kind::Text(name) if is_name(name) => {
                self.push(if member.optional { "?." } else { "." });
                self.push(&name.to_str());
            }
            _ => {
                self.push(if member.optional { "?.[" } else { "[" });
                self.node(member.property);
                self.push("]");
            }
        }
    }

    fn list(&mut self, open: &str, items: &[NodeId], close: &str) {
        self.push(open);
        for (index, item) in items.iter().enumerate() {
            self.push(if index > 0 { ", " } else { "" });
            match self.ast.kind(*item) {
                Kind::Sequence(_) | Kind::Let { .. } => self.operand(*item),
                _ => self.node(*item),
            }
        }
        self.push(close);
    }

    fn map(&mut self, entries: &[(NodeId, NodeId)]) {
        self.push("{");
        for (index, (key, value)) in entries.iter().enumerate() {
            self.push(if index > 0 { ", " } else { "" });
            let [open, close] =
                if matches!(self.ast.kind(*key), Kind::Text(_)) { ["", ""] } else { ["(", ")"] };
            self.push(open);
            self.node(*key);
            self.push(close);
            self.push(": ");
            self.operand(*value);
        }
        self.push("}");
    }
}

fn pointer_name(pointer: &Pointer) -> &str {
    match pointer {
        Pointer::Item => "",
        Pointer::Index => "index",
        Pointer::Accumulator => "acc",
        Pointer::Unknown(name) => name,
    }
}

fn is_name(text: &Text) -> bool {
    let text = text.to_str();
    text.starts_with(is_name_start) && text.chars().all(is_alphanumeric)
}

fn quoted(text: &Text, as_bytes: bool) -> String {
    let mut quoted = String::from(if as_bytes { "b\"" } else { "\"" });
    for (bytes, character) in Characters::new(text.as_bytes()) {
        let _ = match character {
            Some('"') => write!(quoted, "\\\""),
            Some('\\') => write!(quoted, "\\\\"),
            Some(character @ (' '..='~')) => write!(quoted, "{character}"),
            Some(character) if !as_bytes => write!(quoted, "\\U{:08x}", u32::from(character)),
            _ => bytes.iter().try_for_each(|byte| write!(quoted, "\\x{byte:02x}")),
        };
    }
    quoted.push('"');
    quoted
}
