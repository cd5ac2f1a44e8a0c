//! What runs without a server: the same rules and searches as in a controller, on a file.
//!
//! `kargo discover` is [`Manifest::parse`], [`discover`], and a [`Report`] printed as text or JSON.
//! `kargo run` is [`Objects::parse`], [`plan`], the driver of `work-steps` with a [`Shelf`] for a control
//! plane, and a [`RunReport`]. `kargo lint` is [`lint`].

mod discover;
mod document;
mod lint;
mod manifest;
mod run;

pub use discover::{
    Artifact, FreightReport, Rejected, Report, Request, Searches, SubscriptionReport,
    WarehouseReport, discover,
};
pub use document::ManifestError;
pub use lint::{LintReport, lint};
pub use manifest::{Manifest, WrittenWarehouse};
pub use run::{
    Ending, FileChange, ManifestChange, Objects, PlanError, Preview, RunReport, Shelf, StepReport,
    plan,
};
