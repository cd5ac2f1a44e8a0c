//! The expression language of templates: lexer, parser, checker, evaluator, and the taint of secret values.
//!
//! The language is upstream's (expr-lang 1.17), including what it refuses before it runs anything.
//! [`Program`] is one expression, [`Template`] a text with expressions in `${{ }}`, and
//! [`evaluate_document`] handles JSON full of templates. [`Criterion`] and [`CommitFilter`] are the
//! expressions of Warehouses, [`MetricCondition`] is that of metrics.
//!
//! Nothing here does input or output: what functions need from outside is asked for with
//! [`Failure::Needs`]. Every input is bounded ([`limits`]) and no input panics.

#![warn(missing_docs)]

mod ast;
mod builtin;
mod check;
mod error;
mod eval;
mod go;
mod json;
mod lexer;
mod library;
pub mod limits;
mod mention;
mod metric;
mod optimize;
mod parser;
mod print;
mod program;
mod promotion;
mod scope;
mod template;
mod text;
mod time;
mod value;
mod variables;
mod warehouse;
mod yaml;

pub use error::{Error, ErrorKind, Failure};
pub use library::Library;
pub use mention::Mention;
pub use metric::{MetricCondition, time_of};
pub use program::Program;
pub use promotion::{Answer, Answers, Promotion, Request};
pub use scope::{Host, Scope, Variables};
pub use template::{Document, Template, evaluate_document, evaluate_typed_document};
pub use text::Text;
pub use time::{Moment, Zone};
pub use value::{Function, Value};
pub use variables::{PromotionContext, StepContext, TargetContext};
pub use warehouse::{Commit, CommitFilter, Criterion};

#[cfg(test)]
mod properties;
