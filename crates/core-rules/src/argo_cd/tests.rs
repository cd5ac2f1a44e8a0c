use serde_json::{Value, json};

use super::{
    Application, Decision, HelmParameter, Initiator, KustomizeImage, Phase, Readiness,
    SourceUpdate, WaitFor, authorize, decide, desired_revisions, readiness, sync_message,
    sync_patch, update_sources,
};

fn application(parts: Value) -> Application {
    let mut object =
        json!({"metadata": {"name": "app", "namespace": "argocd", "resourceVersion": "7"}});
    for (name, value) in parts.as_object().unwrap() {
        if name == "annotations" {
            object["metadata"]["annotations"] = value.clone();
        } else {
            object[name] = value.clone();
        }
    }
    Application::read(object).unwrap()
}

fn operation_state(promotion: &str, phase: &str, rest: Value) -> Application {
    let info = json!([{"name": "kargo.akuity.io/promotion", "value": promotion}]);
    let info = if promotion.is_empty() { json!([]) } else { info };
    let mut state = json!({"operation": {"info": info}, "phase": phase});
    for (name, value) in rest.as_object().unwrap() {
        state[name] = value.clone();
    }
    application(json!({"status": {"operationState": state}}))
}

#[test]
fn every_row_of_the_operation_table_decides() {
    let at = |revision: &str| json!({"syncResult": {"revision": revision}});
    let rows = [
        (application(json!({})), Decision::Sync),
        (application(json!({"operation": {"sync": {}}})), Decision::Wait),
        (operation_state("", "Running", json!({})), Decision::Wait),
        (operation_state("", "Succeeded", at("abc")), Decision::Sync),
        (operation_state("other", "Terminating", json!({})), Decision::Wait),
        (operation_state("other", "Failed", at("abc")), Decision::Sync),
        (operation_state("promo", "Running", json!({})), Decision::Wait),
        (operation_state("promo", "Succeeded", json!({})), Decision::Sync),
        (operation_state("promo", "Succeeded", at("old")), Decision::Sync),
        (operation_state("promo", "Succeeded", at("abc")), Decision::Ended(Phase::Succeeded)),
        (operation_state("promo", "Error", at("abc")), Decision::Ended(Phase::Error)),
    ];
    for (application, expected) in rows {
        let decision = decide(&application, "promo", &["abc".to_owned()], None);
        assert_eq!(decision, expected, "{:?}", application.status.operation_state);
    }
}

#[test]
fn a_reported_failure_is_asked_for_again_and_only_that_one() {
    let rest = json!({"syncResult": {"revision": "abc"}, "finishedAt": "2026-01-01T00:00:00Z"});
    let failed = operation_state("promo", "Failed", rest);
    let decide = |reported| decide(&failed, "promo", &[], reported);
    assert_eq!(decide(None), Decision::Ended(Phase::Failed));
    assert_eq!(decide(Some("2025-01-01T00:00:00Z")), Decision::Ended(Phase::Failed));
    assert_eq!(decide(Some("2026-01-01T00:00:00Z")), Decision::Sync);
}

#[test]
fn a_missing_revision_of_one_of_several_sources_means_another_sync() {
    let rest = json!({"syncResult": {"revisions": ["abc"]}});
    let state = operation_state("promo", "Succeeded", rest);
    let desired = [String::new(), "def".to_owned()];
    assert_eq!(decide(&state, "promo", &desired, None), Decision::Sync);
}

#[test]
fn only_a_named_stage_may_change_an_application() {
    let check = |annotation: Option<&str>| {
        let annotations = annotation
            .map_or(json!({}), |value| json!({"kargo.akuity.io/authorized-stage": value}));
        authorize(&application(json!({"annotations": annotations})), "demo", "prod")
            .map_err(|refusal| refusal.to_string())
    };
    assert_eq!(check(Some("demo:qa, demo:prod")), Ok(()));
    assert!(
        check(None)
            .unwrap_err()
            .contains("annotate it with kargo.akuity.io/authorized-stage: demo:prod")
    );
    assert!(check(Some("demo:qa")).unwrap_err().contains("names others"));
    assert!(check(Some("demo:prod,*:*")).unwrap_err().contains("is invalid"));
}

fn git_source() -> Application {
    application(json!({"spec": {"source": {
        "repoURL": "https://git.example/Repo.git", "path": "x", "targetRevision": "main",
        "helm": {"parameters": [{"name": "a", "value": "1", "forceString": true}], "valueFiles": ["v"]},
    }}}))
}

#[test]
fn an_update_changes_what_it_names_and_keeps_the_rest() {
    let update = SourceUpdate {
        repo_url: "https://git.example/repo".to_owned(),
        desired_revision: "abc".to_owned(),
        writes_target_revision: true,
        kustomize_images: vec![
            KustomizeImage {
                repo_url: "nginx".into(),
                tag: "1".into(),
                ..KustomizeImage::default()
            },
            KustomizeImage {
                repo_url: "a".into(),
                new_name: "b".into(),
                digest: "sha256:0".into(),
                ..KustomizeImage::default()
            },
        ],
        helm_parameters: vec![
            HelmParameter { name: "a".into(), value: String::new() },
            HelmParameter { name: "b".into(), value: "2".into() },
        ],
        ..SourceUpdate::default()
    };
    let application = git_source();
    assert_eq!(desired_revisions(&application, std::slice::from_ref(&update)), ["abc"]);
    let patch = update_sources(&application, &[update]).unwrap();
    assert_eq!(
        patch,
        Some(json!({"source": {
            "repoURL": "https://git.example/Repo.git", "path": "x", "targetRevision": "abc",
            "kustomize": {"images": ["nginx:1", "a=b@sha256:0"]},
            "helm": {
                "parameters": [{"name": "a", "value": "", "forceString": true}, {"name": "b", "value": "2"}],
                "valueFiles": ["v"],
            },
        }}))
    );
}

