//! `shorten`: names that are too long.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core_rules::shorten::{Limits, label_value, resource_name, shorten};

use crate::{Answer, Case, Exception};

const DEFAULT: Limits<'static> = Limits::of(0);

/// Upstream cuts bytes.
pub(super) const WHOLE_CHARACTERS: Exception = Exception {
    name: "whole-characters",
    reason: "a name cut inside a character would not be valid text",
    applies: |case| {
        let want = STANDARD.decode(case.text("want_base64"));
        want.is_ok_and(|bytes| std::str::from_utf8(&bytes).is_err())
    },
};

/// The general form names no separator and no hash length to ask for the usual ones.
pub(super) fn run(case: &Case<'_>) -> Answer {
    let input = case.text("input");
    match case.text("kind") {
        "label-value" => Answer::value(label_value(input)),
        "resource-name" => Answer::value(resource_name(input)),
        _ => {
            let separator = Some(case.text("sep")).filter(|separator| !separator.is_empty());
            let hash_length = Some(case.count("hashLen")).filter(|length| *length > 0);
            let shortened = shorten(
                input,
                &Limits {
                    max_bytes: case.count("max"),
                    separator: separator.unwrap_or(DEFAULT.separator),
                    hash_length: hash_length.unwrap_or(DEFAULT.hash_length),
                },
            );
            let is_shortened = shortened.is_some();
            Answer::value(shortened.unwrap_or_else(|| input.to_owned())).and("ok", is_shortened)
        }
    }
}
