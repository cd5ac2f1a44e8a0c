//! `kargo run`: a Promotion in a file, carried out on this machine by the same driver and steps as in a
//! controller. The objects around it are those of the file.

mod change;
mod inferred;
mod objects;
mod plan;
mod report;
mod shelf;

pub use self::{
    change::{FileChange, ManifestChange},
    objects::Objects,
    plan::{PlanError, plan},
    report::{Ending, Preview, RunReport, StepReport},
    shelf::Shelf,
};
