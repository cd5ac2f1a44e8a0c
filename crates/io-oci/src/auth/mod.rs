//! Logging in to a registry: what it asks for, where tokens come from, and who holds them.

mod challenge;
mod login;
mod realm;
mod token;

pub(crate) use self::{challenge::parse_all, login::Login};
