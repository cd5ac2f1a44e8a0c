//! Whose keys open a bucket.

use std::{future::Future, pin::Pin};

use io_http::outbound::aws::Keys;
use thiserror::Error;

/// Keys that somebody may have to be asked for first.
pub type ComingKeys<'a> = Pin<Box<dyn Future<Output = Result<Keys, NoKeys>> + Send + 'a>>;

/// Where the keys of a bucket come from. It is asked before every call, because keys expire.
pub trait KeySource: Send + Sync {
    /// Keys that are good now.
    fn keys(&self) -> ComingKeys<'_>;
    /// The bucket does not know these keys any more. Returns whether others can be had.
    fn give_up(&self, refused: &Keys) -> bool;
}

/// Why there are no keys. No secret is in it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{why}")]
pub struct NoKeys {
    pub why: String,
    /// Whether nobody is known who would ever give any.
    pub is_final: bool,
}
