//! The syntax tree.
//!
//! Nodes lie in one vector and refer to each other by index, so that building, copying and dropping
//! a tree never recurses. A node always comes after the nodes below it.

use std::ops::Range;
use std::sync::Arc;

use core_pattern::UserRegex;

use crate::builtin::Builtin;
use crate::text::Text;
use crate::value::Relation;

/// Index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// The index itself, for sets of nodes.
    pub(crate) fn index(self) -> u32 {
        self.0
    }
}

/// One node and its place in the source text.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    start: u32,
    end: u32,
}

/// What a node is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Text),
    Bytes(Text),
    Name(Arc<str>),
    Unary {
        operator: Unary,
        operand: NodeId,
    },
    Binary {
        operator: Binary,
        left: NodeId,
        right: NodeId,
    },
    /// `matches` with a pattern that is known in advance.
    Matches {
        text: NodeId,
        pattern: NodeId,
        regex: Arc<UserRegex>,
    },
    Member(Member),
    /// Ends the reach of `?.`: whatever is left of it, once nil, makes the whole chain nil.
    Chain(NodeId),
    Slice {
        object: NodeId,
        from: Option<NodeId>,
        to: Option<NodeId>,
    },
    Call {
        callee: NodeId,
        arguments: Box<[NodeId]>,
    },
    Builtin {
        builtin: Builtin,
        arguments: Box<[NodeId]>,
    },
    /// The sum of the items of a list literal, added from the right.
    SumOf(Box<[NodeId]>),
    Predicate(NodeId),
    Pointer(Pointer),
    Let {
        name: Arc<str>,
        value: NodeId,
        body: NodeId,
    },
    Sequence(Box<[NodeId]>),
    If {
        condition: NodeId,
        then: NodeId,
        otherwise: NodeId,
        ternary: bool,
    },
    List(Box<[NodeId]>),
    Map(Box<[(NodeId, NodeId)]>),
}

/// Access to a field, entry or element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) object: NodeId,
    pub(crate) property: NodeId,
    pub(crate) optional: bool,
    /// What is accessed is called.
    pub(crate) method: bool,
}

/// What `#` and its variants stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pointer {
    Item,
    Index,
    Accumulator,
    Unknown(Arc<str>),
}

/// Operators before an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Minus,
    Plus,
}

/// Operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Or,
    And,
    Equal,
    NotEqual,
    /// `==` between two texts or two whole numbers that must both be there.
    EqualSame,
    NotEqualSame,
    Relation(Relation),
    In,
    /// `in` with a list of nothing but text literals, which only holds texts.
    InTexts,
    Matches,
    Contains,
    StartsWith,
    EndsWith,
    Range,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
    Coalesce,
}

impl Binary {
    /// How the operator is written.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal | Self::EqualSame => "==",
            Self::NotEqual | Self::NotEqualSame => "!=",
            Self::Relation(relation) => relation.symbol(),
            Self::In | Self::InTexts => "in",
            Self::Matches => "matches",
            Self::Contains => "contains",
            Self::StartsWith => "startsWith",
            Self::EndsWith => "endsWith",
            Self::Range => "..",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
            Self::Power => "**",
            Self::Coalesce => "??",
        }
    }
}

impl Unary {
    /// How the operator is written.
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Minus => "-",
            Self::Plus => "+",
        }
    }
}

/// A syntax tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ast {
    nodes: Vec<Node>,
    heights: Vec<u16>,
}

static MISSING: Node = Node { kind: Kind::Nil, start: 0, end: 0 };

impl Ast {
    pub(crate) fn add(&mut self, kind: Kind, range: Range<usize>) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let place = |position: usize| u32::try_from(position).unwrap_or(u32::MAX);
        self.heights.push(self.height_of(&kind));
        self.nodes.push(Node { kind, start: place(range.start), end: place(range.end) });
        id
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id.0 as usize).unwrap_or(&MISSING)
    }

    pub(crate) fn kind(&self, id: NodeId) -> &Kind {
        &self.node(id).kind
    }

    pub(crate) fn range(&self, id: NodeId) -> Range<usize> {
        let node = self.node(id);
        node.start as usize..node.end as usize
    }

    pub(crate) fn replace(&mut self, id: NodeId, kind: Kind) {
        if let Some(node) = self.nodes.get_mut(id.0 as usize) {
            node.kind = kind;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes, each after those below it.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(NodeId)
    }

    /// A node and all below it. Parsing and optimizing leave nodes behind that belong to nothing.
    pub(crate) fn below(&self, root: NodeId) -> Vec<NodeId> {
        let mut found = vec![root];
        let mut position = 0;
        while let Some(&id) = found.get(position) {
            self.kind(id).for_each_child(|child| found.push(child));
            position += 1;
        }
        found
    }

    /// How deep evaluation recurses below a node. Left operands of binary operators are evaluated
    /// in a loop.
    pub(crate) fn height(&self, id: NodeId) -> u16 {
        self.heights.get(id.0 as usize).copied().unwrap_or_default()
    }

    fn height_of(&self, kind: &Kind) -> u16 {
        if let Kind::Binary { left, right, .. } = kind {
            return self.height(*left).max(self.height(*right).saturating_add(1));
        }
        let mut height = 0;
        kind.for_each_child(|child| height = height.max(self.height(child)));
        height.saturating_add(1)
    }
}

impl Kind {
    fn for_each_child(&self, mut visit: impl FnMut(NodeId)) {
        match self {
            Self::Nil
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Float(_)
            | Self::Text(_)
            | Self::Bytes(_)
            | Self::Name(_)
            | Self::Pointer(_) => {}
            Self::Unary { operand: child, .. } | Self::Chain(child) | Self::Predicate(child) => {
                visit(*child);
            }
            Self::Binary { left, right, .. }
            | Self::Matches { text: left, pattern: right, .. }
            | Self::Let { value: left, body: right, .. } => {
                visit(*left);
                visit(*right);
            }
            Self::Member(member) => {
                visit(member.object);
                visit(member.property);
            }
            Self::Slice { object, from, to } => {
                visit(*object);
                from.iter().chain(to).for_each(|child| visit(*child));
            }
            Self::Call { callee, arguments } => {
                visit(*callee);
                arguments.iter().for_each(|child| visit(*child));
            }
            Self::Builtin { arguments: children, .. }
            | Self::SumOf(children)
            | Self::Sequence(children)
            | Self::List(children) => children.iter().for_each(|child| visit(*child)),
            Self::If { condition, then, otherwise, .. } => {
                visit(*condition);
                visit(*then);
                visit(*otherwise);
            }
            Self::Map(entries) => {
                for (key, value) in entries {
                    visit(*key);
                    visit(*value);
                }
            }
        }
    }
}
