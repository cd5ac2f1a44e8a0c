//! Registries of AWS (ECR): a password for twelve hours against a signed request.
//!
//! Signed either with the access key of a Secret, or with the identity of this process, which for
//! each Project tries to become a role of that Project first.

mod access_key;
mod authorization;
mod managed;
mod registry;

use std::time::Duration;

pub(crate) use self::{access_key::AccessKey, managed::ManagedIdentity};
use crate::tokens::Terms;

/// The service says when a password expires; the default is for when it does not.
const TERMS: Terms = Terms { ttl: Duration::from_hours(10), load_timeout: Duration::from_secs(30) };
