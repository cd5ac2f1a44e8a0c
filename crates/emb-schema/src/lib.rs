//! Structural schemas: what an object of a kind may hold, as an OpenAPI v3 schema says it.
//!
//! A schema is compiled once into an immutable tree. The tree then answers, in this order on a write: which fields are
//! unknown, the object without them (pruned), the object with its defaults, and what is wrong with it. What is wrong is
//! told in the words of the Kubernetes API, because clients show and parse them.
//!
//! The engine behind the rules of a schema also evaluates [`Condition`]s on whole requests.

mod admit;
mod cel;
mod compile;
mod correlate;
mod defaulting;
mod field_path;
mod format;
mod node;
mod number;
mod object_meta;
mod pattern;
mod place;
mod prune;
mod reader;
mod rule;
mod schema;
mod validate;

pub use cel::{Answer, Authorizer, Condition, ConditionInput, Question};
pub use schema::{Budget, Schema};
