use api_kinds::{Warehouse, condition::Condition, warehouse::GitDiscoveryResult};
use core_clock::Time;
use serde_json::{Value, json};

use super::*;

const NOW: Time = Time::from_seconds(1_767_225_600);
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A Warehouse with one subscription of each kind; later members replace earlier ones.
fn warehouse(spec: Value, status: Value) -> Warehouse {
    let mut object = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse",
        "metadata": {"name": "my-warehouse", "namespace": "demo", "generation": 3, "annotations": {"kargo.akuity.io/refresh": "now"}},
        "spec": {"interval": "5m", "subscriptions": [
            {"git": {"repoURL": "https://github.com/example/kargo-demo.git"}},
            {"image": {"repoURL": "public.ecr.aws/nginx/nginx"}},
        ]},
        "status": status,
    });
    for (key, value) in spec.as_object().into_iter().flatten() {
        object["spec"][key] = value.clone();
    }
    serde_json::from_value(object).unwrap()
}

fn git(commits: Value) -> Finding {
    let result =
        json!({"repoURL": "https://github.com/example/kargo-demo.git", "commits": commits});
    Finding::Git(serde_json::from_value(result).unwrap())
}

fn image(references: Value) -> Finding {
    let result = json!({"repoURL": "public.ecr.aws/nginx/nginx", "references": references});
    Finding::Image(serde_json::from_value(result).unwrap())
}

fn found() -> Vec<Result<Finding, Failure>> {
    let digest = format!("sha256:{}", "ab".repeat(32));
    vec![
        Ok(git(json!([{"id": COMMIT, "subject": "bump", "creatorDate": "2026-01-01T00:00:00Z"}]))),
        Ok(image(json!([{"tag": "1.27.0", "digest": digest, "annotations": {"k": "v"}}]))),
    ]
}

fn lines(conditions: &[Condition]) -> Vec<String> {
    let line = |condition: &Condition| {
        assert_eq!(condition.observed_generation, 3);
        let Condition { r#type, status, reason, message, .. } = condition;
        format!("{type} {status:?} {reason}: {message}")
    };
    let mut lines: Vec<String> = conditions.iter().map(line).collect();
    lines.sort_unstable();
    lines
}

fn assess(warehouse: &Warehouse, findings: Vec<Result<Finding, Failure>>) -> Assessment<'_> {
    Pass::begin(warehouse).discovered(findings, NOW).unwrap().assess(NOW)
}

fn done(assessment: Assessment<'_>) -> End {
    let Assessment::Done(end) = assessment else { panic!("no Freight is to be created") };
    end
}

