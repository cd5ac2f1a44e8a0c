//! Argo CD Applications: reading, changing and watching them in the cluster where Argo CD runs.
//!
//! What is allowed and needed is decided in `core_rules::argo_cd`; here are the requests. Steps read live
//! ([`Applications`]); the health of Stages is told by what one watch shows ([`Watched`]).

mod applications;
mod error;
mod kept;
mod watched;

pub use self::{applications::Applications, error::Error, watched::Watched};
