//! Answers of people to steps that ask them.

use dev_testkit::engine::Engine;
use http::Method;
use serde_json::{Value, json};

use crate::{
    provider::Provider,
    table::role,
    world::{Reply, World, project},
};

const PROMOTIONS: &str = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo/promotions";
const STEP: &str = "/projects/demo/promotions/p1/steps/ask";

/// A Promotion whose step `ask` asks this.
fn asking(prompt: &Value) -> Value {
    json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Promotion",
        "metadata": {"name": "p1", "namespace": "demo"},
        "spec": {"stage": "dev", "freight": "f1", "steps": [
            {"uses": "compose-output"}, {"uses": "wait-for-approval", "as": "ask"}]},
        "status": {"phase": "Running", "currentStep": 1, "state": {"ask": {"prompt": prompt}},
            "stepExecutionMetadata": [
                {"alias": "step-1", "status": "Succeeded"}, {"alias": "ask", "status": "Running"}]}})
}

fn approval(rules: &Value, min_approvals: u32) -> Value {
    json!({"kind": "approval", "rules": rules, "minApprovals": min_approvals})
}

/// A Project with a Promotion; whoever has a role of it may see Promotions and no more.
async fn world(prompt: &Value, variables: &[(&str, &str)]) -> World {
    let mut objects = project("demo");
    let see =
        json!([{"apiGroups": ["kargo.akuity.io"], "resources": ["promotions"], "verbs": ["get"]}]);
    for name in ["ops", "dev"] {
        let mut role = role("demo", name, &see);
        role[0]["metadata"]["annotations"]["rbac.kargo.akuity.io/claims"] =
            json!(json!({"groups": [name]}).to_string());
        objects.extend(role);
    }
    objects.push(asking(prompt));
    let world = World::with(variables, objects).await;
    let status = asking(prompt)["status"].clone();
    world.patch(PROMOTIONS, "p1/status", json!({"status": status})).await;
    let admin = world.admin().await;
    let mut looks = 0;
    while world.get(&format!("{STEP}/prompt"), &admin).await.status != 200 {
        looks += 1;
        assert!(looks < 100, "the Promotion does not show");
        world.engine.clock().sleep(std::time::Duration::from_millis(20)).await;
    }
    world
}

async fn answer(world: &World, token: &str, body: &Value) -> Reply {
    let path = format!("{STEP}/responses");
    world.send(Method::POST, &path, Some(token), &[], body.to_string()).await
}

#[tokio::test]
async fn those_whom_a_rule_means_answer_once() {
    let world = world(&approval(&json!([{"role": "ops"}]), 2), &[]).await;
    let (ops, dev) = (world.token_of("demo", "ops").await, world.token_of("demo", "dev").await);
    let yes = json!({"action": "approve", "message": "go"});
    let only = "step \"ask\" may be answered by those with role \"ops\" only";
    assert_eq!(answer(&world, &dev, &yes).await.error(), (403, only.to_owned()));
    let seen = world.get(&format!("{STEP}/prompt"), &dev).await.json();
    assert_eq!((&seen["canRespond"], &seen["reason"]), (&json!(false), &json!(only)));
    let seen = world.get(&format!("{STEP}/prompt"), &ops).await.json();
    assert_eq!(
        seen,
        json!({"kind": "approval", "minApprovals": 2, "rules": [{"role": "ops"}],
            "responses": [], "canRespond": true})
    );
    let mut given = answer(&world, &ops, &yes).await.json();
    let user = "kubernetes:system:serviceaccount:demo:ops";
    assert!(given["time"].take().is_string());
    assert_eq!(given, json!({"user": user, "action": "approve", "message": "go", "time": null}));
    let again = format!("\"{user}\" has already answered step \"ask\"");
    assert_eq!(answer(&world, &ops, &yes).await.error(), (409, again));
    let seen = world.get(&format!("{STEP}/prompt"), &dev).await.json();
    assert_eq!(seen["responses"][0]["user"], user);
    let admin = world.admin().await;
    let no = json!({"action": "reject"});
    assert_eq!(answer(&world, &admin, &no).await.json()["user"], "admin");
    let kept = world.get("/projects/demo/promotions/p1", &admin).await.json();
    let kept = kept["metadata"]["annotations"]["kargo.akuity.io/responses"].as_str().unwrap();
    let kept: Value = serde_json::from_str(kept).unwrap();
    let rules: Vec<&Value> =
        kept["ask"].as_array().unwrap().iter().map(|response| &response["rules"]).collect();
    assert_eq!(rules, [&json!([{"role": "ops"}]), &json!([{"role": "ops"}])]);
}

