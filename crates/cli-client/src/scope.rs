//! Where credentials, settings, roles and tokens live.

use crate::Route;

/// The part of an installation that something belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One Project.
    Project(String),
    /// Every Project may use it.
    Shared,
    /// The installation itself.
    System,
}

impl Scope {
    pub(crate) fn route(&self) -> Route {
        match self {
            Self::Project(project) => Route::of(&["projects"]).name(project),
            Self::Shared => Route::of(&["shared"]),
            Self::System => Route::of(&["system"]),
        }
    }
}
