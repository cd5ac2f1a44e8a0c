use core_rules::{
    subscription::{ChartSelector, Verdicts},
    warehouse::FailedStep,
};
use futures::{FutureExt, future::BoxFuture};
use work_discovery::Outcome;

use super::*;

/// Every chart repository has these versions; there is nothing else in the world.
struct Charts;

impl Searcher for Charts {
    fn search<'a>(&'a self, search: Search<'a>) -> BoxFuture<'a, Result<Outcome, Failure>> {
        async move {
            let api_kinds::warehouse::Source::Chart(chart) = &search.subscription.source else {
                let (step, cause) = (FailedStep::Discovery, "connection refused");
                return Err(Failure::new(search.subscription, step, cause));
            };
            let selector = ChartSelector::new(chart).unwrap();
            let listed = ["1.0.0", "2.1.0", "latest", "2.0.0", "1.1.0"].map(str::to_owned);
            let (versions, verdicts) = selector.select(listed, Verdicts::up_to(search.explained));
            let finding = Finding::Chart(selector.result(&search.subscription.name, versions));
            Ok(Outcome { finding, verdicts })
        }
        .boxed()
    }
}

fn run(subscriptions: &str, rest: &str) -> Report {
    let text = format!(
        "apiVersion: kargo.akuity.io/v1alpha1\nkind: Warehouse\nmetadata: {{name: web, namespace: demo}}\n\
         spec:\n  subscriptions: {subscriptions}\n{rest}"
    );
    let manifest = Manifest::parse(&text).unwrap();
    let request = Request {
        explained: 4,
        cache_by_tag: rules::CacheByTagPolicy::Allow,
        now: "2026-01-01T00:00:00Z".parse().unwrap(),
    };
    discover(&manifest, &Charts, request, &Searches::default()).now_or_never().unwrap()
}

#[test]
fn candidates_without_a_reason_are_counted() {
    let report = run(&CHART.replace("^2", "^9"), "");
    let subscription = &report.warehouses[0].subscriptions[0];
    assert_eq!((subscription.rejected.len(), subscription.not_shown), (4, 1));
}

const CHART: &str =
    "[{name: api, chart: {repoURL: https://charts.example.com, name: api, semverConstraint: ^2}}]";

#[test]
fn a_person_reads_what_was_taken_and_why_the_rest_was_not() {
    let report = run(CHART, "");
    assert!(!report.has_failures());
    insta::assert_snapshot!(report, @r#"
    Warehouse demo/web

      chart https://charts.example.com (api)
        selected, best first:
          2.1.0
          2.0.0
        passed over:
          1.0.0   constraint ^2 not satisfied
          latest  not a version
          1.1.0   constraint ^2 not satisfied

      Freight 3b5b059b528da8c4e904390eed95e56976887343
          chart  https://charts.example.com api  2.1.0
    "#);
}

#[test]
fn a_program_reads_the_fields_of_the_kinds() {
    insta::assert_json_snapshot!(run(CHART, ""), @r#"
    {
      "warehouses": [
        {
          "project": "demo",
          "name": "web",
          "subscriptions": [
            {
              "type": "chart",
              "repository": "https://charts.example.com",
              "name": "api",
              "selected": [
                {
                  "version": "2.1.0"
                },
                {
                  "version": "2.0.0"
                }
              ],
              "rejected": [
                {
                  "candidate": "1.0.0",
                  "reason": "constraint ^2 not satisfied"
                },
                {
                  "candidate": "latest",
                  "reason": "not a version"
                },
                {
                  "candidate": "1.1.0",
                  "reason": "constraint ^2 not satisfied"
                }
              ]
            }
          ],
          "freight": {
            "apiVersion": "kargo.akuity.io/v1alpha1",
            "kind": "Freight",
            "metadata": {
              "name": "3b5b059b528da8c4e904390eed95e56976887343",
              "namespace": "demo"
            },
            "charts": [
              {
                "name": "api",
                "repoURL": "https://charts.example.com",
                "subscriptionName": "api",
                "version": "2.1.0"
              }
            ],
            "origin": {
              "kind": "Warehouse",
              "name": "web"
            }
          }
        }
      ]
    }
    "#);
}

#[test]
fn one_repository_that_fails_hides_no_other() {
    let git = "{git: {repoURL: 'https://me:secret@git.example.com/a'}}";
    let report = run(&CHART.replace('[', &format!("[{git}, ")), "");
    assert!(report.has_failures());
    insta::assert_snapshot!(report, @r#"
    Warehouse demo/web

      git https://git.example.com/a
        failed: error discovering commits from git repo "https://git.example.com/a": connection refused

      chart https://charts.example.com (api)
        selected, best first:
          2.1.0
          2.0.0
        passed over:
          1.0.0   constraint ^2 not satisfied
          latest  not a version
          1.1.0   constraint ^2 not satisfied

      no Freight: not everything could be searched
    "#);
}

#[test]
fn a_warehouse_that_admission_refuses_is_not_searched() {
    let report = run("[{chart: {repoURL: 'ftp://nowhere', name: a}}]", "");
    assert!(report.has_failures());
    insta::assert_snapshot!(report, @r#"
    Warehouse demo/web

      refused: Warehouse.kargo.akuity.io "web" is invalid: spec.subscriptions[0].chart.repoURL: Invalid value: "ftp://nowhere": must be a valid Helm repository URL
    "#);
}

#[test]
fn no_freight_has_a_reason() {
    let reason = |subscriptions: &str, rest: &str| match run(subscriptions, rest)
        .warehouses
        .remove(0)
        .freight
    {
        FreightReport::NoFreight(reason) => reason,
        other => panic!("{other:?}"),
    };
    let nothing = reason(&CHART.replace("^2", "^9"), "");
    let by_hand = reason(CHART, "  freightCreationPolicy: Manual\n");
    let unmet = reason(CHART, "  freightCreationCriteria: {expression: 'false'}\n");
    let broken = reason(CHART, "  freightCreationCriteria: {expression: '1 +'}\n");
    insta::assert_snapshot!([nothing, by_hand, unmet, broken].join("\n"), @r#"
    No versions discovered for chart "api" from repository "https://charts.example.com"
    freightCreationPolicy leaves it to people
    Freight creation criteria were not satisfied
    Evaluation of Freight creation criteria failed: unexpected token end of expression
    "#);
}
