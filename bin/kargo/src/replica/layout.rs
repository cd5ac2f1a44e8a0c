//! What lies where in a replica: generations, each with a snapshot and the segments that continue it.
//!
//! `<generation>/base-<revision>.db.zst` and `<generation>/<first>-<last>.log.zst`, where a generation is the time of its
//! beginning in milliseconds and the start of the store's uuid. The snapshot of a generation that began while another was
//! still written names the time of that one behind its revision. Names are as long as they get, so that they sort.

use std::collections::BTreeMap;

use emb_store::{Identity, Span};

/// So many letters of the uuid of a store stand in a name.
const UUID: usize = 8;
const BASE: &str = "base-";
const BASE_END: &str = ".db.zst";
const SEGMENT_END: &str = ".log.zst";

/// A snapshot with what continues it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Generation {
    pub(super) name: Name,
    pub(super) base: Base,
    pub(super) segments: Vec<Span>,
}

/// The snapshot of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Base {
    pub(super) revision: u64,
    /// When the generation began that was written meanwhile, if there was one.
    pub(super) predecessor: Option<u64>,
}

/// The name of a generation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    /// When it began, in milliseconds.
    pub(super) begun: u64,
    uuid: String,
}

impl Name {
    pub(super) fn new(begun: u64, of: &Identity) -> Self {
        Self { begun, uuid: start_of(of) }
    }

    /// Whether it is a generation of this store.
    pub(super) fn is_of(&self, identity: &Identity) -> bool {
        self.uuid == start_of(identity)
    }

    pub(super) fn base_key(&self, base: Base) -> String {
        let begun = base.predecessor.map(|begun| format!("-{begun:016}")).unwrap_or_default();
        format!("{self}/{BASE}{:020}{begun}{BASE_END}", base.revision)
    }

    pub(super) fn segment_key(&self, span: Span) -> String {
        format!("{self}/{:020}-{:020}{SEGMENT_END}", span.first, span.last)
    }

    fn parse(text: &str) -> Option<Self> {
        let (begun, uuid) = text.split_once('-')?;
        Some(Self { begun: number(begun, 16)?, uuid: uuid.to_owned() })
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016}-{}", self.begun, self.uuid)
    }
}

fn start_of(identity: &Identity) -> String {
    identity.uuid.chars().take(UUID).collect()
}

/// The generations among these keys that have a snapshot, oldest first. Other keys are other people's.
pub(super) fn generations(keys: &[String]) -> Vec<Generation> {
    let mut found: BTreeMap<Name, (Option<Base>, Vec<Span>)> = BTreeMap::new();
    for key in keys {
        let Some((folder, file)) = key.split_once('/') else { continue };
        let Some(name) = Name::parse(folder) else { continue };
        let (base, segments) = found.entry(name).or_default();
        if let Some(snapshot) = parse_base(file) {
            *base = Some(snapshot);
        } else if let Some(span) = parse_segment(file) {
            segments.push(span);
        }
    }
    let complete = found
        .into_iter()
        .filter_map(|(name, (base, segments))| Some(Generation { name, base: base?, segments }));
    complete.collect()
}

fn parse_base(file: &str) -> Option<Base> {
    let text = file.strip_prefix(BASE)?.strip_suffix(BASE_END)?;
    let (revision, predecessor) = match text.split_once('-') {
        Some((revision, begun)) => (revision, Some(number(begun, 16)?)),
        None => (text, None),
    };
    Some(Base { revision: number(revision, 20)?, predecessor })
}

fn parse_segment(file: &str) -> Option<Span> {
    let (first, last) = file.strip_suffix(SEGMENT_END)?.split_once('-')?;
    let span = Span { first: number(first, 20)?, last: number(last, 20)? };
    (span.first <= span.last).then_some(span)
}

fn number(text: &str, digits: usize) -> Option<u64> {
    let is_whole = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then(|| text.parse().ok()).flatten()
}

/// The generation to restore: the newest, or the one that was written while it began, where that leads further.
pub(super) fn furthest(found: &[Generation]) -> Option<&Generation> {
    let newest = found.last()?;
    let before = predecessor(found).filter(|before| before.last() > newest.last());
    Some(before.unwrap_or(newest))
}

/// The first segment that leads further still, but cannot be reached, because one before it is missing.
pub(super) fn beyond_gap(found: &[Generation]) -> Option<Span> {
    let last = furthest(found)?.last();
    let both = found.last().into_iter().chain(predecessor(found));
    both.filter_map(Generation::beyond_gap).find(|span| span.last > last)
}

/// The generation that was written while the newest began.
fn predecessor(found: &[Generation]) -> Option<&Generation> {
    let newest = found.last()?;
    let name = Name { begun: newest.base.predecessor?, uuid: newest.name.uuid.clone() };
    found.iter().find(|generation| generation.name == name)
}

