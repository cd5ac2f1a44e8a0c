//! Replication: shared Secrets and ConfigMaps are copied into the namespaces of Projects.
//!
//! Who is replicated says so in an annotation; copies are known by a label. Copies that were edited
//! are put right; an object of the same name that is no copy is somebody's own and left alone.

mod content;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use api_kinds::{ObjectMeta, annotations, labels};
use core_clock::Time;

use super::{
    change::{Change, Update},
    namespace,
};
use crate::shorten;

pub use content::Replicable;

/// Where copies go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Targets {
    /// Nowhere.
    Nobody,
    /// Into every Project.
    Everybody,
    /// Into these Projects.
    Named(BTreeSet<String>),
}

impl Targets {
    fn contains(&self, project: &str) -> bool {
        match self {
            Self::Nobody => false,
            Self::Everybody => true,
            Self::Named(names) => names.contains(project),
        }
    }
}

/// What is next for a source.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceStep<T> {
    /// Its deletion must be held back before the first copy is made.
    Hold,
    /// These copies are written; when there are none, all is as it should be.
    Write(Vec<Change<T>>),
    /// Every copy goes, then the source is released.
    Withdraw(Vec<Change<T>>),
}

/// Where copies can be.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// The Projects that exist and are not being deleted, whose namespaces are there.
    pub projects: &'a BTreeSet<String>,
    /// Every namespace that is labeled as a Project's. A label alone makes no copy elsewhere ours.
    pub project_namespaces: &'a BTreeSet<String>,
}

/// Where a source asks to be copied.
pub fn targets<T: Replicable>(source: &T) -> Targets {
    let is_leaving = source.metadata().deletion_timestamp.is_some();
    let asked = annotation(source.metadata(), annotations::REPLICATE_TO).unwrap_or_default();
    if is_leaving || !source.is_eligible() {
        return Targets::Nobody;
    }
    if asked == annotations::REPLICATE_TO_ALL {
        return Targets::Everybody;
    }
    let names: BTreeSet<_> = asked.split(',').map(str::trim).map(ToOwned::to_owned).collect();
    if names.iter().all(|name| is_project_name(name)) {
        Targets::Named(names)
    } else {
        Targets::Nobody
    }
}

/// Whether a change of an object among the shared resources concerns replication.
pub fn is_concerned<T: Replicable>(object: &T) -> bool {
    annotation(object.metadata(), annotations::REPLICATE_TO).is_some()
        || namespace::has_finalizer(object.metadata())
}

/// What is next for a source with these copies.
pub fn plan_replication<T: Replicable>(
    source: &T,
    copies: &[Arc<T>],
    places: &Places<'_>,
    now: Time,
) -> SourceStep<T> {
    let targets = targets(source);
    let name = source.metadata().name.as_deref().unwrap_or_default();
    if targets == Targets::Nobody {
        return SourceStep::Withdraw(plan_withdrawal(name, copies, places));
    }
    if !namespace::has_finalizer(source.metadata()) {
        return SourceStep::Hold;
    }
    let desired = Desired::new(source, now);
    let is_target = |ns: &str| targets.contains(ns) && places.projects.contains(ns);
    let mut by_namespace = BTreeMap::new();
    let mut changes = vec![];
    for copy in own_copies(name, copies, places) {
        let ns = copy.metadata().namespace.clone().unwrap_or_default();
        if is_target(&ns) {
            by_namespace.insert(ns, copy);
        } else {
            changes.push(Change::Delete(Box::new(T::clone(copy))));
        }
    }
    for project in places.projects.iter().filter(|project| targets.contains(project)) {
        match by_namespace.get(project) {
            None => changes.push(Change::Create(Box::new(desired.copy_in(project)))),
            Some(copy) => changes.extend(desired.correct(copy, project)),
        }
    }
    SourceStep::Write(changes)
}

/// Every copy of a source that is gone or asks for none any more.
pub fn plan_withdrawal<T: Replicable>(
    source: &str,
    copies: &[Arc<T>],
    places: &Places<'_>,
) -> Vec<Change<T>> {
    let own = own_copies(source, copies, places);
    own.map(|copy| Change::Delete(Box::new(T::clone(copy)))).collect()
}

