//! Argo CD Applications: reading, authorization, operations and health.

mod applications;

pub use self::applications::Applications;
