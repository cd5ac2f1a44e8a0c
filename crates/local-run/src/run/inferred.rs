//! The Warehouse of a file that has none: it watches whatever the Freight holds.
//!
//! Expressions such as `imageFrom` ask Warehouses for the origin of an artifact. Who only writes Freight down need not
//! repeat it.

use api_kinds::{
    Freight, Warehouse,
    warehouse::{
        ChartSubscription, GitSubscription, ImageSubscription, RepoSubscription, Source,
        Subscription, WarehouseSpec,
    },
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// The Warehouse of this name as its Freight shows it; `None` when there is no Freight of it.
pub(super) fn warehouse(name: &str, freight: &[Freight]) -> Option<Warehouse> {
    let mut pieces = freight.iter().filter(|freight| freight.origin.name == name).peekable();
    pieces.peek()?;
    let mut subscriptions: Vec<RepoSubscription> = Vec::new();
    for subscription in pieces.flat_map(subscriptions_of) {
        if !subscriptions.contains(&subscription) {
            subscriptions.push(subscription);
        }
    }
    Some(Warehouse {
        metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
        spec: WarehouseSpec { subscriptions, ..WarehouseSpec::default() },
        ..Warehouse::default()
    })
}

fn subscriptions_of(freight: &Freight) -> Vec<RepoSubscription> {
    let commits = freight.commits.iter().map(|commit| {
        let repo_url = commit.repo_url.clone();
        let source = Source::Git(GitSubscription { repo_url, ..GitSubscription::default() });
        RepoSubscription { name: commit.subscription_name.clone(), source }
    });
    let images = freight.images.iter().map(|image| {
        let repo_url = image.repo_url.clone();
        let source = Source::Image(ImageSubscription { repo_url, ..ImageSubscription::default() });
        RepoSubscription { name: image.subscription_name.clone(), source }
    });
    let charts = freight.charts.iter().map(|chart| {
        let (repo_url, name) = (chart.repo_url.clone(), chart.name.clone());
        let source =
            Source::Chart(ChartSubscription { repo_url, name, ..ChartSubscription::default() });
        RepoSubscription { name: chart.subscription_name.clone(), source }
    });
    let others = freight.artifacts.iter().map(|artifact| {
        let subscription_type = artifact.artifact_type.clone();
        let source = Source::Other(Subscription { subscription_type, ..Subscription::default() });
        RepoSubscription { name: artifact.subscription_name.clone(), source }
    });
    commits.chain(images).chain(charts).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_warehouse_watches_what_its_freight_holds() {
        let freight: Vec<Freight> = serde_json::from_value(json!([
            {"origin": {"kind": "Warehouse", "name": "w"},
             "images": [{"repoURL": "r/i", "tag": "1"}], "commits": [{"repoURL": "https://g"}]},
            {"origin": {"kind": "Warehouse", "name": "w"},
             "images": [{"repoURL": "r/i", "tag": "2"}], "charts": [{"repoURL": "https://c", "name": "n"}]},
            {"origin": {"kind": "Warehouse", "name": "other"}, "images": [{"repoURL": "r/j"}]},
        ]))
        .unwrap();
        let found = warehouse("w", &freight).unwrap();
        let kinds: Vec<&str> =
            found.spec.subscriptions.iter().map(|each| each.source.type_name()).collect();
        assert_eq!(kinds, ["git", "image", "chart"]);
        assert_eq!(warehouse("none", &freight), None);
    }
}