impl Generation {
    /// The segments that lead from the snapshot as far as possible, in order. A segment can be there twice, with another
    /// end, when nobody knew whether it had arrived.
    pub(super) fn chain(&self) -> Vec<Span> {
        let mut by_first: BTreeMap<u64, Vec<Span>> = BTreeMap::new();
        for span in &self.segments {
            by_first.entry(span.first).or_default().push(*span);
        }
        let mut reached: BTreeMap<u64, Span> = BTreeMap::new();
        let mut open = vec![self.base.revision];
        while let Some(at) = open.pop() {
            for span in by_first.get(&(at + 1)).into_iter().flatten() {
                if reached.insert(span.last, *span).is_none() {
                    open.push(span.last);
                }
            }
        }
        let mut chain = Vec::new();
        let mut next = reached.last_key_value().map(|(_, span)| *span);
        while let Some(span) = next {
            chain.push(span);
            next = reached.get(&(span.first - 1)).copied();
        }
        chain.reverse();
        chain
    }

    /// How far it leads.
    pub(super) fn last(&self) -> u64 {
        self.chain().last().map_or(self.base.revision, |span| span.last)
    }

    /// The first segment that cannot be reached, because one before it is missing.
    pub(super) fn beyond_gap(&self) -> Option<Span> {
        let last = self.last();
        self.segments.iter().filter(|span| span.last > last).min_by_key(|span| span.first).copied()
    }

    /// All its keys, that of the snapshot last: without it, nobody knows what the others are.
    pub(super) fn keys(&self) -> Vec<String> {
        let segments = self.segments.iter().map(|span| self.name.segment_key(*span));
        segments.chain([self.name.base_key(self.base)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> Identity {
        Identity { uuid: "0a1b2c3d-4e5f".into(), epoch: 1 }
    }

    fn generation(base: u64, segments: &[(u64, u64)]) -> Generation {
        let segments = segments.iter().map(|&(first, last)| Span { first, last }).collect();
        let base = Base { revision: base, predecessor: None };
        Generation { name: Name::new(7, &identity()), base, segments }
    }

    #[test]
    fn keys_are_read_as_they_are_written_and_sort_as_they_were_made() {
        let one = generation(3, &[(4, 9), (10, 12)]);
        let base = Base { revision: 30, predecessor: Some(7) };
        let name = Name::new(1_700_000_000_000, &identity());
        let two = Generation { name, base, segments: Vec::new() };
        let mut keys = [two.keys(), one.keys()].concat();
        assert_eq!(
            keys,
            [
                "0001700000000000-0a1b2c3d/base-00000000000000000030-0000000000000007.db.zst",
                "0000000000000007-0a1b2c3d/00000000000000000004-00000000000000000009.log.zst",
                "0000000000000007-0a1b2c3d/00000000000000000010-00000000000000000012.log.zst",
                "0000000000000007-0a1b2c3d/base-00000000000000000003.db.zst",
            ]
        );
        // A generation that is being made or removed, and what is not ours.
        keys.push(
            "0000000000000008-0a1b2c3d/00000000000000000004-00000000000000000009.log.zst".into(),
        );
        keys.extend(["readme.txt".into(), "a/b".into(), "0000000000000007-0a1b2c3d/x".into()]);
        keys.sort();
        assert_eq!(generations(&keys), [one, two.clone()]);
        assert!(two.name.is_of(&identity()));
        assert!(!two.name.is_of(&Identity { uuid: "0a1b2c3e".into(), epoch: 1 }));
    }

    #[test]
    fn the_newest_generation_counts_unless_the_one_before_leads_further() {
        let old = generation(3, &[(4, 9), (10, 12)]);
        let next = |base, predecessor, segments: &[(u64, u64)]| {
            let base = Base { revision: base, predecessor };
            Generation { name: Name::new(8, &identity()), base, ..generation(0, segments) }
        };
        let base_of = |found: &[Generation]| furthest(found).map(|it| it.base.revision);
        assert_eq!(base_of(&[]), None);
        assert_eq!(base_of(&[old.clone(), next(8, Some(7), &[])]), Some(3));
        assert_eq!(base_of(&[old.clone(), next(8, Some(7), &[(9, 12)])]), Some(8));
        assert_eq!(base_of(&[old.clone(), next(8, None, &[])]), Some(8), "the store went back");
        assert_eq!(base_of(&[old.clone(), next(8, Some(6), &[])]), Some(8));
        let gap = [old.clone(), next(8, Some(7), &[(11, 14)])];
        assert_eq!(
            (base_of(&gap), beyond_gap(&gap)),
            (Some(3), Some(Span { first: 11, last: 14 }))
        );
        assert_eq!(beyond_gap(&[old, next(8, Some(7), &[(11, 12)])]), None);
    }

    #[test]
    fn a_chain_leads_as_far_as_it_can() {
        let ends = |generation: &Generation| -> Vec<u64> {
            generation.chain().iter().map(|span| span.last).collect()
        };
        assert_eq!(generation(3, &[]).last(), 3);
        assert_eq!(ends(&generation(3, &[(4, 9), (10, 12)])), [9, 12]);
        // One that was thought lost was sent again with more in it, or not known to the next process.
        assert_eq!(ends(&generation(3, &[(4, 9), (4, 11), (12, 13)])), [11, 13]);
        assert_eq!(ends(&generation(3, &[(4, 9), (4, 11), (10, 13)])), [9, 13]);
        let gap = generation(3, &[(4, 9), (12, 14), (15, 16)]);
        assert_eq!((ends(&gap), gap.beyond_gap()), (vec![9], Some(Span { first: 12, last: 14 })));
        assert_eq!(generation(3, &[(4, 9), (4, 8)]).beyond_gap(), None);
    }
}
