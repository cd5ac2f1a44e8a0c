//! The syntax tree of an expression. The checker fills in what it resolves; the evaluator runs the same tree.

use core_pattern::UserRegex;

use super::function::Function;

/// An expression and where it stands in its source, in characters.
#[derive(Debug)]
pub(super) struct Expr {
    pub(super) at: usize,
    pub(super) kind: Kind,
    /// How many levels the tree has from here: whoever follows it needs that much stack.
    pub(super) depth: usize,
}

impl Expr {
    pub(super) fn new(at: usize, kind: Kind) -> Self {
        let depth = 1 + kind.depth_of_parts();
        Self { at, kind, depth }
    }
}

#[derive(Debug)]
pub(super) enum Kind {
    Literal(Literal),
    /// A variable.
    Name(Box<str>),
    /// `operand.field`, or `has(operand.field)` if it is a test.
    Select {
        operand: Box<Expr>,
        field: Box<str>,
        access: Access,
    },
    /// `operand[index]`
    Index {
        operand: Box<Expr>,
        index: Box<Expr>,
        access: Access,
    },
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Binary {
        operator: Operator,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Call(Box<Call>),
    Macro(Box<Macro>),
}

impl Kind {
    fn depth_of_parts(&self) -> usize {
        let deepest = |parts: &[Expr]| parts.iter().map(|part| part.depth).max().unwrap_or(0);
        match self {
            Self::Literal(_) | Self::Name(_) => 0,
            Self::Select { operand, .. } | Self::Not(operand) | Self::Negate(operand) => {
                operand.depth
            }
            Self::Index { operand, index, .. } => operand.depth.max(index.depth),
            Self::Binary { left, right, .. } => left.depth.max(right.depth),
            Self::And(parts) | Self::Or(parts) | Self::List(parts) => deepest(parts),
            Self::Conditional { condition, then, otherwise } => {
                condition.depth.max(then.depth).max(otherwise.depth)
            }
            Self::Map(entries) => entries
                .iter()
                .map(|(key, value)| key.depth.max(value.depth))
                .max()
                .unwrap_or_default(),
            Self::Call(call) => deepest(&call.arguments),
            Self::Macro(parts) => {
                let condition = parts.condition.as_ref().map_or(0, |condition| condition.depth);
                parts.range.depth.max(parts.body.depth).max(condition)
            }
        }
    }
}

#[derive(Debug)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Box<str>),
    Bytes(Box<[u8]>),
}

/// How a member is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// It must be there.
    Plain,
    /// `.?` and `[?]`: an optional.
    Optional,
    /// `has()`: whether it is there.
    Test,
}

/// An infix operator, except the logical ones, which do not always evaluate both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    /// The name in error messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Equal => "_==_",
            Self::NotEqual => "_!=_",
            Self::Less => "_<_",
            Self::LessOrEqual => "_<=_",
            Self::Greater => "_>_",
            Self::GreaterOrEqual => "_>=_",
            Self::In => "@in",
            Self::Add => "_+_",
            Self::Subtract => "_-_",
            Self::Multiply => "_*_",
            Self::Divide => "_/_",
            Self::Remainder => "_%_",
        }
    }
}

/// A function call; the receiver of a method comes first among the arguments.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) function: Function,
    pub(super) style: Style,
    pub(super) arguments: Vec<Expr>,
    /// The compiled pattern, where it is a literal.
    pub(super) pattern: Option<UserRegex>,
}

/// `f(x)` or `x.f()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Global,
    Method,
}

/// A macro over the items of a list or the keys of a map.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) kind: MacroKind,
    pub(super) range: Expr,
    pub(super) variable: Box<str>,
    /// The filter of `map` with three arguments.
    pub(super) condition: Option<Expr>,
    pub(super) body: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MacroKind {
    All,
    Exists,
    ExistsOne,
    Map,
    Filter,
}

impl MacroKind {
    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "all" => Self::All,
            "exists" => Self::Exists,
            "exists_one" | "existsOne" => Self::ExistsOne,
            "map" => Self::Map,
            "filter" => Self::Filter,
            _ => return None,
        })
    }
}
