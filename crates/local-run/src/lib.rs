//! What runs without a server: the same rules and searches as in a controller, on a file.
//!
//! `kargo discover` is [`Manifest::parse`], [`discover`], and a [`Report`] printed as text or JSON.

mod discover;
mod manifest;

pub use discover::{
    Artifact, FreightReport, Rejected, Report, Request, Searches, SubscriptionReport,
    WarehouseReport, discover,
};
pub use manifest::{Manifest, ManifestError, WrittenWarehouse};
