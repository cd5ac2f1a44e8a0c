//! Many objects of any kind in one request: what was sent, in which order it is written, and what
//! must be asked about each object before it is.
//!
//! Writes run as the API server. What only the server may say about an object (who created it, who
//! asks for something) is therefore written here, whatever was sent.

mod bootstrap;
mod check;
mod mask;
mod object;
mod order;
mod parse;
mod result;
mod signature;
#[cfg(test)]
mod tests;

pub use bootstrap::Bootstrap;
pub use check::{Checks, ResourceError, checks};
pub use mask::{mask, mask_both};
pub use object::Resource;
pub use order::{Placed, in_order_of_creation, in_order_of_deletion};
pub use parse::{MAX_OBJECTS, ParseError, parse};
pub use result::{Done, Step, result};
pub use signature::{keep_custody, prepare_create, prepare_update};
