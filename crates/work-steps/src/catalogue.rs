//! Every kind of step, in one array.

use std::sync::{LazyLock, OnceLock};

use crate::{
    schema::{BadSchema, ConfigSchema},
    step::AnyStep,
    steps,
};

/// The built-in steps, by name.
pub const STEPS: &[&dyn AnyStep] = &[
    &steps::argocd_update::ArgocdUpdate,
    &steps::argocd_wait::ArgocdWait,
    &steps::compose_output::ComposeOutput,
    &steps::copy::Copy,
    &steps::delete::Delete,
    &steps::fail::Fail,
    &steps::file_write::FileWrite,
    &steps::get_user_input::GetUserInput,
    &steps::git_clear::GitClear,
    &steps::git_clone::GitClone,
    &steps::git_commit::GitCommit,
    &steps::git_merge_pr::GitMergePr,
    &steps::git_open_pr::GitOpenPr,
    &steps::git_push::GitPush,
    &steps::git_tag::GitTag,
    &steps::git_wait_for_pr::GitWaitForPr,
    &steps::github_push::GithubPush,
    &steps::helm_template::HelmTemplate,
    &steps::helm_update_chart::HelmUpdateChart,
    &steps::http::Http,
    &steps::http_download::HttpDownload,
    &steps::json_parse::JsonParse,
    &steps::json_update::JsonUpdate,
    &steps::kustomize_build::KustomizeBuild,
    &steps::kustomize_set_image::KustomizeSetImage,
    &steps::oci_download::OciDownload,
    &steps::oci_push::OciPush,
    &steps::set_freight_alias::SetFreightAlias,
    &steps::set_metadata::SetMetadata,
    &steps::tar::Tar,
    &steps::toml_parse::TomlParse,
    &steps::toml_update::TomlUpdate,
    &steps::untar::Untar,
    &steps::wait_for_approval::WaitForApproval,
    &steps::yaml_merge::YamlMerge,
    &steps::yaml_parse::YamlParse,
    &steps::yaml_update::YamlUpdate,
];

/// The step of this kind.
pub fn step(kind: &str) -> Option<&'static dyn AnyStep> {
    position(kind).and_then(|position| STEPS.get(position)).copied()
}

/// What configurations of this kind must look like; compiled when it is first asked for.
pub fn schema(kind: &str) -> Option<Result<&'static ConfigSchema, &'static BadSchema>> {
    static SCHEMAS: LazyLock<Vec<OnceLock<Result<ConfigSchema, BadSchema>>>> =
        LazyLock::new(|| STEPS.iter().map(|_| OnceLock::new()).collect());
    let position = position(kind)?;
    let (step, schema) = (STEPS.get(position)?, SCHEMAS.get(position)?);
    Some(schema.get_or_init(|| ConfigSchema::of(*step)).as_ref())
}

fn position(kind: &str) -> Option<usize> {
    STEPS.binary_search_by(|step| step.kind().cmp(kind)).ok()
}

#[cfg(test)]
mod tests {
    use super::{step as find, *};

    #[test]
    fn kinds_stand_in_order_and_once() {
        let kinds: Vec<&str> = STEPS.iter().map(|step| step.kind()).collect();
        assert!(kinds.is_sorted_by(|one, next| one < next), "{kinds:?}");
    }

    #[test]
    fn what_changes_something_outside_is_known() {
        let loud = STEPS.iter().filter(|step| !step.is_quiet()).map(|step| step.kind());
        assert_eq!(
            loud.collect::<Vec<_>>(),
            [
                "argocd-update",
                "argocd-wait",
                "git-clone",
                "git-merge-pr",
                "git-open-pr",
                "git-push",
                "git-wait-for-pr",
                "github-push",
                "http",
                "oci-push",
                "set-freight-alias",
                "set-metadata",
            ]
        );
    }

    #[test]
    fn every_kind_is_found_and_has_a_schema_that_compiles() {
        for step in STEPS {
            let kind = step.kind();
            assert_eq!(find(kind).map(AnyStep::kind), Some(kind));
            assert!(schema(kind).is_some_and(|schema| schema.is_ok()), "{kind}");
        }
        assert!(find("nope").is_none() && schema("nope").is_none());
    }
}
