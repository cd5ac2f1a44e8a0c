//! What a Stage holds and held: stacks with the newest entry first, of bounded height.

use api_kinds::collection::{FreightCollection, FreightReference};
use api_kinds::stage::StageStatus;
use api_kinds::verification::{VerificationInfo, VerificationPhase};

use crate::freight::collection_id;

const MAX_ENTRIES: usize = 10;

/// What the Stage holds now.
pub fn current_collection(status: &StageStatus) -> Option<&FreightCollection> {
    status.freight_history.first()
}

/// Puts collections on top, in the given order; the oldest ones go.
pub fn record_collections(
    history: &mut Vec<FreightCollection>,
    collections: impl IntoIterator<Item = FreightCollection>,
) {
    history.splice(0..0, collections);
    history.truncate(MAX_ENTRIES);
}

/// Puts pieces into the collection, each in place of the one from its origin.
pub fn upsert_freight(
    collection: &mut FreightCollection,
    pieces: impl IntoIterator<Item = FreightReference>,
) {
    for piece in pieces {
        collection.freight.insert(piece.origin.to_string(), piece);
    }
    collection.id = collection_id(collection.freight.values().map(|piece| piece.name.as_str()));
}

/// Whether a piece of this name is in the collection.
pub fn includes_freight(collection: &FreightCollection, name: &str) -> bool {
    collection.freight.values().any(|piece| piece.name == name)
}

/// Replaces attempts that the history knows, by id and in place, and puts the others on top in the
/// given order; the oldest ones go.
pub fn put_verifications(
    history: &mut Vec<VerificationInfo>,
    attempts: impl IntoIterator<Item = VerificationInfo>,
) {
    let mut added = Vec::new();
    for attempt in attempts {
        match history.iter_mut().find(|known| known.id == attempt.id) {
            Some(known) => *known = attempt,
            None => added.push(attempt),
        }
    }
    history.splice(0..0, added);
    history.truncate(MAX_ENTRIES);
}

/// Whether any attempt to verify the collection, not only the newest, has not ended.
pub fn has_verification_under_way(collection: &FreightCollection) -> bool {
    collection.verification_history.iter().any(is_under_way)
}

/// Whether an attempt has not ended. One without a phase has only just begun.
pub(crate) fn is_under_way(attempt: &VerificationInfo) -> bool {
    attempt.phase == VerificationPhase::Unset || !attempt.phase.is_terminal()
}

#[cfg(test)]
mod tests {
    use api_kinds::collection::{FreightCollection, FreightReference};
    use api_kinds::origin::FreightOrigin;
    use api_kinds::verification::VerificationInfo;

    use super::{includes_freight, put_verifications, record_collections, upsert_freight};

    fn collection(id: usize) -> FreightCollection {
        FreightCollection { id: id.to_string(), ..FreightCollection::default() }
    }

    fn attempt(id: &str, message: &str) -> VerificationInfo {
        let (id, message) = (id.to_owned(), message.to_owned());
        VerificationInfo { id, message, ..VerificationInfo::default() }
    }

    #[test]
    fn the_history_keeps_ten_collections_newest_first() {
        let mut history: Vec<_> = (0..10).map(collection).collect();
        record_collections(&mut history, [collection(99)]);
        assert_eq!(history.len(), 10);
        assert_eq!(history[0].id, "99");
        assert_eq!(history[9].id, "8");
    }

    #[test]
    fn a_known_attempt_keeps_its_place() {
        let mut history = vec![attempt("v1", ""), attempt("v2", "")];
        put_verifications(&mut history, [attempt("v2", "again"), attempt("v3", "")]);
        let ids: Vec<_> = history.iter().map(|known| known.id.as_str()).collect();
        assert_eq!(ids, ["v3", "v1", "v2"]);
        assert_eq!(history[2].message, "again");
    }

    #[test]
    fn a_piece_takes_the_place_of_the_one_from_its_origin() {
        let piece = |name: &str, warehouse: &str| FreightReference {
            name: name.to_owned(),
            origin: FreightOrigin::warehouse(warehouse),
            ..FreightReference::default()
        };
        let mut held = FreightCollection::default();
        upsert_freight(&mut held, [piece("a", "w1"), piece("b", "w2")]);
        let before = held.id.clone();
        upsert_freight(&mut held, [piece("c", "w1")]);
        assert!(includes_freight(&held, "c") && includes_freight(&held, "b"));
        assert!(!includes_freight(&held, "a"));
        assert_ne!(held.id, before);
    }
}
