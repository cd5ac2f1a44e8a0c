//! Argo CD Applications: reading and changing them in the cluster where Argo CD runs.
//!
//! What is allowed and needed is decided in `core_rules::argo_cd`; here are the requests.

mod applications;
mod error;

pub use self::{applications::Applications, error::Error};
