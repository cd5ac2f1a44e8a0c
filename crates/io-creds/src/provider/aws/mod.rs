//! Who this process is in AWS, and the keys that prove it.
//!
//! Keys come from STS, from an agent beside the process, or from the machine it runs on; whoever hands them out says when
//! they expire.

pub(crate) mod identity;
mod instance;
mod keys;
mod region;
mod source;
pub(crate) mod sts;

pub use self::keys::{AwsKeys, AwsKeysError};
pub(crate) use self::region::Region;
