//! Fields that an apply wants to change and others own.

use std::fmt;

use emb_meta::Cause;

use crate::{
    entry::{Entry, Identity},
    set::FieldSet,
};

/// One field that somebody else owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The owner as messages name it: `"m1"`, `"m2" using v1`.
    pub owner: String,
    /// The field, as `.spec.items[name="a"].value`.
    pub field: String,
}

/// Every conflict of one apply, owner by owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conflicts(Vec<Conflict>);

impl Conflicts {
    /// The conflicts, owner by owner.
    pub fn iter(&self) -> impl Iterator<Item = &Conflict> {
        self.0.iter()
    }

    /// The causes of the refusal.
    pub fn causes(&self) -> Vec<Cause> {
        self.iter()
            .map(|conflict| Cause {
                reason: "FieldManagerConflict".to_owned(),
                message: format!("conflict with {}", conflict.owner),
                field: conflict.field.clone(),
            })
            .collect()
    }
}

impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [Conflict { owner, field }] = self.0.as_slice() {
            return write!(f, "Apply failed with 1 conflict: conflict with {owner}: {field}");
        }
        write!(f, "Apply failed with {} conflicts: ", self.0.len())?;
        let mut told: Option<&str> = None;
        for Conflict { owner, field } in &self.0 {
            if told != Some(owner) {
                let separator = if told.is_some() { "\n" } else { "" };
                write!(f, "{separator}conflicts with {owner}:")?;
                told = Some(owner);
            }
            write!(f, "\n- {field}")?;
        }
        Ok(())
    }
}

/// The fields of one owner that are to be changed.
pub(crate) struct Claims<'e> {
    pub(crate) owner: &'e Entry,
    pub(crate) fields: FieldSet,
}

/// Words the conflicts with several owners; `None` when there are none.
pub(crate) fn conflicts(mut claims: Vec<Claims<'_>>) -> Option<Conflicts> {
    claims.sort_by(|left, right| left.owner.identity.cmp(&right.owner.identity));
    let conflicts: Vec<Conflict> = claims
        .iter()
        .flat_map(|claim| {
            let owner = claim.owner.identity.to_string();
            claim.fields.paths().into_iter().map(move |path| Conflict {
                owner: owner.clone(),
                field: path.iter().map(ToString::to_string).collect(),
            })
        })
        .collect();
    (!conflicts.is_empty()).then_some(Conflicts(conflicts))
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.manager)?;
        if !self.subresource.is_empty() {
            write!(f, " with subresource {:?}", self.subresource)?;
        }
        if self.is_update() {
            write!(f, " using {}", self.api_version)?;
        }
        Ok(())
    }
}