fn create(assessment: Assessment<'_>) -> Creation<'_> {
    let Assessment::Create(creation) = assessment else { panic!("Freight is to be created") };
    creation
}

fn after_freight() -> Value {
    json!({"conditions": [
        {"type": "FreightCreationCriteriaSatisfied", "status": "True", "reason": "CriteriaSatisfied", "message": "Freight creation criteria satisfied", "lastTransitionTime": "2025-01-01T00:00:00Z", "observedGeneration": 3},
        {"type": "FreightCreated", "status": "True", "reason": "NewFreight", "message": "", "lastTransitionTime": "2025-01-01T00:00:00Z", "observedGeneration": 3},
        {"type": "Ready", "status": "True", "reason": "ArtifactsDiscovered", "message": "Successfully discovered artifacts from 2 subscriptions", "lastTransitionTime": "2025-01-01T00:00:00Z", "observedGeneration": 3},
        {"type": "Healthy", "status": "True", "reason": "ReconciliationSucceeded", "message": "", "lastTransitionTime": "2025-01-01T00:00:00Z", "observedGeneration": 3},
    ]})
}

#[test]
fn a_search_that_somebody_waits_for_is_announced_in_full() {
    let warehouse = warehouse(json!({}), after_freight());
    let mut pass = Pass::begin(&warehouse);
    let status = pass.announce(Reason::Refresh, &[], NOW);
    assert_eq!(
        lines(&status.conditions),
        [
            "Healthy Unknown Pending: Health status cannot be determined until artifact discovery is finished",
            "Ready False DiscoveryInProgress: Waiting for discovery to complete",
            "Reconciling True ScheduledDiscovery: Discovering artifacts for 2 subscriptions",
        ]
    );
    let ready = status.conditions.iter().find(|condition| condition.r#type == "Ready").unwrap();
    assert_eq!(ready.last_transition_time, crate::wire_time::to_wire(NOW));
}

#[test]
fn a_routine_search_leaves_a_ready_warehouse_ready() {
    let warehouse = warehouse(json!({}), after_freight());
    let mut pass = Pass::begin(&warehouse);
    let lines = lines(&pass.announce(Reason::Interval, &[], NOW).conditions);
    assert_eq!(lines.len(), 5);
    assert!(lines.iter().any(|line| line.starts_with("Ready True")));
    assert!(lines.iter().any(|line| line.starts_with("Reconciling True ScheduledDiscovery")));
}

#[test]
fn a_failed_search_shows_what_the_others_found_and_stays_open() {
    let before = json!({
        "observedGeneration": 3, "lastHandledRefresh": "then", "lastFreightID": "f",
        "discoveredArtifacts": {
            "discoveredAt": "2025-01-01T00:00:00Z",
            "git": [{"repoURL": "https://github.com/example/kargo-demo.git", "commits": [{"id": "old"}]}],
            "images": [{"repoURL": "public.ecr.aws/nginx/nginx", "references": [{"tag": "1.0.0", "digest": "sha256:ab"}]}],
        },
        "conditions": after_freight()["conditions"].clone(),
    });
    let warehouse = warehouse(json!({}), before);
    let subscription = &warehouse.spec.subscriptions[1];
    let failure = Failure::new(subscription, FailedStep::Discovery, "registry is down");
    let findings = vec![Ok(git(json!([{"id": "new"}]))), Err(failure)];
    let end = Pass::begin(&warehouse).discovered(findings, NOW).unwrap_err();
    let error = "error discovering artifacts: error discovering newest applicable images \"public.ecr.aws/nginx/nginx\": registry is down";
    assert_eq!(end.error.as_deref(), Some(error));
    assert_eq!(
        lines(&end.status.conditions),
        [
            format!("Healthy False DiscoveryFailed: Unable to discover artifacts: {error}"),
            format!("Ready False DiscoveryFailure: Artifact discovery failed: {error}"),
            "Reconciling True ScheduledDiscovery: Discovering artifacts for 2 subscriptions".into(),
        ]
    );
    let shown = end.status.discovered_artifacts.unwrap();
    assert_eq!(
        shown.discovered_at,
        warehouse.status.discovered_artifacts.clone().unwrap().discovered_at
    );
    assert_eq!(
        (shown.git[0].commits[0].id.as_str(), shown.images[0].references[0].tag.as_str()),
        ("new", "1.0.0")
    );
    assert_eq!(end.status.last_handled_refresh, "then");
    assert_eq!((end.status.observed_generation, end.status.last_freight_id.as_str()), (3, "f"));
}

#[test]
fn a_first_search_that_fails_partly_counts_as_none() {
    let warehouse = warehouse(json!({}), json!({}));
    let failure = |index: usize| {
        Failure::new(&warehouse.spec.subscriptions[index], FailedStep::Credentials, "no")
    };
    let findings = vec![Err(failure(0)), found().remove(1)];
    let end = Pass::begin(&warehouse).discovered(findings, NOW).unwrap_err();
    let shown = end.status.discovered_artifacts.unwrap();
    assert_eq!((shown.git.len(), shown.images.len(), shown.discovered_at), (0, 1, None));
    let end = Pass::begin(&warehouse).discovered(vec![Err(failure(0)), Err(failure(1))], NOW);
    let end = end.unwrap_err();
    assert_eq!(end.status.discovered_artifacts, None);
    assert_eq!(end.error.unwrap().matches("error obtaining credentials").count(), 2);
}

#[test]
fn what_is_missing_is_said_and_is_no_error() {
    let chart = |name: &str| {
        let result = json!({"repoURL": "https://charts.example.com", "name": name});
        Ok(Finding::Chart(serde_json::from_value(result).unwrap()))
    };
    let other = Ok(Finding::Other(serde_json::from_value(json!({"name": "bucket"})).unwrap()));
    let [some_git, some_image] = <[_; 2]>::try_from(found()).unwrap();
    for (findings, ready, healthy, message) in [
        (vec![], "MissingArtifacts", "MissingArtifacts", "No artifacts discovered"),
        (
            vec![Ok(git(json!([]))), Ok(image(json!([])))],
            "MissingCommits",
            "NoCommitsDiscovered",
            r#"No commits discovered for Git repository "https://github.com/example/kargo-demo.git""#,
        ),
        (
            vec![some_git.clone(), Ok(image(json!([])))],
            "MissingImageReferences",
            "NoImageReferencesDiscovered",
            r#"No references discovered for image repository "public.ecr.aws/nginx/nginx""#,
        ),
        (
            vec![some_git.clone(), chart("my-chart")],
            "MissingChartVersions",
            "NoChartVersionsDiscovered",
            r#"No versions discovered for chart "my-chart" from repository "https://charts.example.com""#,
        ),
        (
            vec![chart(""), some_image],
            "MissingChartVersions",
            "NoChartVersionsDiscovered",
            r#"No versions discovered for chart from repository "https://charts.example.com""#,
        ),
        (
            vec![some_git, other],
            "MissingArtifacts",
            "MissingArtifacts",
            r#"No artifacts discovered for subscription "bucket""#,
        ),
    ] {
        let warehouse = warehouse(json!({}), after_freight());
        let end = done(assess(&warehouse, findings));
        assert_eq!(end.error, None);
        assert_eq!(end.status.observed_generation, 3);
        assert_eq!(
            lines(&end.status.conditions),
            [
                format!("Healthy False {healthy}: {message}"),
                format!("Ready False {ready}: {message}")
            ]
        );
    }
}

#[test]
fn freight_takes_the_best_of_everything_under_its_own_name() {
    let warehouse = warehouse(json!({}), json!({}));
    let creation = create(assess(&warehouse, found()));
    let freight = creation.freight();
    assert_eq!(freight.metadata.name.as_deref(), Some("767b59be1e66f31c2b0ebdeb15adfb3f89f5dd97"));
    assert_eq!(
        json!(freight),
        json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Freight",
            "metadata": {"name": "767b59be1e66f31c2b0ebdeb15adfb3f89f5dd97", "namespace": "demo"},
            "origin": {"kind": "Warehouse", "name": "my-warehouse"},
            "commits": [{"repoURL": "https://github.com/example/kargo-demo.git", "id": COMMIT, "message": "bump"}],
            "images": [{"repoURL": "public.ecr.aws/nginx/nginx", "tag": "1.27.0", "digest": format!("sha256:{}", "ab".repeat(32)), "annotations": {"k": "v"}}],
        })
    );
}

