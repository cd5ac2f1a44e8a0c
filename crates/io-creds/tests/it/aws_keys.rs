//! The keys of this process itself: where they come from, how long they are used, and what is said when there are none.

use std::time::Duration;

use core_clock::FixedEnvironment;
use core_rules::fault::message;
use io_creds::AwsKeys;
use io_http::outbound::{self, Outbound, aws::Keys};
use serde_json::json;
use tokio::net::TcpListener;

use crate::{
    double::{Double, Reply, Seen},
    ecr::keys,
    world::World,
};

const ROLES: &str = "GET /latest/meta-data/iam/security-credentials/";
const NOTHING_SET: &str = "no keys for AWS: neither AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY, nor AWS_ROLE_ARN with \
     AWS_WEB_IDENTITY_TOKEN_FILE, nor AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or \
     AWS_CONTAINER_CREDENTIALS_FULL_URI is set, and ";

type Variable = (&'static str, String);

/// STS, an agent, and a machine with a role, all at one address.
fn aws(seen: &Seen) -> Reply {
    match seen.line.as_str() {
        "GET /agent" => handed("AGENT"),
        "PUT /latest/api/token" => Reply::ok("metadata-token"),
        ROLES => Reply::ok("my-role\n"),
        line if line.ends_with("/my-role") => handed("MACHINE"),
        _ => Reply::ok(keys("WEB")),
    }
}

/// Keys as agents and machines hand them out, for six hours.
fn handed(id: &str) -> Reply {
    Reply::ok(json!({
        "Code": "Success", "AccessKeyId": id, "SecretAccessKey": "s", "Token": "t",
        "Expiration": "2026-01-01T06:00:00Z",
    }))
}

fn machine(double: &Double) -> Vec<Variable> {
    vec![("AWS_EC2_METADATA_SERVICE_ENDPOINT", format!("{}/", double.url()))]
}

fn web_identity(double: &Double, token_file: &tempfile::NamedTempFile) -> Vec<Variable> {
    vec![
        ("AWS_ENDPOINT_URL_STS", double.url()),
        ("AWS_ROLE_ARN", "arn:aws:iam::222222222222:role/kargo".into()),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", token_file.path().display().to_string()),
    ]
}

fn token_file() -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "projected\n").unwrap();
    file
}

fn own_keys(world: &World, variables: &[Variable]) -> AwsKeys {
    let environment: FixedEnvironment = variables.iter().cloned().collect();
    let outbound = Outbound::new(outbound::Settings::default());
    AwsKeys::from_environment(&environment, outbound, &world.ports).unwrap()
}

async fn id(keys: &AwsKeys) -> String {
    keys.get().await.unwrap().id
}

/// What is said when there are no keys, and whether that is the last word.
async fn refused(world: &World, variables: &[Variable]) -> (String, bool) {
    let error = own_keys(world, variables).get().await.unwrap_err();
    (message(&error), error.is_final())
}

#[tokio::test]
async fn the_first_place_that_can_have_keys_is_asked_and_no_other() {
    let world = World::start().await;
    let double = world.double(aws).await;
    let token_file = token_file();
    let mut variables = machine(&double);
    assert_eq!(id(&own_keys(&world, &variables)).await, "MACHINE");
    variables.push(("AWS_CONTAINER_CREDENTIALS_FULL_URI", format!("{}/agent", double.url())));
    assert_eq!(id(&own_keys(&world, &variables)).await, "AGENT");
    variables.extend(web_identity(&double, &token_file));
    assert_eq!(id(&own_keys(&world, &variables)).await, "WEB");
    variables.push(("AWS_ACCESS_KEY_ID", "VARIABLE".into()));
    variables.push(("AWS_SECRET_ACCESS_KEY", "s".into()));
    variables.push(("AWS_SESSION_TOKEN", "t".into()));
    let given = own_keys(&world, &variables).get().await.unwrap();
    assert_eq!((given.id.as_str(), given.secret.expose()), ("VARIABLE", "s"));
    assert_eq!(given.session.unwrap().expose(), "t");
    let asked = double.lines();
    let role = format!("{ROLES}my-role");
    assert_eq!(asked, ["PUT /latest/api/token", ROLES, &role, "GET /agent", "POST /"]);
}

#[tokio::test]
async fn a_machine_is_asked_with_a_token_and_again_before_its_keys_expire() {
    let world = World::start().await;
    let double = world.double(aws).await;
    let keys = own_keys(&world, &machine(&double));
    let all = futures::future::join_all((0..20).map(|_| keys.get())).await;
    assert!(all.iter().all(|keys| keys.as_ref().unwrap().session.is_some()));
    let seen = double.seen();
    assert_eq!(seen.len(), 3, "many who ask share one answer");
    assert_eq!(seen[0].header("x-aws-ec2-metadata-token-ttl-seconds"), "60");
    for question in &seen[1..] {
        assert_eq!(question.header("x-aws-ec2-metadata-token"), "metadata-token");
    }
    world.pass(Duration::from_mins(5 * 60 + 54)).await;
    id(&keys).await;
    assert_eq!(double.seen().len(), 3);
    world.pass(Duration::from_mins(1)).await;
    id(&keys).await;
    assert_eq!(double.seen().len(), 6);
}

