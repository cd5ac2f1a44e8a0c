//! What lies between two commits, with contents, for people who want to see it before it is pushed.

use std::collections::BTreeMap;

use gix_hash::ObjectId;
use gix_object::{Kind, TreeRefIter};

use super::{error::WorkError, objects::Objects, tree::WorkTree};

/// Larger files are told without their contents.
const MAX_FILE: usize = 1 << 20;
/// More changes than this nobody reads.
const MAX_CHANGES: usize = 2_000;
/// Deeper directories are not looked into.
const MAX_DEPTH: usize = 256;

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where, from the root of the repository.
    pub path: String,
    pub before: Side,
    pub after: Side,
}

/// A file on one side of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// It is not there.
    Absent,
    /// Its text.
    Text(String),
    /// It is not text, too large, or not here.
    Opaque,
}

type Entries = BTreeMap<Vec<u8>, (bool, ObjectId)>;

impl WorkTree {
    /// The files that differ between two commits, by path. Without a `base` everything is new.
    pub async fn changes(
        &self,
        base: Option<ObjectId>,
        tip: ObjectId,
    ) -> Result<Vec<Change>, WorkError> {
        self.read(move |objects| {
            let tree = |id: Option<ObjectId>| id.map(|id| objects.commit(id)).transpose();
            let trees = (tree(base)?.map(|commit| commit.tree), Some(objects.commit(tip)?.tree));
            let mut changes = Vec::new();
            compare(objects, trees, "", 0, &mut changes)?;
            Ok(changes)
        })
        .await
    }

    /// Whether a commit is here.
    pub async fn has(&self, id: ObjectId) -> Result<bool, WorkError> {
        self.read(move |objects| Ok(objects.has(id))).await
    }
}

fn compare(
    objects: &Objects,
    (before, after): (Option<ObjectId>, Option<ObjectId>),
    path: &str,
    depth: usize,
    changes: &mut Vec<Change>,
) -> Result<(), WorkError> {
    if before == after || depth > MAX_DEPTH {
        return Ok(());
    }
    let (old, new) = (entries(objects, before)?, entries(objects, after)?);
    let mut names: Vec<&Vec<u8>> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let (one, other) = (old.get(name), new.get(name));
        if one == other || changes.len() >= MAX_CHANGES {
            continue;
        }
        let text = String::from_utf8_lossy(name);
        let path = if path.is_empty() { text.into_owned() } else { format!("{path}/{text}") };
        let tree = |entry: Option<&(bool, ObjectId)>| {
            entry.filter(|(is_tree, _)| *is_tree).map(|(_, id)| *id)
        };
        let blob = |entry: Option<&(bool, ObjectId)>| {
            entry.filter(|(is_tree, _)| !*is_tree).map(|(_, id)| *id)
        };
        compare(objects, (tree(one), tree(other)), &path, depth + 1, changes)?;
        let (one, other) = (blob(one), blob(other));
        if one.is_some() || other.is_some() {
            changes.push(Change { path, before: side(objects, one), after: side(objects, other) });
        }
    }
    Ok(())
}

/// The entries of a tree: whether each is one itself, and its id.
fn entries(objects: &Objects, tree: Option<ObjectId>) -> Result<Entries, WorkError> {
    let Some(tree) = tree.filter(|tree| *tree != ObjectId::empty_tree(tree.kind())) else {
        return Ok(Entries::new());
    };
    let mut data = Vec::new();
    objects.find(tree, &mut data)?;
    let entries = TreeRefIter::from_bytes(&data, tree.kind()).filter_map(Result::ok);
    let entry = |entry: gix_object::tree::EntryRef<'_>| {
        (entry.filename.to_vec(), (entry.mode.is_tree(), entry.oid.to_owned()))
    };
    Ok(entries.map(entry).collect())
}

fn side(objects: &Objects, id: Option<ObjectId>) -> Side {
    let Some(id) = id else { return Side::Absent };
    let mut data = Vec::new();
    match objects.find(id, &mut data) {
        Ok(Kind::Blob) if data.len() <= MAX_FILE && !data.contains(&0) => {
            String::from_utf8(data).map_or(Side::Opaque, Side::Text)
        }
        _ => Side::Opaque,
    }
}