#[tokio::test]
async fn only_what_is_there_and_waits_is_answered() {
    let world = world(&approval(&json!([]), 1), &[]).await;
    let admin = world.admin().await;
    let yes = json!({"action": "approve"}).to_string();
    let post = async |path: &str, token: &str| {
        let path = format!("/projects/demo/promotions/{path}/responses");
        world.send(Method::POST, &path, Some(token), &[], yes.clone()).await.error()
    };
    let absent = "promotions.kargo.akuity.io \"no\" not found";
    assert_eq!(post("no/steps/ask", &admin).await, (404, absent.to_owned()));
    let absent = "Promotion \"p1\" has no step \"no\"";
    assert_eq!(post("p1/steps/no", &admin).await, (404, absent.to_owned()));
    let quiet = "step \"step-1\" is not waiting for an answer";
    assert_eq!(post("p1/steps/step-1", &admin).await, (409, quiet.to_owned()));
    let prompt = world.get("/projects/demo/promotions/p1/steps/step-1/prompt", &admin).await;
    assert_eq!(prompt.error(), (404, quiet.to_owned()));
    let stranger = world.token_of("kargo", "kargo-user").await;
    assert_eq!(post("p1/steps/ask", &stranger).await.0, 403);
    let odd = answer(&world, &admin, &json!({"action": "submit"})).await;
    assert_eq!(odd.error().0, 400, "{:?}", odd.error());
    assert_eq!(answer(&world, &admin, &json!({"action": "approve"})).await.status, 200);
    let viewer = world.token_of("demo", "dev").await;
    let decided = "step \"ask\" has been answered by \"admin\" and is about to go on";
    assert_eq!(post("p1/steps/ask", &viewer).await, (409, decided.to_owned()));
}

#[tokio::test]
async fn values_that_do_not_fit_are_told_place_by_place() {
    let schema = json!({"type": "object", "required": ["window"],
        "properties": {"window": {"enum": ["day", "night"]}, "reason": {"type": "string"}}});
    let prompt = json!({"kind": "input", "display": "When?", "schema": schema, "rules": []});
    let world = world(&prompt, &[]).await;
    let token = world.token_of("demo", "dev").await;
    let seen = world.get(&format!("{STEP}/prompt"), &token).await.json();
    assert_eq!((&seen["display"], &seen["schema"]), (&json!("When?"), &schema));
    let wrong = answer(&world, &token, &json!({"action": "submit", "values": {"reason": 1}})).await;
    assert_eq!(wrong.status, 422);
    let details = wrong.json()["details"]["violations"].clone();
    let mut pointers: Vec<&str> =
        details.as_array().unwrap().iter().map(|one| one["pointer"].as_str().unwrap()).collect();
    pointers.sort_unstable();
    assert_eq!(pointers, ["/reason", "/window"]);
    let right = json!({"action": "submit", "values": {"window": "night"}});
    assert_eq!(answer(&world, &token, &right).await.json()["action"], "submit");
}

#[tokio::test]
async fn nobody_answers_for_others_by_writing_the_promotion() {
    let prompt = approval(&json!([]), 1);
    let world = world(&prompt, &[]).await;
    let admin = world.admin().await;
    let mut forged = asking(&prompt);
    forged["metadata"]["annotations"] =
        json!({"kargo.akuity.io/responses": "{}", "kargo.akuity.io/description": "d"});
    let path = "/resources?fieldManager=people&force=true";
    let written = world.send(Method::PUT, path, Some(&admin), &[], forged.to_string()).await;
    assert_eq!(written.status, 200, "{:?}", written.error());
    let kept = world.get("/projects/demo/promotions/p1", &admin).await.json();
    let notes = kept["metadata"]["annotations"].as_object().unwrap();
    assert!(notes.contains_key("kargo.akuity.io/description"), "{notes:?}");
    assert!(!notes.contains_key("kargo.akuity.io/responses"), "{notes:?}");
}

#[tokio::test]
async fn people_who_answer_at_once_are_all_heard() {
    let world = world(&approval(&json!([]), 3), &[]).await;
    let tokens = [
        world.token_of("demo", "ops").await,
        world.token_of("demo", "dev").await,
        world.admin().await,
    ];
    let yes = json!({"action": "approve"});
    let answers = tokens.iter().map(|token| answer(&world, token, &yes));
    for answer in futures::future::join_all(answers).await {
        assert_eq!(answer.status, 200, "{:?}", answer.error());
    }
    let seen = world.get(&format!("{STEP}/prompt"), &tokens[0]).await.json();
    assert_eq!(seen["responses"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn people_of_a_provider_are_known_by_their_claims_and_roles() {
    let outside = Engine::start().await.unwrap();
    let provider = Provider::start(&outside).await;
    let variables = [
        ("OIDC_ENABLED", "true"),
        ("OIDC_ISSUER_URL", provider.issuer.as_str()),
        ("OIDC_CLIENT_ID", "web"),
    ];
    let rules =
        json!([{"role": "ops"}, {"claim": "email", "value": "b@example.com", "required": true}]);
    let world = world(&approval(&rules, 3), &variables).await;
    let now = world.engine.clock().now().as_seconds();
    let token = |who: &str, group: &str| {
        provider.sign(&json!({"iss": provider.issuer, "aud": "web", "sub": who,
            "email": format!("{who}@example.com"), "groups": [group], "exp": now + 600}))
    };
    let yes = json!({"action": "approve"});
    for (who, group, code) in [("a", "ops", 200), ("b", "dev", 200), ("c", "dev", 403)] {
        let given = answer(&world, &token(who, group), &yes).await;
        assert_eq!(given.status, code, "{who}: {:?}", given.error());
    }
}
