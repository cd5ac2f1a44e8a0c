//! The management controller's decisions: Projects with their namespaces and grants, controllers
//! that come and go, configurations with their receivers, shared resources and their copies.
//!
//! Every function takes what is and says what must be written so that it becomes what should be;
//! what is as it should be costs nothing. One pass over a Project decides all grants in its
//! namespace, so that they have one writer and shrink as surely as they grow.

pub mod account;
pub mod change;
pub mod default_role;
pub mod grant;
pub mod names;
pub mod namespace;
pub mod project;
pub mod receivers;
pub mod replication;
pub mod statistics;
