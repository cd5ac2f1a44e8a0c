//! Differences of the steps that copy, delete and write files.

use crate::Exception;

pub(super) const COPY_ONTO_ITSELF: Exception = Exception {
    name: "copy-onto-itself",
    reason: "a file that is copied onto itself keeps its content instead of losing it",
    applies: |case| {
        let config = case.member_or_null("config");
        config.get("inPath") == config.get("outPath")
    },
};
