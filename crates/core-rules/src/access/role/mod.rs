//! Roles as people manage them.
//!
//! A role is a view over a ServiceAccount, which says who has it, and the Role and RoleBinding of
//! the same name, which say what they may do. [`Parts`] are the objects behind one role;
//! [`KargoRole`] is what clients see of them. Every change is a [`Plan`]: what it would let others
//! do, to be asked for before anything is written, and the writes in an order in which a half-made
//! role never lets anybody in.

mod change;
mod grant;
mod model;
mod parts;
mod rules;
#[cfg(test)]
mod tests;
mod token;

pub use change::{Existing, Plan, RoleError, create, delete, update};
pub use grant::{
    RoleChange, grant_claims, grant_permission, revoke_claims, revoke_permission, role_change,
};
pub use model::{API_VERSION, KargoRole, RoleResources};
pub use parts::{MissingRole, Parts, RoleNotFound, is_system_role};
pub(super) use rules::verbs_by_subject;
pub use rules::{
    Discovery, EVERY_VERB, RuleError, Star, check_resource, check_resources, group_of, normalize,
    resolve_groups,
};
pub use token::{
    RedactedToken, TOKEN_KEY, TokenError, check_deletable, check_token, is_populated,
    is_worth_another_try, token, tokens_of,
};
