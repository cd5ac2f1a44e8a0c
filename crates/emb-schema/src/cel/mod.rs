//! CEL, the Common Expression Language, as far as validation rules and conditions on requests use it.
//!
//! An engine of our own, because rules run on every write: it reads JSON in place without converting it, knows the
//! schema as types both when a rule is compiled and when it runs, and counts every step against a budget, so that no
//! rule and no object can hold the server up.

mod access;
mod ast;
mod call;
mod check;
mod condition;
mod equality;
mod escape;
mod evaluate;
mod function;
mod lexer;
mod library;
mod operator;
mod parser;
mod program;
mod signature;
mod time;
mod types;
mod value;

pub use access::{Answer, Authorizer, Question};
pub use condition::{Condition, ConditionInput};
pub(crate) use program::{EvalError, Meter, Program, Variables};
pub(crate) use types::Type;

#[cfg(test)]
mod tests;
