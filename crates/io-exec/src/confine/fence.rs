//! The fence itself, as the kernel knows it.

use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope, path_beneath_rules,
};

/// What is asked for; an older kernel gives the part of it that it knows.
const VERSION: ABI = ABI::V6;

/// Whether there is a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fence {
    Up,
    /// The kernel has no such thing.
    Missing,
}

impl Fence {
    /// Confines this thread to reading and running what is beneath `readable`, and doing what it wants
    /// beneath `writable`. It may connect to the network, but not signal processes outside.
    pub(super) fn around(readable: &[PathBuf], writable: &[PathBuf]) -> Result<Self, RulesetError> {
        let status = Ruleset::default()
            .handle_access(AccessFs::from_all(VERSION))?
            .scope(Scope::from_all(VERSION))?
            .create()?
            .add_rules(path_beneath_rules(readable, AccessFs::from_read(VERSION)))?
            .add_rules(path_beneath_rules(writable, AccessFs::from_all(VERSION)))?
            .restrict_self()?;
        Ok(if status.ruleset == RulesetStatus::NotEnforced { Self::Missing } else { Self::Up })
    }
}
