use std::collections::BTreeSet;

use api_kinds::{Freight, Stage};
use core_clock::Time;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Parameters, Query, available_to, of_origins};
use crate::fault::Fault;
use crate::gate::PassingStages;

fn freight(name: &str, day: u32, rest: Value) -> Freight {
    let mut freight = json!({
        "metadata": {"name": name, "namespace": "demo", "creationTimestamp": "2026-01-31T00:00:00Z"},
        "discoveredAt": format!("2026-01-{day:02}T00:00:00Z"),
        "origin": {"kind": "Warehouse", "name": "w"},
    });
    freight.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    serde_json::from_value(freight).unwrap()
}

fn image(name: &str, day: u32, tag: &str) -> Freight {
    freight(name, day, json!({"images": [{"repoURL": "img", "tag": tag}]}))
}

fn query(group_by: &str, group: &str, order_by: &str, reverse: bool) -> Query {
    Query::parse(&Parameters { group, group_by, order_by, reverse }).unwrap()
}

fn arranged(query: &Query, freight: &[Freight]) -> Vec<(String, Vec<String>)> {
    let names = |pieces: Vec<&Freight>| {
        pieces.iter().map(|piece| piece.metadata.name.clone().unwrap()).collect()
    };
    query.arrange(freight).into_iter().map(|(key, pieces)| (key, names(pieces))).collect()
}

fn only_group(query: &Query, freight: &[Freight]) -> Vec<String> {
    let mut groups = arranged(query, freight);
    assert_eq!(groups.len(), 1);
    groups.remove(0).1
}

#[test]
fn queries_that_make_no_sense_are_refused() {
    let refusal = |group, group_by, order_by| {
        let parameters = Parameters { group, group_by, order_by, reverse: false };
        let error = Query::parse(&parameters).unwrap_err();
        assert_eq!(error.class().code(), 400);
        error.to_string()
    };
    let tags = "tag ordering only valid when grouping by: image_repo, chart_repo";
    for (group, group_by, order_by, message) in [
        ("x", "", "", "cannot filter by group without group by"),
        ("", "repo", "", "invalid group by: repo"),
        ("", "", "tag", tags),
        ("", "git_repo", "tag", tags),
        ("", "git_repo", "semver", tags),
        ("", "", "name", "invalid order by: name"),
    ] {
        assert_eq!(refusal(group, group_by, order_by), message);
    }
}

#[test]
fn without_grouping_there_is_one_group_even_when_nothing_is_in_it() {
    let query = query("", "", "", false);
    assert_eq!(arranged(&query, &[]), [(String::new(), vec![])]);
    let pieces = [image("b", 2, "1"), image("a", 3, "1"), image("c", 1, "1")];
    assert_eq!(only_group(&query, &pieces), ["c", "b", "a"]);
}

#[test]
fn age_is_that_of_discovery_else_of_creation() {
    let mut undiscovered = image("a", 1, "1");
    undiscovered.discovered_at = None;
    let pieces = [undiscovered, image("b", 30, "1")];
    assert_eq!(only_group(&query("", "", "first_seen", false), &pieces), ["b", "a"]);
    assert_eq!(only_group(&query("", "", "", true), &pieces), ["a", "b"]);
}

#[test]
fn a_piece_stands_in_a_group_once_for_each_artifact() {
    let images = json!({"images": [{"repoURL": "x"}, {"repoURL": "y"}, {"repoURL": "x"}]});
    let pieces = [freight("a", 1, images)];
    let by_image = arranged(&query("image_repo", "", "", false), &pieces);
    assert_eq!(
        by_image,
        [("x".to_owned(), vec!["a".into(), "a".into()]), ("y".to_owned(), vec!["a".into()])]
    );
    assert_eq!(arranged(&query("image_repo", "y", "", false), &pieces).len(), 1);
    assert!(arranged(&query("git_repo", "", "", false), &pieces).is_empty());
}

