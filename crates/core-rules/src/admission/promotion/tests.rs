use std::collections::BTreeMap;

use api_kinds::promotion_task::PromotionTaskSpec;
use api_kinds::{Freight, ProjectConfig, Promotion, PromotionRequest, Stage};
use core_clock::Time;
use serde_json::{Value, json};

use super::*;
use crate::admission::fixture::{API, EXTERNAL, delete, identities, message, object, user};
use crate::admission::{Admitted, ProjectNamespace, User};
use crate::gate::PassingStages;
use crate::promotion::Task;
use crate::ulid::Ulid;

const NOW: Time = Time::from_seconds(1_800_000_000);

/// Everything around a Promotion to Stage `prod` of Project `demo`.
struct Scene {
    stage: Option<Stage>,
    freight: Vec<Freight>,
    config: Option<ProjectConfig>,
    tasks: BTreeMap<Task, PromotionTaskSpec>,
}

impl Scene {
    fn new() -> Self {
        Self {
            stage: Some(stage(json!({}))),
            freight: vec![freight("old", 1), freight("new", 2)],
            config: None,
            tasks: BTreeMap::new(),
        }
    }

    fn promoting_by_itself() -> Self {
        let policies = json!({"spec": {"promotionPolicies": [{"stage": "prod", "autoPromotionEnabled": true}]}});
        Self { config: Some(object("demo", policies)), ..Self::new() }
    }

    fn default(
        &self,
        new: Promotion,
        old: Option<&Promotion>,
        who: &str,
    ) -> Result<Promotion, Refusal> {
        self.default_by(&user(who), new, old)
    }

    fn default_by(
        &self,
        user: &User,
        mut new: Promotion,
        old: Option<&Promotion>,
    ) -> Result<Promotion, Refusal> {
        let world = DefaultWorld {
            stage: self.stage.as_ref(),
            id: Ulid::from_parts(1, 2),
            freight: &self.freight,
            config: self.config.as_ref(),
            tasks: &self.tasks,
            passing_stages: &PassingStages::new(),
            now: NOW,
        };
        default(&mut new, old, &identities().caller(user), &world)?;
        Ok(new)
    }

    fn create(
        &self,
        new: &Promotion,
        who: &str,
        permission: Permission,
        request: Option<&PromotionRequest>,
    ) -> Result<Admitted, Refusal> {
        let user = user(who);
        let freight =
            self.freight.iter().find(|f| f.metadata.name.as_deref() == Some(&new.spec.freight));
        let world = CreateWorld {
            home: ProjectNamespace::Marked,
            permission,
            stage: self.stage.as_ref(),
            freight,
            request,
            passing_stages: &PassingStages::new(),
            argocd_namespace: "argocd",
            now: NOW,
        };
        validate_create(new, &identities().caller(&user), &world)
    }
}