#[test]
fn an_update_must_fit_a_source() {
    let chart = SourceUpdate {
        repo_url: "https://git.example/repo".into(),
        chart: "web".into(),
        ..SourceUpdate::default()
    };
    let refusal = update_sources(&git_source(), &[chart]).unwrap_err().to_string();
    assert_eq!(
        refusal,
        r#"Application "argocd/app" has no source with repoURL "https://git.example/repo" and chart "web""#
    );
    let same =
        SourceUpdate { repo_url: "https://git.example/repo".into(), ..SourceUpdate::default() };
    assert_eq!(update_sources(&git_source(), &[same]), Ok(None));
}

#[test]
fn the_sync_is_one_patch_with_everything_in_it() {
    let application = application(json!({
        "spec": {"sources": [{"repoURL": "a"}, {"repoURL": "b"}],
                 "syncPolicy": {"syncOptions": ["Prune=true"], "retry": {"limit": 3}}},
        "status": {"operationState": {"phase": "Succeeded"}},
    }));
    let patch = sync_patch(&application, None, "promo", Initiator::of("jane@example.com"));
    assert_eq!(
        patch,
        json!({
            "metadata": {"annotations": {"argocd.argoproj.io/refresh": "hard"}, "resourceVersion": "7"},
            "operation": {
                "initiatedBy": {"username": "jane@example.com", "automated": false},
                "info": [
                    {"name": "Reason", "value": "Promotion triggered a sync of this Application resource."},
                    {"name": "kargo.akuity.io/promotion", "value": "promo"},
                ],
                "sync": {"syncOptions": ["Prune=true"]},
                "retry": {"limit": 3},
            },
            "status": {"operationState": null},
        })
    );
    assert_eq!(sync_message(&application), "kargo-controller initiated sync to 2 sources");
    let automatic = sync_patch(&git_source(), None, "promo", Initiator::of(""));
    assert_eq!(
        automatic["operation"]["initiatedBy"],
        json!({"username": "kargo-controller", "automated": true})
    );
    assert_eq!(automatic.get("status"), None);
    assert_eq!(sync_message(&git_source()), "kargo-controller initiated sync to main");
}

#[test]
fn an_application_is_waited_for_until_all_that_is_asked_holds() {
    use Readiness::{Never, NotYet, Ready, Stale};
    use WaitFor::{Degraded, Health, Operation, Suspended, Sync};
    let all: &[WaitFor] = &[Health, Sync, Operation];
    let healthy = json!({"health": {"status": "Healthy"}, "sync": {"status": "Synced"}});
    let with = |name: &str, value: Value| {
        let mut status = healthy.clone();
        status[name] = value;
        application(json!({"status": status}))
    };
    let finished = |at: &str| {
        let mut status = healthy.clone();
        status["operationState"] = json!({"finishedAt": "2026-01-01T00:00:01Z"});
        status["reconciledAt"] = json!(at);
        application(json!({"status": status}))
    };
    let not_yet = |text: &str| NotYet(text.to_owned());
    let rows = [
        (with("x", json!(1)), all, "", Ready),
        (finished("2026-01-01T00:00:01Z"), all, "", Ready),
        (finished("2026-01-01T00:00:00Z"), all, "", Stale),
        (finished("2026-01-01T00:00:00Z"), &[Sync][..], "", Ready),
        (
            with("operationState", json!({})),
            all,
            "",
            not_yet(r#"an operation on Application "argocd/app" is under way"#),
        ),
        (
            with("sync", json!({"status": "OutOfSync"})),
            all,
            "",
            not_yet(r#"Application "argocd/app" is not synced"#),
        ),
        (
            with("health", json!({})),
            all,
            "",
            not_yet(r#"health of Application "argocd/app" is not known"#),
        ),
        (
            with("health", json!({"status": "Degraded"})),
            all,
            "",
            not_yet(r#"health of Application "argocd/app" is Degraded"#),
        ),
        (
            with("health", json!({"status": "Degraded"})),
            all,
            "Unknown",
            not_yet(r#"health of Application "argocd/app" is Degraded"#),
        ),
        (
            with("health", json!({"status": "Degraded"})),
            all,
            "Progressing",
            Never(r#"health of Application "argocd/app" went from Progressing to Degraded"#.into()),
        ),
        (
            with("health", json!({"status": "Degraded"})),
            &[Suspended, Degraded][..],
            "Healthy",
            Ready,
        ),
        (
            with("conditions", json!([{"type": "ComparisonError", "message": "no"}])),
            all,
            "",
            Never(r#"Application "argocd/app" has ComparisonError: no"#.into()),
        ),
        (with("conditions", json!([{"type": "SyncError", "message": "no"}])), all, "", Ready),
    ];
    for (application, wait_for, former, expected) in rows {
        assert_eq!(readiness(&application, wait_for, former), expected, "{:?}", application.status);
    }
}