#[test]
fn a_chart_keeps_both_slashes_and_is_found_under_the_old_name_too() {
    let chart = |repository: &str, name: &str| {
        freight("a", 1, json!({"charts": [{"repoURL": repository, "name": name}]}))
    };
    let key = |piece: Freight, group: &str| {
        let groups = arranged(&query("chart_repo", group, "", false), &[piece]);
        groups.into_iter().map(|(key, _)| key).collect::<Vec<_>>()
    };
    assert_eq!(key(chart("https://x/charts/", "c"), ""), ["https://x/charts/c"]);
    assert_eq!(key(chart("oci://x/c", ""), ""), ["oci://x/c"]);
    assert_eq!(key(chart("https://x", "c"), "https://x/c"), ["https://x/c"]);
    assert_eq!(key(chart("https://x", "c"), "https:/x/c"), ["https:/x/c"]);
    assert!(key(chart("https://x", "c"), "https://x").is_empty());
}

#[test]
fn tags_compare_as_versions_and_the_rest_as_text_before_them() {
    let pieces = [
        image("a", 1, "v1.10.0"),
        image("b", 2, "1.9"),
        image("c", 3, "latest"),
        image("d", 4, "edge"),
        image("e", 5, "1.10.0"),
    ];
    assert_eq!(
        only_group(&query("image_repo", "", "tag", false), &pieces),
        ["d", "c", "b", "e", "a"]
    );
    assert_eq!(
        only_group(&query("image_repo", "", "semver", false), &pieces),
        ["c", "d", "b", "e", "a"]
    );
}

#[test]
fn the_artifact_of_the_group_counts_not_the_first() {
    let two = |name: &str, first: &str, second: &str| {
        let images = json!([{"repoURL": "x", "tag": first}, {"repoURL": "y", "tag": second}]);
        freight(name, 1, json!({ "images": images }))
    };
    let pieces = [two("a", "1.0.0", "2.0.0"), two("b", "2.0.0", "1.0.0")];
    assert_eq!(only_group(&query("image_repo", "x", "tag", false), &pieces), ["a", "b"]);
    assert_eq!(only_group(&query("image_repo", "y", "tag", false), &pieces), ["b", "a"]);
}

#[test]
fn a_stage_is_shown_what_is_available_to_it() {
    let stage: Stage = serde_json::from_value(json!({
        "metadata": {"name": "prod", "namespace": "demo"},
        "spec": {"requestedFreight": [
            {"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"stages": ["test"]}},
        ]},
    }))
    .unwrap();
    let verified = |name: &str| freight(name, 1, json!({"status": {"verifiedIn": {"test": {}}}}));
    let approved = freight("b", 1, json!({"status": {"approvedFor": {"prod": {}}}}));
    let pieces = [verified("c"), image("a", 1, "1"), approved, verified("c")];
    let select = |warehouses: &[&str]| {
        let warehouses: BTreeSet<String> = warehouses.iter().map(ToString::to_string).collect();
        available_to(&stage, &pieces, &warehouses, &PassingStages::new(), Time::default())
            .map(|pieces| pieces.iter().map(|p| p.metadata.name.clone().unwrap()).collect())
    };
    assert_eq!(select(&["w"]), Ok(vec!["b".to_owned(), "c".to_owned()]));
    let error = select(&["v"]).unwrap_err();
    assert_eq!(error.to_string(), r#"Warehouse "w" not found in namespace "demo""#);
    assert_eq!(error.class().code(), 409);
}

#[test]
fn origins_select_by_the_name_of_the_warehouse() {
    let pieces = [image("a", 1, "1"), freight("b", 1, json!({"origin": {"name": "v"}}))];
    assert_eq!(of_origins(&pieces, &["v".to_owned()]).len(), 1);
    assert_eq!(of_origins(&pieces, &[]).len(), 2);
}

proptest! {
    #[test]
    fn the_order_does_not_depend_on_how_freight_came_in(
        tags in prop::collection::vec("[v]?[0-3](\\.[0-3]){0,2}|[a-c]", 1..8),
        order in prop::sample::select(vec!["tag", "semver", "first_seen"]),
        turn in 0_usize..8,
    ) {
        let pieces: Vec<Freight> = tags
            .iter()
            .enumerate()
            .map(|(index, tag)| image(&format!("f{index}"), 1 + (u32::try_from(index).unwrap() * 7) % 3, tag))
            .collect();
        let mut turned = pieces.clone();
        turned.rotate_left(turn % pieces.len());
        turned.reverse();
        let query = query("image_repo", "", order, false);
        prop_assert_eq!(only_group(&query, &pieces), only_group(&query, &turned));
    }
}
