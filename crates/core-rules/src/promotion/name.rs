//! Names of the form `<stage>.<identifier>.<freight>`.
//!
//! The identifier in the middle grows with time, so the names of one Stage's Promotions sort by
//! creation; the queue depends on it.

use crate::ulid::{self, Ulid};

const MAX_NAME_BYTES: usize = 253;
const ULID_BYTES: usize = 26;
const SHORT_HASH_BYTES: usize = 7;
const MAX_PREFIX_BYTES: usize = MAX_NAME_BYTES - ULID_BYTES - SHORT_HASH_BYTES - 2;

/// The name of a Promotion; `None` when Stage or Freight is empty.
pub fn promotion_name(stage: &str, freight: &str, id: Ulid) -> Option<String> {
    build(stage, freight, id)
}

/// The name of a Promotion to one Target; `None` when Stage, Target or Freight is empty.
pub fn child_promotion_name(stage: &str, target: &str, freight: &str, id: Ulid) -> Option<String> {
    if stage.is_empty() || target.is_empty() {
        return None;
    }
    build(&format!("{stage}.{target}"), freight, id)
}

/// The name of a PromotionRequest; `None` when Stage or Freight is empty.
pub fn promotion_request_name(stage: &str, freight: &str, id: Ulid) -> Option<String> {
    build(stage, freight, id)
}

/// The name of an AnalysisRun that verifies a collection; `None` when either part is empty. Unlike
/// upstream a long Stage name is trimmed after cutting, as for Promotions: otherwise the name could
/// be invalid.
pub fn analysis_run_name(stage: &str, collection_id: &str, id: Ulid) -> Option<String> {
    build(stage, collection_id, id)
}

fn build(prefix: &str, hash: &str, id: Ulid) -> Option<String> {
    if prefix.is_empty() || hash.is_empty() {
        return None;
    }
    let prefix = if prefix.len() > MAX_PREFIX_BYTES {
        cut(prefix, MAX_PREFIX_BYTES).trim_end_matches(['.', '-']).to_owned()
    } else {
        prefix.to_owned()
    };
    let name = format!("{prefix}.{}.{}", ulid::name_part(id), cut(hash, SHORT_HASH_BYTES));
    Some(name.chars().map(|letter| letter.to_lowercase().next().unwrap_or(letter)).collect())
}

/// At most the first `bytes` bytes. Names are ASCII; where one is not, upstream puts a replacement
/// character for each byte of the character it cut through.
fn cut(text: &str, bytes: usize) -> String {
    let end = text.floor_char_boundary(bytes);
    let kept = text.get(..end).unwrap_or_default();
    let broken = bytes.min(text.len()) - end;
    format!("{kept}{}", "\u{fffd}".repeat(broken))
}

#[cfg(test)]
mod tests {
    use super::{Ulid, analysis_run_name, child_promotion_name, promotion_name};

    const ID: Ulid = Ulid::from_parts(1, 2);
    const ID_TEXT: &str = "00000000010000000000000002";

    #[test]
    fn names_are_lower_case_and_hold_the_start_of_the_freight() {
        let name = promotion_name("DEV", "ABC123DEF", ID).unwrap();
        assert_eq!(name, format!("dev.{ID_TEXT}.abc123d"));
        let name = child_promotion_name("dev", "eu", "abc", ID).unwrap();
        assert_eq!(name, format!("dev.eu.{ID_TEXT}.abc"));
    }

    #[test]
    fn nothing_is_named_after_nothing() {
        assert_eq!(promotion_name("", "abc", ID), None);
        assert_eq!(promotion_name("dev", "", ID), None);
        assert_eq!(child_promotion_name("dev", "", "abc", ID), None);
    }

    #[test]
    fn long_stage_names_are_cut_to_fit() {
        let name = promotion_name(&"a".repeat(219), "abc123def", ID).unwrap();
        assert_eq!(name.len(), 253);
        let dashed = format!("{}-.-.tail", "a".repeat(214));
        let name = analysis_run_name(&dashed, "abc123def", ID).unwrap();
        assert_eq!(name, format!("{}.{ID_TEXT}.abc123d", "a".repeat(214)));
    }
}
