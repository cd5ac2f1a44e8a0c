use api_kinds::{Warehouse, warehouse::FreightCreationCriteria};
use serde_json::{Value, json};

use super::*;
use crate::admission::fixture::{self, message, object};

fn warehouse(subscriptions: Value) -> Warehouse {
    object("w", json!({"spec": {"interval": "5m0s", "subscriptions": subscriptions}}))
}

fn check(subscriptions: Value, policy: CacheByTagPolicy) -> Result<Admitted, Refusal> {
    let mut warehouse = warehouse(subscriptions);
    default(&mut warehouse)?;
    validate(Operation::Create, &warehouse, None, Some(ProjectNamespace::Marked), policy)
}

fn git(settings: Value) -> Result<Admitted, Refusal> {
    check(json!([{"git": settings}]), CacheByTagPolicy::Allow)
}

fn image(settings: Value) -> Result<Admitted, Refusal> {
    check(json!([{"image": settings}]), CacheByTagPolicy::Allow)
}

fn chart(settings: Value) -> Result<Admitted, Refusal> {
    check(json!([{"chart": settings}]), CacheByTagPolicy::Allow)
}

#[test]
fn what_is_left_open_is_filled_in() {
    let mut defaulted = warehouse(
        json!([{"git": {"repoURL": "a"}}, {"image": {"repoURL": "b", "strictSemvers": false, "discoveryLimit": 5}}, {"chart": {"repoURL": "c"}}]),
    );
    defaulted.spec.shard = "eu".into();
    default(&mut defaulted).unwrap();
    assert_eq!(defaulted.metadata.labels.as_ref().unwrap()["kargo.akuity.io/shard"], "eu");
    assert_eq!(
        serde_json::to_value(&defaulted.spec.subscriptions).unwrap(),
        json!([
            {"git": {"repoURL": "a", "commitSelectionStrategy": "NewestFromBranch", "strictSemvers": true, "discoveryLimit": 20}},
            {"image": {"repoURL": "b", "imageSelectionStrategy": "SemVer", "strictSemvers": false, "discoveryLimit": 5}},
            {"chart": {"repoURL": "c", "discoveryLimit": 20}},
        ])
    );
}

#[test]
fn a_type_that_nobody_serves_is_refused() {
    let mut other = warehouse(json!([{"name": "x", "s3": {"config": {}}}]));
    let refusal = default(&mut other).unwrap_err();
    assert_eq!((refusal.code(), refusal.message.as_str()), (403, "no matching registration found"));
    let refused = validate(Operation::Create, &other, None, None, CacheByTagPolicy::Allow);
    assert!(message(refused).contains(
        "spec.subscriptions[0].s3: Invalid value: \"s3\": subscriber registry lookup failed"
    ));
    let unnamed = warehouse(json!([{"s3": {}}]));
    let refused = validate(Operation::Create, &unnamed, None, None, CacheByTagPolicy::Allow);
    assert!(message(refused).contains("spec.subscriptions[0].name: Required value: a name is required for subscriptions of this type"));
}

#[test]
fn git_addresses_follow_the_pattern() {
    for good in [
        "https://github.com/",
        "https://github.com/a/b.git",
        "ssh://git@host/a",
        "git@github.com:a/b",
        "https://u:p@h.example:8080/a?x=1",
    ] {
        assert!(git(json!({"repoURL": good})).is_ok(), "{good}");
    }
    for bad in ["https://github.com", "github.com:a/b", "ftp://x/y", "git@my-host.example:a"] {
        assert!(
            message(git(json!({"repoURL": bad}))).ends_with("must be a valid Git repository URL"),
            "{bad}"
        );
    }
    assert!(
        message(git(json!({})))
            .contains("repoURL: Invalid value: \"\": must have a minimum length of 1")
    );
}

