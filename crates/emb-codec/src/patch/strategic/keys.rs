//! Which lists of a kind merge, and by what.

/// How a field takes a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeRule {
    /// A list of objects: those with the same value of this member merge.
    Merge(&'static str),
    /// A list of plain values that is a set.
    MergePrimitive,
    /// The whole list or object is replaced. What lists do when nothing is said; objects merge.
    Replace,
}

/// The rules of one kind, by path. Items of a list have the path of their list: `webhooks.rules`.
///
/// What holds for the metadata of every kind is built in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergeKeys {
    rules: &'static [(&'static str, MergeRule)],
}

const METADATA: [(&str, MergeRule); 2] = [
    ("metadata.finalizers", MergeRule::MergePrimitive),
    ("metadata.ownerReferences", MergeRule::Merge("uid")),
];

impl MergeKeys {
    /// The rules of a kind beyond its metadata, for example `[("secrets", MergeRule::Merge("name"))]`.
    pub const fn new(rules: &'static [(&'static str, MergeRule)]) -> Self {
        Self { rules }
    }

    /// What is said about the field at a path.
    pub fn rule(&self, path: &str) -> Option<MergeRule> {
        METADATA.iter().chain(self.rules).find(|(known, _)| *known == path).map(|(_, rule)| *rule)
    }
}
