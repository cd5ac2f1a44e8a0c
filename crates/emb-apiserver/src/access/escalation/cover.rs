//! Which parts of some rules others do not cover.

use std::collections::BTreeMap;

use emb_auth::Rule;

/// Rules that fall into more parts than this are taken as a whole.
const MAX_PARTS: usize = 20_000;

/// The parts of `granted` that `held` does not cover, those on the same resource together.
pub(super) fn missing(held: &[Rule], granted: &[Rule]) -> Vec<Rule> {
    let is_held = |part: &Rule| held.iter().any(|rule| covers(rule, part));
    let mut missing: BTreeMap<[Vec<String>; 4], Vec<String>> = BTreeMap::new();
    for part in granted.iter().filter(|rule| !is_held(rule)).flat_map(parts) {
        if is_held(&part) {
            continue;
        }
        let key = [part.api_groups, part.resources, part.resource_names, part.non_resource_urls];
        let verbs = missing.entry(key).or_default();
        for verb in part.verbs {
            if !verbs.contains(&verb) {
                verbs.push(verb);
            }
        }
    }
    missing.into_iter().map(|(target, verbs)| rule(target, verbs)).collect()
}

fn rule(target: [Vec<String>; 4], verbs: Vec<String>) -> Rule {
    let [api_groups, resources, resource_names, non_resource_urls] = target;
    Rule { verbs, api_groups, resources, resource_names, non_resource_urls }
}

/// A rule taken apart: one verb on one resource, object or path each.
fn parts(rule: &Rule) -> Vec<Rule> {
    let lists = [&rule.verbs, &rule.api_groups, &rule.resources, &rule.resource_names];
    let count = lists.iter().fold(1, |all: usize, list| all.saturating_mul(list.len().max(1)));
    if count > MAX_PARTS {
        return vec![rule.clone()];
    }
    let one = |text: &String| vec![text.clone()];
    let names: Vec<Vec<String>> = match rule.resource_names.as_slice() {
        [] => vec![Vec::new()],
        names => names.iter().map(one).collect(),
    };
    let mut parts = Vec::new();
    for verb in &rule.verbs {
        for group in &rule.api_groups {
            for resource in &rule.resources {
                parts.extend(names.iter().map(|names| Rule {
                    verbs: one(verb),
                    api_groups: one(group),
                    resources: one(resource),
                    resource_names: names.clone(),
                    ..Rule::default()
                }));
            }
        }
        parts.extend(rule.non_resource_urls.iter().map(|url| Rule {
            verbs: one(verb),
            non_resource_urls: one(url),
            ..Rule::default()
        }));
    }
    parts
}

/// Whether a rule covers all of another.
fn covers(rule: &Rule, part: &Rule) -> bool {
    let has = |list: &[String], wanted: &[String]| {
        wanted.iter().all(|wanted| list.iter().any(|entry| entry == "*" || entry == wanted))
    };
    let resource = |wanted: &String| {
        let of_any = wanted.split_once('/').map(|(_, sub)| format!("*/{sub}"));
        rule.resources.iter().any(|entry| {
            entry == "*" || entry == wanted || Some(entry.as_str()) == of_any.as_deref()
        })
    };
    let url = |wanted: &String| {
        rule.non_resource_urls.iter().any(|entry| match entry.strip_suffix('*') {
            Some(prefix) => wanted.starts_with(prefix),
            None => entry == wanted,
        })
    };
    let named = rule.resource_names.is_empty()
        || (!part.resource_names.is_empty()
            && part.resource_names.iter().all(|name| rule.resource_names.contains(name)));
    has(&rule.verbs, &part.verbs)
        && has(&rule.api_groups, &part.api_groups)
        && part.resources.iter().all(resource)
        && named
        && part.non_resource_urls.iter().all(url)
}

/// Rules as refusals show them, one a line and sorted.
pub(super) fn shown(rules: &[Rule]) -> String {
    let mut lines: Vec<String> = rules.iter().map(shown_rule).collect();
    lines.sort_unstable();
    lines.join("\n")
}

fn shown_rule(rule: &Rule) -> String {
    let members = [
        ("APIGroups", &rule.api_groups),
        ("Resources", &rule.resources),
        ("NonResourceURLs", &rule.non_resource_urls),
        ("ResourceNames", &rule.resource_names),
        ("Verbs", &rule.verbs),
    ];
    let parts: Vec<String> = members
        .into_iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(name, list)| format!("{name}:[{}]", quoted(list)))
        .collect();
    format!("{{{}}}", parts.join(", "))
}

/// Texts in quotes, with spaces between.
pub(super) fn quoted(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn rules(value: Value) -> Vec<Rule> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn only_what_is_not_held_is_missing_and_stands_together() {
        let held =
            rules(json!([{"verbs": ["get"], "apiGroups": [""], "resources": ["configmaps"]}]));
        let granted = rules(json!([
            {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["configmaps", "secrets"]},
        ]));
        assert_eq!(
            shown(&missing(&held, &granted)),
            "{APIGroups:[\"\"], Resources:[\"configmaps\"], Verbs:[\"list\"]}\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" \"list\"]}"
        );
    }

    #[test]
    fn stars_names_and_prefixes_cover_what_lies_below() {
        let held = rules(json!([
            {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*/status"]},
            {"verbs": ["get"], "apiGroups": ["g"], "resources": ["as"], "resourceNames": ["x"]},
            {"verbs": ["get"], "nonResourceURLs": ["/api/*"]},
        ]));
        let covered = rules(json!([
            {"verbs": ["patch"], "apiGroups": ["g"], "resources": ["as/status"]},
            {"verbs": ["get"], "apiGroups": ["g"], "resources": ["as"], "resourceNames": ["x"]},
            {"verbs": ["get"], "nonResourceURLs": ["/api/v1"]},
        ]));
        assert!(missing(&held, &covered).is_empty());
        let more = rules(json!([
            {"verbs": ["get"], "apiGroups": ["g"], "resources": ["as"]},
            {"verbs": ["get"], "apiGroups": ["g"], "resources": ["*"]},
            {"verbs": ["get"], "nonResourceURLs": ["*"]},
        ]));
        assert_eq!(missing(&held, &more).len(), 3);
    }
}