/// The name of the source of a copy.
pub fn source_name(copy: &ObjectMeta) -> Option<&str> {
    let label = copy.labels.as_ref()?.get(labels::REPLICATED_FROM)?;
    Some(annotation(copy, labels::REPLICATED_FROM).unwrap_or(label))
}

/// The value of the label by which copies of a source are found.
pub fn source_label(source: &str) -> String {
    shorten::label_value(source)
}

fn own_copies<'a, T: Replicable>(
    source: &'a str,
    copies: &'a [Arc<T>],
    places: &'a Places<'a>,
) -> impl Iterator<Item = &'a Arc<T>> {
    copies.iter().filter(move |copy| {
        let metadata = copy.metadata();
        let ns = metadata.namespace.as_deref().unwrap_or_default();
        source_name(metadata) == Some(source)
            && metadata.name.as_deref() == Some(source)
            && places.project_namespaces.contains(ns)
    })
}

/// The copy that should be, apart from where.
struct Desired<T> {
    copy: T,
}

impl<T: Replicable> Desired<T> {
    fn new(source: &T, now: Time) -> Self {
        let name = source.metadata().name.clone().unwrap_or_default();
        let mut annotations = source.copied_annotations();
        annotations.insert(annotations::REPLICATED_AT.to_owned(), now.to_rfc3339_seconds());
        if source_label(&name) != name {
            annotations.insert(labels::REPLICATED_FROM.to_owned(), name.clone());
        }
        let metadata = ObjectMeta {
            name: Some(name),
            labels: Some(source.replica_labels()),
            annotations: Some(annotations),
            ..ObjectMeta::default()
        };
        Self { copy: source.content_with(metadata) }
    }

    fn copy_in(&self, project: &str) -> T {
        let mut copy = self.copy.clone();
        copy.metadata_mut().namespace = Some(project.to_owned());
        copy
    }

    /// What must happen to a copy that is there. The time of writing alone is no difference.
    fn correct(&self, copy: &Arc<T>, project: &str) -> Option<Change<T>> {
        let (is, should) = (copy.metadata(), self.copy.metadata());
        let has_labels = is_subset(should.labels.as_ref(), is.labels.as_ref(), &[]);
        let but = [annotations::REPLICATED_AT];
        let has_annotations = is_subset(should.annotations.as_ref(), is.annotations.as_ref(), &but);
        if has_labels && has_annotations && copy.is_same_content(&self.copy) {
            return None;
        }
        if !copy.can_become(&self.copy) {
            return Some(Change::Replace(Box::new(self.copy_in(project))));
        }
        let mut metadata = is.clone();
        metadata.labels.clone_from(&should.labels);
        metadata.annotations.clone_from(&should.annotations);
        let to = self.copy.content_with(metadata);
        Some(Change::Update(Box::new(Update { from: T::clone(copy), to })))
    }
}

/// Whether every entry of `part`, but for some keys, is in `whole`.
fn is_subset(
    part: Option<&BTreeMap<String, String>>,
    whole: Option<&BTreeMap<String, String>>,
    but: &[&str],
) -> bool {
    let mut entries = part.into_iter().flatten().filter(|(key, _)| !but.contains(&key.as_str()));
    entries.all(|(key, value)| whole.and_then(|whole| whole.get(key)) == Some(value))
}

fn annotation<'a>(metadata: &'a ObjectMeta, key: &str) -> Option<&'a str> {
    metadata.annotations.as_ref()?.get(key).map(String::as_str)
}

/// Names of Projects are names of namespaces.
fn is_project_name(name: &str) -> bool {
    let is_edge = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = name.as_bytes();
    bytes.len() <= 63
        && bytes.first().is_some_and(|&first| is_edge(first))
        && bytes.last().is_some_and(|&last| is_edge(last))
        && bytes.iter().all(|&byte| is_edge(byte) || byte == b'-')
}
