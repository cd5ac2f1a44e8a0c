//! Groups, and the order inside them.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use api_kinds::Freight;
use core_clock::Time;
use core_pattern::slash_path;
use core_semver::Version;

use super::parameters::{Grouping, Order, Query};
use crate::freight::discovered_at;

/// Freight by group. A piece stands in a group once for each of its artifacts that belong there.
pub type Groups<'a, F> = BTreeMap<String, Vec<&'a F>>;

/// A piece of Freight in a group, by the tag of the artifact that put it there.
struct Entry<'a, F> {
    piece: &'a F,
    tag: &'a str,
    version: Option<Version>,
    /// Read once: a list of thousands is compared a hundred thousand times.
    seen: Option<Time>,
}

impl<'a, F: Borrow<Freight>> Entry<'a, F> {
    fn name(&self) -> Option<&'a str> {
        self.piece.borrow().metadata.name.as_deref()
    }
}

impl Query {
    /// Arranges the Freight.
    pub fn arrange<'a, F: Borrow<Freight>>(
        &self,
        freight: impl IntoIterator<Item = &'a F>,
    ) -> Groups<'a, F> {
        let mut groups: BTreeMap<String, Vec<Entry<'a, F>>> = BTreeMap::new();
        if self.grouping == Grouping::None {
            groups.insert(String::new(), Vec::new());
        }
        for piece in freight {
            for (key, tag) in self.keys(piece.borrow()) {
                let Some(key) = self.shown_as(key) else { continue };
                groups.entry(key).or_default().push(self.entry(piece, tag));
            }
        }
        groups.into_iter().map(|(key, entries)| (key, self.sorted(entries))).collect()
    }

    /// The groups of a piece, each with the tag that counts there.
    fn keys<'a>(&self, piece: &'a Freight) -> Vec<(String, &'a str)> {
        match self.grouping {
            Grouping::None => vec![(String::new(), "")],
            Grouping::ImageRepository => {
                let key = |image: &'a api_kinds::artifact::Image| {
                    (image.repo_url.clone(), image.tag.as_str())
                };
                piece.images.iter().map(key).collect()
            }
            Grouping::GitRepository => {
                piece.commits.iter().map(|commit| (commit.repo_url.clone(), "")).collect()
            }
            Grouping::Chart => {
                let key = |chart: &'a api_kinds::artifact::Chart| {
                    (chart_key(&chart.repo_url, &chart.name), chart.version.as_str())
                };
                piece.charts.iter().map(key).collect()
            }
        }
    }

    /// The name under which a group is shown, if it is. Who asks for a chart in upstream's form of
    /// the name, which has lost a slash, gets it under that.
    fn shown_as(&self, key: String) -> Option<String> {
        let Some(group) = &self.group else { return Some(key) };
        let is_same = *group == key
            || (self.grouping == Grouping::Chart && *group == slash_path::join(&[&key]));
        is_same.then(|| group.clone())
    }

    fn entry<'a, F: Borrow<Freight>>(&self, piece: &'a F, tag: &'a str) -> Entry<'a, F> {
        let version = match self.order {
            Order::FirstSeen => None,
            Order::Tag | Order::Version => Version::parse_lenient(tag).ok(),
        };
        Entry { piece, tag, version, seen: discovered_at(piece.borrow()) }
    }

    fn sorted<'a, F: Borrow<Freight>>(&self, mut entries: Vec<Entry<'a, F>>) -> Vec<&'a F> {
        // Lists come by name, so that the names of thousands need not be read again and again to order equals.
        if !entries.is_sorted_by_key(Entry::name) {
            entries.sort_by_key(Entry::name);
        }
        entries.sort_by(|left, right| self.compare(left, right));
        if self.is_reversed {
            entries.reverse();
        }
        entries.into_iter().map(|entry| entry.piece).collect()
    }

    fn compare<F: Borrow<Freight>>(&self, left: &Entry<'_, F>, right: &Entry<'_, F>) -> Ordering {
        let by_tag = match (self.order, &left.version, &right.version) {
            (Order::FirstSeen, ..) | (Order::Version, None, None) => Ordering::Equal,
            (Order::Tag, None, None) => left.tag.cmp(right.tag),
            (_, Some(one), Some(other)) => {
                let by_precedence = one.compare_precedence(other);
                by_precedence.then_with(|| left.tag.cmp(right.tag))
            }
            (_, one, other) => one.is_some().cmp(&other.is_some()),
        };
        by_tag.then_with(|| left.seen.cmp(&right.seen))
    }
}

/// The group of a chart. A repository of the OCI kind names the chart itself.
fn chart_key(repository: &str, name: &str) -> String {
    match name {
        "" => repository.to_owned(),
        name => format!("{}/{name}", repository.trim_end_matches('/')),
    }
}
