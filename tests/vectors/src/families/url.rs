//! `urls`: clean-up and normal forms of addresses.

use core_pattern::{normalize_chart, normalize_git, normalize_image, sanitize};

use crate::{Answer, Case};

pub(super) fn run(case: &Case<'_>) -> Answer {
    let input = case.text("input");
    Answer::value(match case.text("kind") {
        "git" => normalize_git(input),
        "image" => normalize_image(input),
        "chart" => normalize_chart(input),
        _ => sanitize(input),
    })
}
