//! Decides, from a listing of the remote's refs, what each work tree of a clone will stand at.

use std::{collections::BTreeSet, path::PathBuf};

use gix_hash::ObjectId;

use super::{
    cone::Cone,
    error::WorkError,
    name,
    request::{At, Checkout},
};
use crate::{mirror::Want, refs::Refs};

/// One work tree, before it is made.
pub(crate) struct Plan {
    /// Relative to the files of the Promotion, without links.
    pub(crate) path: PathBuf,
    pub(crate) sparse: Vec<String>,
    pub(crate) cone: Cone,
    /// The branch it will be on, in full.
    pub(crate) branch: Option<String>,
    pub(crate) start: Start,
}

/// Where a work tree starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At an object of the remote, known by the ref that leads there, or by its id.
    At(Want),
    /// At a commit whose id is only known in part.
    Abbreviated(String),
    /// At the first commit of a new branch.
    Empty,
}

impl Start {
    /// What must be in the mirror.
    pub(crate) fn want(&self) -> Option<&Want> {
        match self {
            Self::At(want) => Some(want),
            Self::Abbreviated(_) | Self::Empty => None,
        }
    }
}

/// The prefixes of refs that a listing must have.
pub(crate) fn prefixes(checkouts: &[Checkout]) -> Result<Vec<String>, WorkError> {
    let mut prefixes = BTreeSet::from(["HEAD".to_owned()]);
    for checkout in checkouts {
        match &checkout.at {
            At::Branch { name, .. } => prefixes.insert(name::branch(name)?),
            At::Tag(name) => prefixes.insert(name::tag(name)?),
            At::Default | At::Commit(_) => false,
        };
    }
    Ok(prefixes.into_iter().collect())
}

/// The plan of one work tree at `path`.
pub(crate) fn plan(
    checkout: &Checkout,
    path: PathBuf,
    refs: &Refs,
    repository: &str,
) -> Result<Plan, WorkError> {
    let cone = Cone::of(&checkout.sparse)?;
    let (branch, start) = start(&checkout.at, refs, repository)?;
    Ok(Plan { path, sparse: checkout.sparse.clone(), cone, branch, start })
}

/// Every branch may be in one work tree only, and no two work trees may be in one place.
pub(crate) fn check(plans: &[Plan]) -> Result<(), WorkError> {
    for (number, plan) in plans.iter().enumerate() {
        let others = || plans.iter().take(number);
        if others().any(|other| other.path == plan.path) {
            return Err(WorkError::Occupied { path: plan.path.display().to_string() });
        }
        if let Some(branch) = &plan.branch
            && others().any(|other| other.branch.as_ref() == Some(branch))
        {
            let branch = branch.trim_start_matches("refs/heads/").to_owned();
            return Err(WorkError::BranchTwice { branch });
        }
    }
    Ok(())
}

fn start(at: &At, refs: &Refs, repository: &str) -> Result<(Option<String>, Start), WorkError> {
    let found =
        |full: &str| refs.get(full).map(|found| Want { name: full.to_owned(), id: found.id });
    match at {
        At::Default => {
            let want = found("HEAD").ok_or_else(|| missing(repository, "default branch"))?;
            let branch = refs.head().filter(|name| name.starts_with("refs/heads/"));
            Ok((branch.map(str::to_owned), Start::At(want)))
        }
        At::Branch { name, create } => {
            let full = name::branch(name)?;
            let start = match found(&full) {
                Some(want) => Start::At(want),
                None if *create => Start::Empty,
                None => {
                    let (repository, branch) = (repository.to_owned(), name.clone());
                    return Err(WorkError::NoSuchBranch { repository, branch });
                }
            };
            Ok((Some(full), start))
        }
        At::Tag(name) => {
            let want = found(&name::tag(name)?);
            Ok((None, Start::At(want.ok_or_else(|| missing(repository, &format!("tag {name}")))?)))
        }
        At::Commit(id) => Ok((None, commit(id)?)),
    }
}

fn commit(id: &str) -> Result<Start, WorkError> {
    let lower = id.to_ascii_lowercase();
    if let Ok(id) = ObjectId::from_hex(lower.as_bytes()) {
        return Ok(Start::At(Want { name: lower, id }));
    }
    if lower.len() >= 4 && lower.len() < 64 && lower.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(Start::Abbreviated(lower));
    }
    Err(WorkError::Name {
        what: "commit",
        name: id.chars().take(80).collect(),
        reason: "it is no commit id",
    })
}

pub(crate) fn missing(repository: &str, what: &str) -> WorkError {
    WorkError::NoSuchCommit { repository: repository.to_owned(), what: what.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_named_by_its_id_whole_or_in_part() {
        let id = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert!(matches!(commit(&id.to_uppercase()), Ok(Start::At(want)) if want.name == id));
        assert_eq!(commit("4B825d").unwrap(), Start::Abbreviated("4b825d".to_owned()));
        for name in ["", "abc", "main", "--all", "4b825d~1", &"a".repeat(65)] {
            assert!(commit(name).is_err(), "{name}");
        }
    }
}
