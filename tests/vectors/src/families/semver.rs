//! `semver-*`: versions and constraints.

use core_semver::{Constraint, TagReading, Version, VersionError, version_of_tag};
use serde_json::{Value, json};

use crate::{Answer, Case};

pub(super) fn run_parse(case: &Case<'_>) -> Answer {
    let input = case.text("input");
    let from_tag = |reading| {
        Answer::value(version_of_tag(input, reading).map_or(Value::Null, |version| parts(&version)))
    };
    let from_parser = |result: Result<Version, VersionError>| match result {
        Ok(version) => Answer::value(parts(&version)),
        Err(error) => Answer::Refused(Some(class(error))),
    };
    match case.text("mode") {
        "tag-lenient" => from_tag(TagReading::Lenient),
        "tag-strict" => from_tag(TagReading::Strict),
        "strict" => from_parser(Version::parse_strict(input)),
        _ => from_parser(Version::parse_lenient(input)),
    }
}

fn parts(version: &Version) -> Value {
    json!({
        "major": version.major(),
        "minor": version.minor(),
        "patch": version.patch(),
        "prerelease": version.prerelease(),
        "metadata": version.metadata(),
        "string": version.to_string(),
        "original": version.original(),
    })
}

fn class(error: VersionError) -> &'static str {
    match error {
        VersionError::Shape => "invalid-semver",
        VersionError::Empty => "empty-string",
        VersionError::Characters => "invalid-characters",
        VersionError::LeadingZero => "segment-starts-zero",
        VersionError::Metadata => "invalid-metadata",
        VersionError::Prerelease => "invalid-prerelease",
        VersionError::Number | VersionError::TooLong => "other",
    }
}

pub(super) fn run_compare(case: &Case<'_>) -> Answer {
    let parse = |member| Version::parse_lenient(case.text(member));
    match (parse("a"), parse("b")) {
        (Ok(a), Ok(b)) => {
            let order = a.compare_precedence(&b);
            Answer::value(order as i8).and("equal", order.is_eq())
        }
        _ => Answer::refused(),
    }
}

pub(super) fn run_sort(case: &Case<'_>) -> Answer {
    let versions = case.texts("versions").into_iter().map(Version::parse_lenient);
    let sorted = versions.collect::<Result<Vec<_>, _>>().map(|mut versions| {
        versions.sort();
        versions.iter().map(Version::original).collect::<Value>()
    });
    sorted.into()
}

pub(super) fn run_constraint(case: &Case<'_>) -> Answer {
    let constraint = Constraint::parse(case.text("constraint"));
    constraint.map(|constraint| Value::from(constraint.to_string())).into()
}

pub(super) fn run_match(case: &Case<'_>) -> Answer {
    let constraint = Constraint::parse(case.text("constraint"));
    match (constraint, Version::parse_lenient(case.text("version"))) {
        (Ok(constraint), Ok(version)) => Answer::value(constraint.matches(&version)),
        _ => Answer::refused(),
    }
}