fn stage(mut spec: Value) -> Stage {
    if spec.get("requestedFreight").is_none() {
        spec["requestedFreight"] =
            json!([{"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"direct": true}}]);
    }
    if spec.get("promotionTemplate").is_none() {
        spec["promotionTemplate"] =
            json!({"spec": {"vars": [{"name": "b", "value": "2"}], "steps": [{"uses": "copy"}]}});
    }
    spec["vars"] = json!([{"name": "a", "value": "1"}]);
    object("prod", json!({"metadata": {"uid": "stage-uid"}, "spec": spec}))
}

fn freight(name: &str, second: u8) -> Freight {
    let found = format!("2026-01-02T03:04:0{second}Z");
    object(name, json!({"origin": {"kind": "Warehouse", "name": "w"}, "discoveredAt": found}))
}

fn promotion(spec: Value) -> Promotion {
    with_annotations(spec, json!({}))
}

fn with_annotations(spec: Value, annotations: Value) -> Promotion {
    object("sent", json!({"metadata": {"annotations": annotations}, "spec": spec}))
}

fn to(freight: &str) -> Value {
    json!({"stage": "prod", "freight": freight})
}

fn notes(promotion: &Promotion) -> Vec<String> {
    let notes = promotion.metadata.annotations.iter().flatten();
    notes
        .map(|(key, value)| format!("{}={value}", key.trim_start_matches("kargo.akuity.io/")))
        .collect()
}

#[test]
fn everything_comes_from_the_stage() {
    let mut sent = promotion(
        json!({"stage": "prod", "freight": "new", "vars": [{"name": "evil", "value": "1"}], "steps": [{"uses": "evil"}]}),
    );
    sent.metadata.owner_references =
        Some(vec![OwnerReference { kind: "Evil".into(), ..OwnerReference::default() }]);
    let made = Scene::new().default(sent, None, "alice").unwrap();
    assert_eq!(made.metadata.name.as_deref(), Some("prod.00000000010000000000000002.new"));
    let vars: Vec<_> = made.spec.vars.iter().map(|var| var.name.as_str()).collect();
    assert_eq!(vars, ["a", "b"]);
    assert_eq!(
        (made.spec.steps[0].uses.as_str(), made.spec.steps[0].r#as.as_str()),
        ("copy", "step-1")
    );
    let owners = made.metadata.owner_references.as_ref().unwrap();
    assert_eq!(
        (owners.len(), owners[0].uid.as_str(), owners[0].controller),
        (1, "stage-uid", Some(true))
    );
    assert_eq!(made.metadata.labels.as_ref().unwrap()["kargo.akuity.io/stage"], "prod");
    assert_eq!(notes(&made), ["create-actor=kubernetes:alice", "stage=prod"]);
}

#[test]
fn without_a_stage_or_steps_there_is_no_promotion() {
    let gone = Scene { stage: None, ..Scene::new() };
    assert_eq!(
        message(gone.default(promotion(to("new")), None, "alice")),
        r#"spec.stage: Invalid value: "prod": could not find Stage "prod" in namespace "demo""#
    );
    let mut ending = promotion(to("new"));
    delete(&mut ending.metadata);
    assert!(gone.default(ending.clone(), Some(&ending), "alice").is_ok());
    let idle =
        Scene { stage: Some(stage(json!({"promotionTemplate": {"spec": {}}}))), ..Scene::new() };
    assert_eq!(
        message(idle.default(promotion(to("new")), None, "alice")),
        r#"spec.stage: Invalid value: "prod": Stage "prod" in namespace "demo" defines no promotion steps"#
    );
}

#[test]
fn an_origin_stands_for_its_newest_freight() {
    let by_origin =
        || promotion(json!({"stage": "prod", "origin": {"kind": "Warehouse", "name": "w"}}));
    let made = Scene::new().default(by_origin(), None, "alice").unwrap();
    assert_eq!((made.spec.freight.as_str(), made.spec.origin), ("new", None));
    let empty = Scene { freight: Vec::new(), ..Scene::new() };
    assert_eq!(
        message(empty.default(by_origin(), None, "alice")),
        r#"spec.origin: Invalid value: "Warehouse/w": no auto-promotion candidate found for origin "Warehouse/w" on Stage "prod""#
    );
}

#[test]
fn tasks_that_cannot_be_resolved_say_why() {
    let template = json!({"promotionTemplate": {"spec": {"steps": [{"task": {"name": "t"}}]}}});
    let mut scene = Scene { stage: Some(stage(template)), ..Scene::new() };
    let missing = scene.default(promotion(to("new")), None, "alice").unwrap_err();
    assert_eq!(missing.code(), 404);
    assert_eq!(
        missing.message,
        r#"failed to inflate Promotion steps: inflate task steps for task "t" ("task-1"): promotiontasks.kargo.akuity.io "t" not found"#
    );
    let needy = json!({"vars": [{"name": "x"}], "steps": [{"uses": "copy"}]});
    scene.tasks.insert(Task::Project("t".into()), serde_json::from_value(needy).unwrap());
    let needy = scene.default(promotion(to("new")), None, "alice").unwrap_err();
    assert_eq!(needy.code(), 500);
    assert!(needy.message.ends_with(r#"missing value for variable "x""#));
}

#[test]
fn only_the_control_plane_says_who_created_it() {
    let forged = || {
        with_annotations(
            to("new"),
            json!({"kargo.akuity.io/create-actor": "email:x", "kargo.akuity.io/rollback": "true", "kargo.akuity.io/abort": "terminate"}),
        )
    };
    let by_user = Scene::new().default(forged(), None, "alice").unwrap();
    assert_eq!(
        notes(&by_user),
        [
            r#"abort={"action":"terminate","actor":"kubernetes:alice"}"#,
            "create-actor=kubernetes:alice",
            "stage=prod"
        ]
    );
    let by_api = Scene::new().default(forged(), None, API).unwrap();
    assert_eq!(
        notes(&by_api),
        [
            r#"abort={"action":"terminate","controlPlane":true}"#,
            "create-actor=email:x",
            "rollback=true",
            "stage=prod"
        ]
    );
}

#[test]
fn what_was_said_at_creation_stays() {
    let old = with_annotations(
        to("new"),
        json!({"kargo.akuity.io/create-actor": "email:x", "kargo.akuity.io/auto-promotion-hold": "Warehouse/w"}),
    );
    let changed = || {
        with_annotations(
            to("new"),
            json!({"kargo.akuity.io/create-actor": "email:y", "kargo.akuity.io/auto-promotion-resume": "Warehouse/w", "kargo.akuity.io/rollback": "true"}),
        )
    };
    let kept = ["auto-promotion-hold=Warehouse/w", "create-actor=email:x", "stage=prod"];
    assert_eq!(notes(&Scene::new().default(changed(), Some(&old), "alice").unwrap()), kept);
    assert_eq!(notes(&Scene::new().default(changed(), Some(&old), API).unwrap()).len(), 4);
}

#[test]
fn what_people_answered_is_written_by_the_control_plane_alone() {
    const RESPONSES: &str = "kargo.akuity.io/responses";
    let scene = Scene::new();
    let with = |responses: &str| with_annotations(to("new"), json!({RESPONSES: responses}));
    let kept = |made: Result<Promotion, Refusal>| {
        made.unwrap().metadata.annotations.unwrap_or_default().remove(RESPONSES)
    };
    let administrator = User { groups: vec!["system:masters".to_owned()], ..user("root") };
    assert_eq!(kept(scene.default(with("forged"), None, "alice")), None);
    assert_eq!(kept(scene.default_by(&administrator, with("restored"), None)).unwrap(), "restored");
    let old = with("given");
    assert_eq!(kept(scene.default(with("forged"), Some(&old), "alice")).unwrap(), "given");
    assert_eq!(kept(scene.default(promotion(to("new")), Some(&old), "alice")).unwrap(), "given");
    let unanswered = promotion(to("new"));
    assert_eq!(kept(scene.default(with("forged"), Some(&unanswered), EXTERNAL)), None);
    assert_eq!(kept(scene.default(with("more"), Some(&old), API)).unwrap(), "more");
    assert_eq!(kept(scene.default_by(&administrator, with("more"), Some(&old))).unwrap(), "more");
}

#[test]
fn what_a_person_promotes_holds_or_resumes() {
    let intent = |scene: &Scene, freight: &str, annotations: Value, who: &str| {
        let made = scene.default(with_annotations(to(freight), annotations), None, who).unwrap();
        notes(&made).into_iter().filter(|note| note.starts_with("auto-")).collect::<Vec<_>>()
    };
    let hold = ["auto-promotion-hold=Warehouse/w"];
    let resume = ["auto-promotion-resume=Warehouse/w"];
    let scene = Scene::promoting_by_itself();
    assert_eq!(intent(&scene, "old", json!({}), "alice"), hold);
    assert_eq!(intent(&scene, "new", json!({}), "alice"), resume);
    let claimed = json!({"kargo.akuity.io/auto-promotion-hold": "Warehouse/w"});
    assert_eq!(intent(&scene, "new", claimed.clone(), "alice"), resume);
    assert!(intent(&Scene::new(), "old", claimed.clone(), "alice").is_empty());
    assert!(intent(&scene, "unknown", claimed.clone(), "alice").is_empty());
    let mut by_user = claimed.clone();
    by_user["kargo.akuity.io/create-actor"] = json!("email:x");
    assert_eq!(intent(&scene, "new", by_user, API), resume);
    let mut by_controller = claimed.clone();
    by_controller["kargo.akuity.io/create-actor"] = json!("controller:stage-controller");
    assert_eq!(intent(&scene, "new", by_controller, API), hold);
    assert_eq!(intent(&scene, "new", claimed, API), hold);
}

#[test]
fn freight_is_looked_at_only_where_it_decides() {
    let looks = |scene: &Scene, spec: Value, who: &str| {
        let user = user(who);
        looks_at_freight(
            &promotion(spec),
            scene.stage.as_ref().unwrap(),
            scene.config.as_ref(),
            &identities().caller(&user),
        )
    };
    let by_origin = json!({"stage": "prod", "origin": {"kind": "Warehouse", "name": "w"}});
    assert!(looks(&Scene::new(), by_origin, API));
    assert!(!looks(&Scene::new(), to("new"), "alice"));
    assert!(looks(&Scene::promoting_by_itself(), to("new"), "alice"));
    assert!(!looks(&Scene::promoting_by_itself(), to("new"), API));
}

#[test]
fn only_those_who_may_promote_write_promotions() {
    let made = promotion(to("new"));
    let scene = Scene::new();
    let table = [
        ("alice", Permission::Granted, None),
        (
            "alice",
            Permission::Denied,
            Some(r#"subject "alice" is not permitted to create Promotions for Stage "prod""#),
        ),
        (
            "alice",
            Permission::Unknown,
            Some("error creating SubjectAccessReview; refusing to create Promotion"),
        ),
        (API, Permission::Denied, Some("is not permitted to create Promotions")),
        (EXTERNAL, Permission::Denied, None),
    ];
    for (who, permission, refusal) in table {
        match (scene.create(&made, who, permission, None), refusal) {
            (Ok(_), None) => {}
            (Err(refused), Some(text)) => {
                assert_eq!(refused.code(), 403);
                assert!(refused.message.contains(text), "{refused}");
            }
            (verdict, _) => panic!("{who} {permission:?}: {verdict:?}"),
        }
    }
    let alice = user("alice");
    let caller = identities().caller(&alice);
    let world = UpdateWorld { permission: Permission::Denied, request: None };
    assert_eq!(validate_update(&made, &made, &caller, &world).unwrap_err().code(), 403);
    let refused = validate_delete(&made, &caller, Permission::Denied).unwrap_err();
    assert!(refused.message.contains("is not permitted to delete Promotions"));
}

#[test]
fn a_creation_is_told_unless_the_control_plane_does_it() {
    let made = promotion(to("new"));
    let admitted = Scene::new().create(&made, "alice", Permission::Granted, None).unwrap();
    assert_eq!(
        admitted.events[0].message,
        r#"Promotion created for Stage "prod" by "kubernetes:alice""#
    );
    assert!(Scene::new().create(&made, API, Permission::Granted, None).unwrap().events.is_empty());
}

#[test]
fn the_gate_must_be_open() {
    let scene = Scene::new();
    let refused = |freight: &str, scene: &Scene| {
        message(scene.create(&promotion(to(freight)), "alice", Permission::Granted, None))
    };
    assert_eq!(
        refused("unknown", &scene),
        r#"spec.freight: Invalid value: "unknown": Freight is not available to this Stage"#
    );
    let through =
        json!([{"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"stages": ["test"]}}]);
    let closed = Scene { stage: Some(stage(json!({"requestedFreight": through}))), ..Scene::new() };
    let text = refused("new", &closed);
    assert!(
        text.starts_with(
            r#"spec.freight: Invalid value: "new": Freight is not available to this Stage: "#
        ),
        "{text}"
    );
    let neither = message(scene.create(
        &promotion(json!({"stage": "prod"})),
        "alice",
        Permission::Granted,
        None,
    ));
    assert!(neither.ends_with("exactly one of spec.freight or spec.origin must be set"));
}

#[test]
fn a_target_needs_the_request_that_named_it() {
    let request: PromotionRequest = object(
        "r",
        json!({"metadata": {"uid": "u"}, "spec": {"stage": "prod", "freight": "new", "targets": [{"name": "eu"}]}}),
    );
    let owner = OwnerReference {
        api_version: API_VERSION.into(),
        kind: "PromotionRequest".into(),
        name: "r".into(),
        uid: "u".into(),
        controller: Some(true),
        ..OwnerReference::default()
    };
    let child = |target: &str| {
        let mut child = promotion(json!({"stage": "prod", "freight": "new", "target": target}));
        child.metadata.owner_references = Some(vec![owner.clone()]);
        child
    };
    let scene = Scene { stage: Some(stage(json!({"targets": {"selectors": []}}))), ..Scene::new() };
    let create = |new: &Promotion, request| scene.create(new, API, Permission::Granted, request);
    assert!(create(&child("eu"), Some(&request)).is_ok());
    assert!(
        message(create(&child("us"), Some(&request))).contains("does not ask for this Promotion")
    );
    assert!(create(&child("eu"), None).is_err());
    let kept = scene.default(child("eu"), None, API).unwrap();
    assert_eq!(kept.metadata.owner_references, Some(vec![owner.clone()]));
    assert!(kept.metadata.name.unwrap().starts_with("prod.eu."));
    let orphan = promotion(json!({"stage": "prod", "freight": "new", "target": "eu"}));
    let text = message(create(&orphan, None));
    assert!(text.contains("a Promotion may name a Target only when created by a PromotionRequest"));
    assert!(text.contains(r#"Stage "prod" selects Targets; it is promoted to with a PromotionRequest rather than a Promotion"#));
}

#[test]
fn the_order_does_not_change() {
    let alice = user("alice");
    let caller = identities().caller(&alice);
    let world = UpdateWorld { permission: Permission::Granted, request: None };
    let old = promotion(to("new"));
    assert!(validate_update(&old, &old, &caller, &world).is_ok());
    let changed = promotion(to("old"));
    assert!(
        message(validate_update(&changed, &old, &caller, &world)).ends_with("spec is immutable")
    );
}
