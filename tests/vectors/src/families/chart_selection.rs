//! `chart-selection`: from the versions that a repository lists to the discovered ones.

use api_kinds::warehouse::ChartSubscription;
use core_rules::subscription::{ChartSelector, Verdicts};
use serde_json::json;

use crate::{Answer, Case};

const OK: usize = 200;

pub(super) fn run(case: &Case<'_>) -> Answer {
    let repo_url = match case.text("kind") {
        "http" => "https://charts.example.com",
        "oci" => "oci://registry.example.com/charts/app",
        _ => case.text("repoURL"),
    };
    let subscription = ChartSubscription {
        repo_url: repo_url.to_owned(),
        name: case.text("name").to_owned(),
        semver_constraint: case.text("constraint").to_owned(),
        discovery_limit: i32::try_from(case.count("discoveryLimit")).unwrap_or_default(),
        ..ChartSubscription::default()
    };
    let Ok(selector) = ChartSelector::new(&subscription) else {
        return Answer::Refused(Some("config"));
    };
    if case.text("kind") == "new" {
        return Answer::value("accepted");
    }
    if case.count("httpStatus") != OK {
        return Answer::Refused(Some("select"));
    }
    let is_listed = case.text("indexHas") == case.text("name");
    let listed = if is_listed { case.texts("versions") } else { Vec::new() };
    let (versions, _) = selector.select(listed.into_iter().map(str::to_owned), Verdicts::none());
    Answer::value(json!(versions))
}