#[test]
fn git_settings_are_checked() {
    let refused = |member: &str, value: Value| {
        let mut settings = json!({"repoURL": "https://github.com/a/b"});
        settings[member] = value;
        message(git(settings))
    };
    for bad in ["/a", "a/", "a.", ".a", "a b"] {
        assert!(refused("branch", json!(bad)).ends_with("must be a valid branch name"), "{bad}");
    }
    assert!(
        refused("branch", json!("a".repeat(256))).ends_with("must have a maximum length of 255")
    );
    for good in ["main", "foo//bar", "foo..bar", "a"] {
        assert!(
            git(json!({"repoURL": "https://github.com/a/b", "branch": good})).is_ok(),
            "{good}"
        );
    }
    assert_eq!(
        refused("commitSelectionStrategy", json!("Newest")),
        r#"spec.subscriptions[0].git.commitSelectionStrategy: Unsupported value: "Newest": supported values: "Lexical", "NewestFromBranch", "NewestTag", "SemVer""#
    );
    assert_eq!(
        refused("semverConstraint", json!("latest")),
        r#"spec.subscriptions[0].git.semverConstraint: Invalid value: "latest": "#
    );
    assert!(refused("discoveryLimit", json!(101)).ends_with("Invalid value: 101: must be <= 100"));
    assert!(refused("discoveryLimit", json!(-1)).ends_with("Invalid value: -1: must be >= 1"));
}

#[test]
fn image_settings_are_checked() {
    for good in ["busybox", "ghcr.io/a/b", "localhost:5000/a_b/c.d"] {
        assert!(image(json!({"repoURL": good})).is_ok(), "{good}");
    }
    for bad in ["https://ghcr.io/a", "a:tag", "a/", "a//b", "a@sha256:00"] {
        assert!(
            message(image(json!({"repoURL": bad})))
                .ends_with("must be a valid image repository URL"),
            "{bad}"
        );
    }
    let refused = |settings: Value| message(image(settings));
    assert!(
        refused(json!({"repoURL": "a", "imageSelectionStrategy": "Digest"}))
            .ends_with("must be set when imageSelectionStrategy is Digest")
    );
    assert!(
        refused(json!({"repoURL": "a", "constraint": "x.y.z!"}))
            .contains(".constraint: Invalid value")
    );
    assert!(
        image(
            json!({"repoURL": "a", "constraint": "no version", "imageSelectionStrategy": "Lexical"})
        )
        .is_ok()
    );
    assert!(
        refused(json!({"repoURL": "a", "imageSelectionStrategy": "Best"}))
            .contains("supported values: \"Digest\"")
    );
    assert!(
        refused(json!({"repoURL": "a", "platform": "linux"}))
            .ends_with("must be in format <os>/<arch>")
    );
    assert!(image(json!({"repoURL": "a", "platform": "linux/arm/v7"})).is_ok());
}

#[test]
fn caching_by_tag_is_demanded_where_it_is_required() {
    let verdict = |settings: Value| check(json!([{"image": settings}]), CacheByTagPolicy::Require);
    assert!(
        message(verdict(json!({"repoURL": "a"})))
            .contains("caching by tag is required by controller configuration")
    );
    assert!(verdict(json!({"repoURL": "a", "cacheByTag": true})).is_ok());
    assert!(
        verdict(
            json!({"repoURL": "a", "imageSelectionStrategy": "Digest", "constraint": "latest"})
        )
        .is_ok()
    );
    assert_eq!("Force".parse(), Ok(CacheByTagPolicy::Force));
    assert_eq!("maybe".parse::<CacheByTagPolicy>(), Err(()));
}

#[test]
fn chart_settings_are_checked() {
    assert!(chart(json!({"repoURL": "oci://ghcr.io/a/b"})).is_ok());
    assert!(chart(json!({"repoURL": "https://charts.example.com", "name": "x"})).is_ok());
    let refused = |settings: Value| message(chart(settings));
    assert!(
        refused(json!({"repoURL": "charts.example.com"}))
            .ends_with("must be a valid Helm repository URL")
    );
    assert!(
        refused(json!({"repoURL": "oci://ghcr.io/a/b", "name": "x"}))
            .ends_with("must be empty if repoURL starts with oci://")
    );
    assert!(
        refused(json!({"repoURL": "https://charts.example.com"}))
            .ends_with("must be non-empty if repoURL starts with http:// or https://")
    );
    assert!(
        refused(json!({"repoURL": "oci://ghcr.io/a/b", "semverConstraint": "=="}))
            .contains("semverConstraint")
    );
}

