//! One test per covered family, so that a wrong case fails the build.

use crate::{FAMILIES, Folder, run};

/// Runs the family of this name; passes without the folder unless it is required.
fn check(name: &str) {
    let Some(folder) = Folder::find() else {
        println!("skipped: ../shared not found");
        assert!(!Folder::is_required(), "the vectors are required here");
        return;
    };
    let family = FAMILIES.iter().find(|family| family.name == name).expect("a covered family");
    match folder.load(name).expect("a readable file") {
        Some(file) => {
            let report = run(family, &file);
            println!("{report}");
            assert!(report.is_success(), "{report}");
        }
        None => println!("{name}: no file"),
    }
}

macro_rules! one_test_per_family {
    ($($test:ident: $name:literal,)+) => {
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )+

        #[test]
        fn every_covered_family_has_a_test() {
            let covered: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
            assert_eq!([$($name),+], covered.as_slice());
        }
    };
}

one_test_per_family! {
    actors: "actors",
    authorized_stages: "authorized-stages",
    auto_promotion: "auto-promotion",
    auto_promotion_candidates: "auto-promotion-candidates",
    auto_promotion_policy: "auto-promotion-policy",
    chart_selection: "chart-selection",
    freight_available: "freight-available",
    freight_available_list: "freight-available-list",
    freight_id: "freight-id",
    freight_origin: "freight-origin",
    freight_summary: "freight-summary",
    git_provider_detect: "git-provider-detect",
    git_provider_parse: "git-provider-parse",
    git_ref_match: "git-ref-match",
    git_selection: "git-selection",
    health_aggregate: "health-aggregate",
    health_merge: "health-merge",
    image_platform: "image-platform",
    image_selection: "image-selection",
    inflate_steps: "inflate-steps",
    path_filters: "path-filters",
    patterns: "patterns",
    promotion_name: "promotion-name",
    promotion_order: "promotion-order",
    promotion_phase: "promotion-phase",
    promotion_run: "promotion-run",
    rbac_annotations: "rbac-annotations",
    rbac_claims: "rbac-claims",
    receiver_path: "receiver-path",
    replica_hash: "replica-hash",
    request_annotations: "request-annotations",
    semver_compare: "semver-compare",
    semver_constraint_parse: "semver-constraint-parse",
    semver_match: "semver-match",
    semver_parse: "semver-parse",
    semver_sort: "semver-sort",
    shorten: "shorten",
    step_alias: "step-alias",
    step_compose_output: "step-compose-output",
    step_config: "step-config",
    step_copy: "step-copy",
    step_delete: "step-delete",
    step_fail: "step-fail",
    step_file_write: "step-file-write",
    step_json_parse: "step-json-parse",
    step_json_update: "step-json-update",
    step_kustomize_set_image: "step-kustomize-set-image",
    step_status_severity: "step-status-severity",
    step_toml_parse: "step-toml-parse",
    step_toml_update: "step-toml-update",
    step_yaml_merge: "step-yaml-merge",
    step_yaml_parse: "step-yaml-parse",
    step_yaml_update: "step-yaml-update",
    tag_filters: "tag-filters",
    template_expr: "template-expr",
    template_functions: "template-functions",
    template_json: "template-json",
    template_string: "template-string",
    urls: "urls",
}