#[test]
fn charts_and_other_artifacts_go_into_freight_as_they_are() {
    let warehouse = warehouse(json!({}), json!({}));
    let found = json!({
        "charts": [{"repoURL": "https://charts.example.com", "name": "my-chart", "versions": ["1.2.3", "1.2.2"], "subscriptionName": "c"}],
        "results": [{"name": "bucket", "artifactReferences": [{"artifactType": "s3", "subscriptionName": "bucket", "version": "v7", "metadata": {"b": 1, "a": 2}}]}],
    });
    let freight = assemble(&warehouse, &serde_json::from_value(found).unwrap()).unwrap();
    assert_eq!(
        json!(freight.charts),
        json!([{"repoURL": "https://charts.example.com", "name": "my-chart", "version": "1.2.3", "subscriptionName": "c"}])
    );
    assert_eq!(
        json!(freight.artifacts),
        json!([{"artifactType": "s3", "subscriptionName": "bucket", "version": "v7", "metadata": {"b": 1, "a": 2}}])
    );
}

#[test]
fn new_and_known_freight_end_a_pass_well() {
    let warehouse = warehouse(json!({}), json!({}));
    let well = [
        "FreightCreationCriteriaSatisfied True CriteriaSatisfied: Freight creation criteria satisfied",
        "Healthy True ReconciliationSucceeded: ",
        "Ready True ArtifactsDiscovered: Successfully discovered artifacts from 2 subscriptions",
    ];
    let end = create(assess(&warehouse, found())).created(NOW);
    let new = "FreightCreated True NewFreight: No Freight composed of the newest artifacts already existed";
    assert_eq!(lines(&end.status.conditions), [&[new][..], &well].concat());
    assert_eq!(end.status.last_freight_id, "767b59be1e66f31c2b0ebdeb15adfb3f89f5dd97");
    assert_eq!(end.status.last_handled_refresh, "now");
    assert_eq!(
        end.status.discovered_artifacts.unwrap().discovered_at,
        Some(crate::wire_time::to_wire(NOW))
    );
    let end = create(assess(&warehouse, found())).already_exists(NOW);
    let known = "FreightCreated False AlreadyExists: Freight composed of the newest artifacts already exists";
    assert_eq!(lines(&end.status.conditions), [&[known][..], &well].concat());
    assert_eq!(end.status.last_freight_id, "767b59be1e66f31c2b0ebdeb15adfb3f89f5dd97");
}

#[test]
fn freight_that_cannot_be_created_is_tried_again() {
    let warehouse = warehouse(json!({}), after_freight());
    let end = create(assess(&warehouse, found())).failed("denied", NOW);
    let error = r#"Error creating Freight "767b59be1e66f31c2b0ebdeb15adfb3f89f5dd97" in namespace "demo": denied"#;
    assert_eq!(end.error.as_deref(), Some(error));
    assert_eq!(
        lines(&end.status.conditions),
        [
            "FreightCreationCriteriaSatisfied True CriteriaSatisfied: Freight creation criteria satisfied".to_owned(),
            format!("Healthy False FreightBuildFailure: {error}"),
            format!("Ready False FreightCreationFailure: {error}"),
            "Reconciling True FreightCreationInProgress: Creating Freight from latest artifacts".into(),
        ]
    );
}

