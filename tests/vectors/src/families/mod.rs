//! The list of families; one file each, or one for families of the same rules.

mod access;
mod actor;
mod annotation;
mod auto_promotion;
mod availability;
mod chart_selection;
mod file;
mod freight;
mod git_provider;
mod git_selection;
mod health;
mod image_selection;
mod inflate;
mod pattern;
mod promotion_name;
mod promotion_phase;
mod promotion_run;
mod receiver;
mod replica;
mod semver;
mod shorten;
mod stage;
mod step;
mod step_edit;
mod step_run;
mod subscription;
mod template;
mod template_function;
mod url;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answer::Answer;
use crate::case::Case;
use crate::exception::Exception;

/// A family that our rules are held to.
pub struct Family {
    /// The name of its file.
    pub name: &'static str,
    /// Answers one case.
    pub run: fn(&Case<'_>) -> Answer,
    /// Where ours is better on purpose.
    pub exceptions: &'static [Exception],
}

const fn family(
    name: &'static str,
    run: fn(&Case<'_>) -> Answer,
    exceptions: &'static [Exception],
) -> Family {
    Family { name, run, exceptions }
}

/// A member as an object of a kind, or a list of them. Nulls are left out, as the API server does
/// before it stores an object. `None` when the member is missing, null or no such object.
fn object<T: DeserializeOwned>(case: &Case<'_>, name: &str) -> Option<T> {
    let mut member = case.member(name).filter(|member| !member.is_null())?.clone();
    remove_nulls(&mut member);
    serde_json::from_value(member).ok()
}

/// A member as a list of objects of a kind; a missing or null one is empty.
fn objects<T: DeserializeOwned>(case: &Case<'_>, name: &str) -> Option<Vec<T>> {
    if case.member_or_null(name).is_null() { Some(Vec::new()) } else { object(case, name) }
}

fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

/// Every covered family: name, runner, exceptions.
pub static FAMILIES: &[Family] = &[
    family("actors", actor::run, &[]),
    family("authorized-stages", annotation::run_authorized_stages, &[]),
    family("auto-promotion", auto_promotion::run, &[auto_promotion::OVERTAKEN_INTENT]),
    family("auto-promotion-candidates", auto_promotion::run_candidates, &[]),
    family("auto-promotion-policy", auto_promotion::run_policy, &[]),
    family("chart-selection", chart_selection::run, &[]),
    family("freight-available", availability::run, &[]),
    family("freight-available-list", availability::run_list, &[availability::SOAK_ELSEWHERE]),
    family("freight-id", freight::run_id, &[]),
    family("freight-origin", freight::run_origin, &[]),
    family("freight-summary", stage::run_summary, &[]),
    family("git-provider-detect", git_provider::run_detect, &[git_provider::HOSTS_IN_ANY_CASE]),
    family(
        "git-provider-parse",
        git_provider::run_parse,
        &[
            git_provider::LETTER_CASE_KEPT,
            git_provider::ENCODED_LINKS,
            git_provider::OLDER_AZURE_ADDRESSES,
        ],
    ),
    family("git-ref-match", subscription::run_git_ref, &[]),
    family("git-selection", git_selection::run, &[]),
    family("health-aggregate", health::run_aggregate, &[]),
    family("health-merge", health::run_merge, &[]),
    family("image-platform", subscription::run_platform, &[]),
    family("image-selection", image_selection::run, &[image_selection::ANY_VARIANT]),
    family("inflate-steps", inflate::run, &[inflate::OWN_VARIABLES]),
    family("path-filters", pattern::run_path_filter, &[pattern::DOTS_INSIDE_A_NAME]),
    family("patterns", pattern::run, &[pattern::DOTS_INSIDE_A_NAME]),
    family("promotion-name", promotion_name::run, &[]),
    family("promotion-order", stage::run_order, &[]),
    family("promotion-phase", promotion_phase::run, &[]),
    family(
        "promotion-run",
        promotion_run::run,
        &[
            promotion_run::ERRORS_IN_A_ROW,
            promotion_run::UNREADY_STEPS_END,
            promotion_run::NO_STEPS,
        ],
    ),
    family(
        "rbac-annotations",
        access::run_annotations,
        &[access::BLANK_VALUES, access::SINGLE_VALUES, access::REPEATED_VALUES],
    ),
    family(
        "rbac-claims",
        access::run_claims,
        &[access::MAPPED_BY_SINGLE_VALUE, access::MAPPED_BY_NOTHING],
    ),
    family("receiver-path", receiver::run, &[]),
    family("replica-hash", replica::run, &[]),
    family("request-annotations", annotation::run_requests, &[]),
    family("semver-compare", semver::run_compare, &[]),
    family("semver-constraint-parse", semver::run_constraint, &[]),
    family("semver-match", semver::run_match, &[]),
    family("semver-parse", semver::run_parse, &[]),
    family("semver-sort", semver::run_sort, &[]),
    family("shorten", shorten::run, &[shorten::WHOLE_CHARACTERS]),
    family("step-alias", step::run_alias, &[]),
    family("step-compose-output", step_run::run, &[]),
    family("step-config", step_run::run_config, &[]),
    family("step-copy", step_run::run, &[file::COPY_ONTO_ITSELF]),
    family("step-delete", step_run::run, &[]),
    family("step-fail", step_run::run, &[]),
    family("step-file-write", step_run::run, &[]),
    family("step-json-parse", step_run::run, &[]),
    family(
        "step-json-update",
        step_run::run,
        &[step_edit::JSON_LAYOUT_KEPT, step_edit::BROKEN_JSON_REFUSED, step_edit::PLAIN_NUMBERS],
    ),
    family(
        "step-kustomize-set-image",
        step_run::run,
        &[step_edit::NOTHING_TO_SET, step_edit::ONLY_SET_IMAGES],
    ),
    family("step-status-severity", step::run_severity, &[]),
    family("step-toml-parse", step_run::run, &[]),
    family(
        "step-toml-update",
        step_run::run,
        &[step_edit::TOML_TYPES_KEPT, step_edit::TABLES_IN_TABLES],
    ),
    family(
        "step-yaml-merge",
        step_run::run,
        &[step_edit::MERGED_AS_WRITTEN, step_edit::LISTS_REPLACED],
    ),
    family("step-yaml-parse", step_run::run, &[]),
    family(
        "step-yaml-update",
        step_run::run,
        &[
            step_edit::SCALARS_ONLY,
            step_edit::PLAIN_NUMBERS,
            step_edit::SCALAR_LAYOUT_KEPT,
            step_edit::SAYS_WHAT_WAS_ASKED,
        ],
    ),
    family("tag-filters", pattern::run_tag_filter, &[]),
    family("template-expr", template::run, &[template::NOT_A_NUMBER]),
    family(
        "template-functions",
        template_function::run,
        &[
            template_function::NULL_NOTES,
            template_function::OTHER_SPELLINGS,
            template_function::MISSING_CHARTS,
            template_function::VERSIONS_IN_CRITERIA,
        ],
    ),
    family("template-json", template::run_document, &[template::NOT_A_NUMBER]),
    family(
        "template-string",
        template::run,
        &[template::EMPTY_EXPRESSIONS, template::NOT_A_NUMBER],
    ),
    family("urls", url::run, &[]),
];
