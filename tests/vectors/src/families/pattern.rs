//! `patterns`, `path-filters` and `tag-filters`.

use core_pattern::{NamePattern, PathFilter, PathPattern, TagFilter, slash_path};
use serde_json::Value;

use crate::{Answer, Case, Exception};

/// Upstream looks for `..` anywhere in the relative path.
pub(super) const DOTS_INSIDE_A_NAME: Exception = Exception {
    name: "dots-inside-a-name",
    reason: "a file called `a..b` lies within its directory like any other",
    applies: |case| case.text("kind") != "name" && is_about_dots_inside_a_name(case),
};

/// Whether some base directory holds a path with dots inside the name of a component.
fn is_about_dots_inside_a_name(case: &Case<'_>) -> bool {
    let one = |member| case.member(member).and_then(Value::as_str).into_iter();
    let patterns = one("pattern").chain(case.texts("include")).chain(case.texts("exclude"));
    let paths: Vec<&str> = one("subject").chain(case.texts("paths")).collect();
    let has_dots_inside_a_name =
        |path: &str| path.split('/').any(|component| component != ".." && component.contains(".."));
    let is_prefixed = |pattern: &str| {
        ["glob:", "regex:", "regexp:"].iter().any(|prefix| pattern.starts_with(prefix))
    };
    patterns.filter(|pattern| !is_prefixed(pattern)).any(|base| {
        paths.iter().any(|path| has_dots_inside_a_name(path) && slash_path::is_within(base, path))
    })
}

pub(super) fn run(case: &Case<'_>) -> Answer {
    let (pattern, subject) = (case.text("pattern"), case.text("subject"));
    let matches = match case.text("kind") {
        "path" => PathPattern::parse(pattern).map(|pattern| pattern.matches(subject)),
        _ => NamePattern::parse(pattern).map(|pattern| pattern.matches(subject)),
    };
    matches.map(Value::from).into()
}

pub(super) fn run_path_filter(case: &Case<'_>) -> Answer {
    let filter = PathFilter::parse(&case.texts("include"), &case.texts("exclude"));
    filter.map(|filter| Value::from(filter.accepts_any(&case.texts("paths")))).into()
}

pub(super) fn run_tag_filter(case: &Case<'_>) -> Answer {
    let filter = TagFilter::parse(&case.texts("allow"), &case.texts("ignore"));
    filter.map(|filter| Value::from(filter.accepts_ref(case.text("tag")))).into()
}