#[test]
fn by_hand_means_no_freight_and_no_word_of_it() {
    let spec = json!({"freightCreationPolicy": "Manual", "freightCreationCriteria": {"expression": "bad("}});
    let warehouse = warehouse(spec, after_freight());
    let end = done(assess(&warehouse, found()));
    assert_eq!(
        lines(&end.status.conditions),
        [
            "Healthy True ReconciliationSucceeded: ",
            "Ready True ArtifactsDiscovered: Successfully discovered artifacts from 2 subscriptions",
        ]
    );
}

#[test]
fn criteria_decide_about_freight() {
    let with = |expression: &str| {
        warehouse(json!({"freightCreationCriteria": {"expression": expression}}), after_freight())
    };
    let unmet = with(" false ");
    let end = done(assess(&unmet, found()));
    assert_eq!(
        lines(&end.status.conditions),
        [
            "FreightCreationCriteriaSatisfied False CriteriaNotSatisfied: Freight creation criteria were not satisfied",
            "Healthy True ReconciliationSucceeded: ",
            "Ready True ArtifactsDiscovered: Successfully discovered artifacts from 2 subscriptions",
        ]
    );
    let newest = "imageFrom('public.ecr.aws/nginx/nginx').Tag == '1.27.0'";
    for expression in ["true", " ", "", newest] {
        create(assess(&with(expression), found()));
    }
    for expression in ["bad(", "'yes'"] {
        let failing = with(expression);
        let end = done(assess(&failing, found()));
        assert_eq!(end.error, None);
        let lines = lines(&end.status.conditions);
        assert_eq!(lines.len(), 2);
        let prefix =
            "False CriteriaEvaluationFailed: Evaluation of Freight creation criteria failed: ";
        assert!(lines[0].starts_with(&format!("Healthy {prefix}")), "{}", lines[0]);
        assert!(lines[1].starts_with(&format!("Ready {prefix}")), "{}", lines[1]);
    }
}

#[test]
fn without_a_search_what_is_known_of_freight_stays() {
    let mut status = after_freight();
    status["discoveredArtifacts"] = json!({"results": [{"name": "b", "artifactReferences": [{"subscriptionName": "b", "version": "1"}]}]});
    let spec =
        json!({"freightCreationCriteria": {"expression": "artifactFrom('b').Version == '2'"}});
    let warehouse = warehouse(spec, status);
    let end = done(Pass::begin(&warehouse).assess(NOW));
    let lines = lines(&end.status.conditions);
    assert!(lines[0].starts_with("FreightCreated True NewFreight"), "{}", lines[0]);
    assert!(lines[1].starts_with("FreightCreationCriteriaSatisfied False"), "{}", lines[1]);
    assert_eq!(end.status.last_handled_refresh, "");
}

#[test]
fn what_was_found_before_answers_only_the_same_question() {
    let status = |generation: i64| {
        json!({"observedGeneration": generation, "discoveredArtifacts": {"git": [
            {"repoURL": "https://github.com/example/kargo-demo.git", "commits": [{"id": "1"}]}]}})
    };
    for (generation, name, is_known) in [(3, "", true), (2, "", false), (3, "other", false)] {
        let warehouse = warehouse(json!({}), status(generation));
        let api_kinds::warehouse::Source::Git(git) = &warehouse.spec.subscriptions[0].source else {
            panic!("the first subscription is to a Git repository")
        };
        let pass = Pass::begin(&warehouse);
        let previous: Option<&GitDiscoveryResult> = pass.previous_git(git, name);
        assert_eq!(previous.is_some(), is_known, "{generation} {name}");
    }
}

#[test]
fn new_freight_is_told_with_all_it_consists_of() {
    let warehouse = warehouse(json!({}), json!({}));
    let creation = create(assess(&warehouse, found()));
    assert_eq!(component(""), "warehouse-controller");
    let event = freight_created(creation.freight(), &component("eu"));
    assert_eq!(event.message, "Freight created from discovered artifacts");
    assert_eq!((event.reason, event.kind), ("FreightCreated", "Freight"));
    assert_eq!(event.component, "warehouse-controller-eu");
    let payload = |suffix: &str| {
        event.annotations.get(&format!("event.kargo.akuity.io/{suffix}")).map(String::as_str)
    };
    assert_eq!(payload("actor"), Some("controller:warehouse-controller-eu"));
    assert_eq!(payload("project"), Some("demo"));
    assert_eq!(payload("stage-name"), Some(""));
    assert_eq!(payload("freight-warehouse-name"), Some("my-warehouse"));
    assert!(payload("freight-commits").is_some_and(|commits| commits.contains(COMMIT)));
    assert_eq!(payload("freight-charts"), None);
}
