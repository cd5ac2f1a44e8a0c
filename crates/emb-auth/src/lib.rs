//! Who a caller is and what they may do.
//!
//! Everything here is a pure function of objects handed in: the API server feeds RBAC objects as they are committed and asks
//! for decisions, so a permission takes effect with the commit that grants or removes it.

mod attributes;
mod bootstrap;
mod identity;
mod rbac;
mod static_token;
mod token;

pub use attributes::{Attributes, Decision, Target};
pub use bootstrap::bootstrap_objects;
pub use identity::Identity;
pub use rbac::{NonResourceRule, Rbac, ResourceRule, Rule, RulesFor};
pub use static_token::StaticToken;
pub use token::{BoundObject, Claims, KeyError, TokenError, TokenKeys, TokenRequest};
