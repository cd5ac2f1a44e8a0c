//! The built-in functions: their names, and what they do with evaluated arguments. Those that take
//! a predicate are evaluated in [`crate::eval`].

mod aggregate;
mod encoding;
mod list;
mod map;
mod number;
mod sort;
mod text;
mod time;

use crate::error::Trouble;
use crate::eval::Machine;
use crate::text::Text;
use crate::value::{Data, Value};

pub(crate) use list::{elements, fetch_index, slice_bounds};
pub(crate) use number::to_int;
pub(crate) use sort::{Order, merge_sort};

macro_rules! builtins {
    ($($variant:ident = $name:literal,)*) => {
        /// A built-in function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Builtin { $($variant,)* }

        impl Builtin {
            /// The built-in of this name.
            pub(crate) fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }

            /// The name in expressions.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

builtins! {
    All = "all", None = "none", Any = "any", One = "one", Filter = "filter", Map = "map",
    Find = "find", FindIndex = "findIndex", FindLast = "findLast", FindLastIndex = "findLastIndex",
    Count = "count", Sum = "sum", GroupBy = "groupBy", SortBy = "sortBy", Reduce = "reduce",
    Len = "len", Type = "type", Abs = "abs", Ceil = "ceil", Floor = "floor", Round = "round",
    Int = "int", Float = "float", String = "string", Trim = "trim", TrimPrefix = "trimPrefix",
    TrimSuffix = "trimSuffix", Upper = "upper", Lower = "lower", Split = "split",
    SplitAfter = "splitAfter", Replace = "replace", Repeat = "repeat", Join = "join",
    IndexOf = "indexOf", LastIndexOf = "lastIndexOf", HasPrefix = "hasPrefix",
    HasSuffix = "hasSuffix", Max = "max", Min = "min", Mean = "mean", Median = "median",
    ToJson = "toJSON", FromJson = "fromJSON", ToBase64 = "toBase64", FromBase64 = "fromBase64",
    Now = "now", Duration = "duration", Date = "date", Timezone = "timezone", First = "first",
    Last = "last", Get = "get", Take = "take", Keys = "keys", Values = "values",
    ToPairs = "toPairs", FromPairs = "fromPairs", Reverse = "reverse", Uniq = "uniq",
    Concat = "concat", Flatten = "flatten", Sort = "sort", BitAnd = "bitand", BitOr = "bitor",
    BitXor = "bitxor", BitNand = "bitnand", BitShl = "bitshl", BitShr = "bitshr",
    BitUshr = "bitushr", BitNot = "bitnot",
}

/// What a parameter of a built-in with predicate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    Expression,
    Predicate,
    OptionalExpression,
    OptionalPredicate,
}

impl Builtin {
    /// The parameters of built-ins that take a predicate.
    pub(crate) fn predicate_parameters(self) -> Option<&'static [Parameter]> {
        use Parameter::{Expression, OptionalExpression, OptionalPredicate, Predicate};
        match self {
            Self::All
            | Self::None
            | Self::Any
            | Self::One
            | Self::Filter
            | Self::Map
            | Self::Find
            | Self::FindIndex
            | Self::FindLast
            | Self::FindLastIndex
            | Self::GroupBy => Some(&[Expression, Predicate]),
            Self::Count | Self::Sum => Some(&[Expression, OptionalPredicate]),
            Self::SortBy | Self::Reduce => Some(&[Expression, Predicate, OptionalExpression]),
            _ => None,
        }
    }

    /// Whether taint comes with the elements of the result rather than from all arguments, or
    /// the result only measures its arguments.
    fn keeps_taint_apart(self) -> bool {
        matches!(
            self,
            Self::Len
                | Self::Type
                | Self::IndexOf
                | Self::LastIndexOf
                | Self::HasPrefix
                | Self::HasSuffix
                | Self::First
                | Self::Last
                | Self::Get
                | Self::Take
                | Self::Keys
                | Self::Values
                | Self::ToPairs
                | Self::FromPairs
                | Self::Reverse
                | Self::Uniq
                | Self::Concat
                | Self::Flatten
                | Self::Sort
                | Self::Max
                | Self::Min
        )
    }

    /// Calls a built-in without predicate.
    pub(crate) fn call(
        self,
        arguments: &[Value],
        machine: &mut Machine<'_>,
    ) -> Result<Value, Trouble> {
        let size = arguments.iter().filter_map(Value::as_text).map(Text::len).sum();
        machine.budget.scan(size)?;
        let tainted = arguments.iter().any(Value::is_tainted);
        let result = self.dispatch(&Arguments(arguments), machine);
        if !tainted {
            return result;
        }
        let value = result.map_err(|trouble| trouble.without_content(self.name()))?;
        Ok(value.deeply_tainted_if(!self.keeps_taint_apart()))
    }

    fn dispatch(
        self,
        arguments: &Arguments<'_>,
        machine: &mut Machine<'_>,
    ) -> Result<Value, Trouble> {
        match self {
            Self::Trim
            | Self::TrimPrefix
            | Self::TrimSuffix
            | Self::Upper
            | Self::Lower
            | Self::Split
            | Self::SplitAfter
            | Self::Replace
            | Self::Repeat
            | Self::Join
            | Self::IndexOf
            | Self::LastIndexOf
            | Self::HasPrefix
            | Self::HasSuffix => text::call(self, arguments, machine.budget),
            Self::Abs
            | Self::Ceil
            | Self::Floor
            | Self::Round
            | Self::Int
            | Self::Float
            | Self::BitAnd
            | Self::BitOr
            | Self::BitXor
            | Self::BitNand
            | Self::BitShl
            | Self::BitShr
            | Self::BitUshr
            | Self::BitNot => number::call(self, arguments),
            Self::Max | Self::Min | Self::Mean | Self::Median => {
                aggregate::call(self, arguments, machine.budget)
            }
            Self::Len
            | Self::Type
            | Self::String
            | Self::ToJson
            | Self::FromJson
            | Self::ToBase64
            | Self::FromBase64 => encoding::call(self, arguments, machine.budget),
            Self::Now | Self::Duration | Self::Date | Self::Timezone => {
                time::call(self, arguments, machine)
            }
            Self::Keys | Self::Values | Self::ToPairs | Self::FromPairs => {
                map::call(self, arguments, machine.budget)
            }
            _ => list::call(self, arguments, machine.budget),
        }
    }
}

/// The arguments of a call, by place and type.
pub(crate) struct Arguments<'a>(pub(crate) &'a [Value]);

impl<'a> Arguments<'a> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn value(&self, index: usize) -> Result<&'a Value, Trouble> {
        self.0
            .get(index)
            .ok_or_else(|| Trouble::Invalid(format!("not enough arguments (got {})", self.0.len())))
    }

    /// The argument at `index`, which must be a text.
    pub(crate) fn text(&self, index: usize) -> Result<&'a Text, Trouble> {
        let value = self.value(index)?;
        value.as_text().ok_or_else(|| wrong_type(value, "string"))
    }

    /// The argument at `index` if there is one, which must be a text.
    pub(crate) fn optional_text(&self, index: usize) -> Result<Option<&'a Text>, Trouble> {
        if index < self.0.len() { self.text(index).map(Some) } else { Ok(None) }
    }
}

pub(crate) fn wrong_type(value: &Value, wanted: &str) -> Trouble {
    let is = match value.data {
        Data::Nil => "nil",
        _ => value.type_name(),
    };
    Trouble::Invalid(format!("expected {wanted}, but got {is}"))
}

#[cfg(test)]
mod tests;
