//! Freight matches the subscriptions of its Warehouse one to one.

use std::collections::BTreeMap;

use api_kinds::{Freight, Warehouse, warehouse::Source};
use core_pattern::{normalize_chart, normalize_git, normalize_image, slash_path};
use serde::Serialize;

use crate::admission::{field::FieldError, metadata::name};

/// What is wrong with the artifacts. Those of other kinds are not matched.
pub(super) fn check(freight: &Freight, warehouse: &Warehouse) -> Vec<FieldError> {
    let warehouse_name = name(&warehouse.metadata);
    let mut git = Matcher::new("commits", "Git repository", warehouse_name);
    let mut image = Matcher::new("images", "image repository", warehouse_name);
    let mut chart = Matcher::new("charts", "Helm chart", warehouse_name);
    for subscription in &warehouse.spec.subscriptions {
        match &subscription.source {
            Source::Git(git_source) => git.subscribe(normalize_git(&git_source.repo_url)),
            Source::Image(source) => image.subscribe(normalize_image(&source.repo_url)),
            Source::Chart(source) => chart.subscribe(chart_key(&source.repo_url, &source.name)),
            Source::Other(_) => {}
        }
    }
    for commit in &freight.commits {
        git.count(&normalize_git(&commit.repo_url), commit);
    }
    // Upstream compares image addresses as they are written, so that `docker.io/library/x` and `x`
    // do not meet although they are one repository.
    for item in &freight.images {
        image.count(&normalize_image(&item.repo_url), item);
    }
    for item in &freight.charts {
        chart.count(&chart_key(&item.repo_url, &item.name), item);
    }
    [git, image, chart].into_iter().flat_map(Matcher::errors).collect()
}

fn chart_key(repository: &str, chart: &str) -> String {
    slash_path::join(&[&normalize_chart(repository), chart])
}

/// Counts the artifacts of one kind by subscription.
struct Matcher<'a> {
    field: &'static str,
    what: &'static str,
    warehouse: &'a str,
    counts: BTreeMap<String, usize>,
    errors: Vec<FieldError>,
}

impl<'a> Matcher<'a> {
    fn new(field: &'static str, what: &'static str, warehouse: &'a str) -> Self {
        Self { field, what, warehouse, counts: BTreeMap::new(), errors: Vec::new() }
    }

    fn subscribe(&mut self, key: String) {
        self.counts.insert(key, 0);
    }

    fn count(&mut self, key: &str, artifact: &impl Serialize) {
        if let Some(count) = self.counts.get_mut(key) {
            *count += 1;
            return;
        }
        let detail =
            format!("no subscription found for {} in Warehouse {:?}", self.what, self.warehouse);
        let value = serde_json::to_value(artifact).unwrap_or_default();
        self.errors.push(FieldError::invalid(self.field, value, &detail));
    }

    fn errors(mut self) -> Vec<FieldError> {
        for (key, count) in &self.counts {
            let found = match count {
                0 => "no artifact",
                1 => continue,
                _ => "multiple artifacts",
            };
            let detail =
                format!("{found} found for subscription {key:?} of Warehouse {:?}", self.warehouse);
            self.errors.push(FieldError::invalid(self.field, key.as_str(), &detail));
        }
        self.errors
    }
}
