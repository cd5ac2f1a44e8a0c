//! Work trees of a Promotion: check-outs, commits, tags and pushes.

mod integration;

pub use self::integration::PushIntegration;