#[tokio::test]
async fn a_token_of_the_service_account_becomes_a_role_that_is_renewed_in_time() {
    let world = World::start().await;
    let double = world.double(aws).await;
    let token_file = token_file();
    let keys = own_keys(&world, &web_identity(&double, &token_file));
    id(&keys).await;
    let first = &double.seen()[0];
    assert_eq!(first.field("Action"), "AssumeRoleWithWebIdentity");
    assert_eq!(first.field("RoleArn"), "arn:aws:iam::222222222222:role/kargo");
    assert_eq!(first.field("RoleSessionName"), "kargo");
    assert_eq!(first.field("WebIdentityToken"), "projected");
    std::fs::write(token_file.path(), "renewed").unwrap();
    world.pass(Duration::from_mins(55)).await;
    id(&keys).await;
    let seen = double.seen();
    assert_eq!((seen.len(), seen[1].field("WebIdentityToken").as_str()), (2, "renewed"));
}

#[tokio::test]
async fn an_agent_sees_the_token_that_it_wants() {
    let world = World::start().await;
    let double = world.double(aws).await;
    let variables = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", format!("{}/agent", double.url())),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "agent-token".to_owned()),
    ];
    assert_eq!(id(&own_keys(&world, &variables)).await, "AGENT");
    assert_eq!(double.seen()[0].header("authorization"), "agent-token");
}

#[tokio::test]
async fn keys_that_were_refused_are_asked_for_anew_unless_that_has_happened() {
    let world = World::start().await;
    let double = world.double(aws).await;
    let keys = own_keys(&world, &machine(&double));
    let refused = keys.get().await.unwrap();
    assert!(keys.give_up(&refused));
    id(&keys).await;
    assert_eq!(double.seen().len(), 6);
    assert!(keys.give_up(&Keys { id: "OLDER".into(), ..refused.clone() }));
    id(&keys).await;
    assert_eq!(double.seen().len(), 6);
    let variables =
        [("AWS_ACCESS_KEY_ID", "A".to_owned()), ("AWS_SECRET_ACCESS_KEY", "s".to_owned())];
    assert!(!own_keys(&world, &variables).give_up(&refused), "there are no others");
}

#[tokio::test]
async fn without_keys_everything_is_named_that_was_tried() {
    let world = World::start().await;
    let disabled = [("AWS_EC2_METADATA_DISABLED", "true".to_owned())];
    let told = format!("{NOTHING_SET}AWS_EC2_METADATA_DISABLED is true");
    assert_eq!(refused(&world, &disabled).await, (told, true));

    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let elsewhere = [("AWS_EC2_METADATA_SERVICE_ENDPOINT", format!("http://{nobody}"))];
    let start = format!(
        "{NOTHING_SET}the machine gives none: error asking the instance metadata of EC2: {nobody} could not be reached"
    );
    let (told, is_final) = refused(&world, &elsewhere).await;
    assert!(told.starts_with(&start) && is_final, "{told}");

    let machine_without = async |status: u16, body: &'static str| {
        let script = move |seen: &Seen| match seen.line.as_str() {
            ROLES => Reply::Body(status, body.to_owned()),
            line if line.ends_with("/my-role") => {
                Reply::ok(json!({"Code": "AssumeRoleUnauthorizedAccess", "Message": "…"}))
            }
            _ => aws(seen),
        };
        refused(&world, &machine(&world.double(script).await)).await
    };
    let answered = |end: &str| {
        format!("{NOTHING_SET}the machine gives none: the instance metadata of EC2 answered {end}")
    };
    assert_eq!(machine_without(404, "").await, (answered("404 (the machine has no role)"), true));
    assert_eq!(machine_without(503, "").await, (answered("503"), false));
    assert_eq!(
        machine_without(200, "my-role").await,
        (answered("200 (AssumeRoleUnauthorizedAccess)"), false)
    );
    let (told, _) = machine_without(200, "../../user-data").await;
    assert!(told.ends_with(": it names no role"), "{told}");
}

#[tokio::test]
async fn a_role_that_is_refused_is_no_reason_to_look_elsewhere() {
    let world = World::start().await;
    let denied = "<E><Error><Code>AccessDenied</Code></Error></E>";
    let double = world.double(move |_| Reply::Body(403, denied.into())).await;
    let token_file = token_file();
    let mut variables = web_identity(&double, &token_file);
    variables.extend(machine(&double));
    let told = "no keys for AWS: AWS STS answered 403 (AccessDenied)".to_owned();
    assert_eq!(refused(&world, &variables).await, (told, false));
    assert_eq!(double.seen().len(), 1);
}

#[tokio::test]
async fn half_a_key_is_a_mistake() {
    let world = World::start().await;
    for (set, missing) in [
        ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY: must be set to "),
        ("AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID: must be set to "),
    ] {
        let environment: FixedEnvironment = [(set, "hunter2")].into_iter().collect();
        let outbound = Outbound::new(outbound::Settings::default());
        let refused = AwsKeys::from_environment(&environment, outbound, &world.ports).err();
        let told = refused.unwrap().to_string();
        assert!(told.starts_with(missing) && !told.contains("hunter2"), "{told}");
    }
}