#[test]
fn a_repository_has_one_subscription() {
    let twice =
        |first: Value, second: Value| check(json!([first, second]), CacheByTagPolicy::Allow);
    assert_eq!(
        message(twice(
            json!({"git": {"repoURL": "https://github.com/a/b"}}),
            json!({"name": "x", "git": {"repoURL": "https://GitHub.com/a/b.git"}})
        )),
        r#"spec.subscriptions[1].git: Invalid value: "https://GitHub.com/a/b.git": subscription for Git repository already exists at "spec.subscriptions[0].git""#
    );
    assert!(
        message(twice(
            json!({"image": {"repoURL": "busybox"}}),
            json!({"image": {"repoURL": "docker.io/library/busybox"}})
        ))
        .contains("subscription for image repository already exists")
    );
    let classic =
        |name: &str| json!({"chart": {"repoURL": "https://charts.example.com", "name": name}});
    assert!(twice(classic("x"), classic("y")).is_ok());
    assert!(
        message(twice(classic("x"), classic("x")))
            .contains(r#"subscription for chart "x" already exists"#)
    );
    let oci = json!({"chart": {"repoURL": "oci://ghcr.io/a/b"}});
    assert!(message(twice(oci.clone(), oci)).contains("subscription for chart already exists"));
}

#[test]
fn names_are_labels_and_unique() {
    let named = |first: &str, second: &str| {
        check(
            json!([{"name": first, "image": {"repoURL": "a"}}, {"name": second, "image": {"repoURL": "b"}}]),
            CacheByTagPolicy::Allow,
        )
    };
    assert!(named("ui", "api").is_ok());
    assert!(message(named("ui", "ui")).contains(r#"spec.subscriptions[1].name: Invalid value: "ui": subscription name "ui" already used at "spec.subscriptions[0].name""#));
    for bad in ["a.b", "A", "-a", &"a".repeat(64)] {
        assert!(message(named("ui", bad)).contains("RFC 1123 label"), "{bad}");
    }
}

#[test]
fn what_did_not_change_is_not_checked_again() {
    let bad = warehouse(json!([{"git": {"repoURL": "x"}}]));
    let update = |new: &Warehouse, old: &Warehouse| {
        validate(Operation::Update, new, Some(old), None, CacheByTagPolicy::Allow)
    };
    assert!(update(&bad, &bad).is_ok());
    let other = warehouse(json!([]));
    assert!(update(&bad, &other).is_err());
    let mut ending = bad.clone();
    fixture::delete(&mut ending.metadata);
    assert!(update(&ending, &other).is_ok());
}

#[test]
fn what_discovery_will_fail_on_is_a_warning() {
    let warnings = git(json!({"repoURL": "https://github.com/a/b", "allowTags": "x", "allowTagsRegexes": ["("], "includePaths": ["glob:["], "expressionFilter": "bad("})).unwrap().warnings;
    assert_eq!(warnings.len(), 4, "{warnings:?}");
    assert!(
        warnings[3].starts_with("spec.subscriptions[0].git.expressionFilter: "),
        "{warnings:?}"
    );
    let mut with_criteria = warehouse(json!([{"image": {"repoURL": "a", "discoveryLimit": 1}}]));
    for (expression, count) in [(" ", 0), ("imageFrom('a').Tag == '1'", 0), ("imageFrom(", 1)] {
        with_criteria.spec.freight_creation_criteria =
            Some(FreightCreationCriteria { expression: expression.into() });
        let admitted =
            validate(Operation::Create, &with_criteria, None, None, CacheByTagPolicy::Allow);
        assert_eq!(admitted.unwrap().warnings.len(), count, "{expression}");
    }
    assert_eq!(
        image(json!({"repoURL": "a", "ignoreTags": ["x"], "ignoreTagsRegexes": ["["]}))
            .unwrap()
            .warnings
            .len(),
        2
    );
    let raw =
        json!({"spec": {"subscriptions": [{"image": {"repoURL": "a", "semverConstraint": "^1"}}]}});
    assert_eq!(
        warn_unknown_members(&raw),
        [r#"unknown field "spec.subscriptions[0].image.semverConstraint""#]
    );
}
