//! Passwords of ECR.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use core_rules::{credential::Credential, fault::message};
use io_creds::{AgentToken, Aws, AwsIdentity, Kind, Settings};
use serde_json::json;

use crate::{
    double::{Double, Reply, Seen},
    world::{START, World},
};

const IMAGE: &str = "111111111111.dkr.ecr.eu-west-1.amazonaws.com/app";

fn password(text: &str, expires: i64) -> Reply {
    let token = STANDARD.encode(format!("AWS:{text}"));
    Reply::ok(json!({"authorizationData": [{"authorizationToken": token, "expiresAt": expires}]}))
}

fn denied() -> Reply {
    Reply::Body(400, json!({"__type": "AccessDeniedException", "message": "no"}).to_string())
}

/// Keys whose id tells the role, for an hour.
pub(crate) fn keys(id: &str) -> String {
    format!(
        "<R><Credentials><AccessKeyId>{id}</AccessKeyId><SecretAccessKey>s</SecretAccessKey>\
         <SessionToken>t</SessionToken><Expiration>2026-01-01T01:00:00Z</Expiration></Credentials></R>"
    )
}

fn at(double: &Double) -> Aws {
    Aws {
        region: Some("us-east-1".into()),
        ecr_endpoint: Some(double.url()),
        sts_endpoint: Some(double.url()),
        ..Aws::default()
    }
}

async fn access_key(world: &World) {
    let data = [
        ("repoURL", IMAGE),
        ("awsRegion", "eu-west-1"),
        ("awsAccessKeyID", "AKID"),
        ("awsSecretAccessKey", "hunter2"),
    ];
    world.secret("p", "ecr", "image", &data).await;
}

#[tokio::test]
async fn an_access_key_signs_for_a_password_that_is_kept_until_it_gets_old() {
    let world = World::start().await;
    access_key(&world).await;
    let double = world.double(|_| password("pw", START + 12 * 3600)).await;
    let credentials = world.credentials(Settings { aws: at(&double), ..Settings::default() });
    for _ in 0..3 {
        let found = credentials.get("p", Kind::Image, IMAGE).await.unwrap();
        assert_eq!(found, Some(Credential::basic("AWS", "pw")));
    }
    let seen = double.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(
        seen[0].header("x-amz-target"),
        "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken"
    );
    let authorization = seen[0].header("authorization");
    assert!(
        authorization.starts_with(
            "AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/ecr/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature="
        ),
        "{authorization}"
    );
    world.pass(Duration::from_mins(12 * 60 - 5)).await;
    credentials.get("p", Kind::Image, IMAGE).await.unwrap();
    assert_eq!(double.seen().len(), 2);
}

#[tokio::test]
async fn a_password_that_expires_at_once_is_used_and_not_kept() {
    let world = World::start().await;
    access_key(&world).await;
    let double = world.double(|_| password("pw", START + 300)).await;
    let credentials = world.credentials(Settings { aws: at(&double), ..Settings::default() });
    for _ in 0..2 {
        assert!(credentials.get("p", Kind::Image, IMAGE).await.unwrap().is_some());
    }
    assert_eq!(double.seen().len(), 2);
}

#[tokio::test]
async fn a_refused_access_key_is_an_error_without_it() {
    let world = World::start().await;
    access_key(&world).await;
    let double = world.double(|_| denied()).await;
    let credentials = world.credentials(Settings { aws: at(&double), ..Settings::default() });
    let error = credentials.get("p", Kind::Image, IMAGE).await.unwrap_err();
    assert_eq!(
        message(&error),
        format!(
            "failed to get image creds for {IMAGE} from Secret p/ecr: the ECR auth token service \
             answered 400 (AccessDeniedException)"
        )
    );
    assert!(!format!("{error:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_region_that_is_none_is_refused_before_anything_is_sent() {
    let world = World::start().await;
    let data = [
        ("repoURL", IMAGE),
        ("awsRegion", "evil.example/"),
        ("awsAccessKeyID", "AKID"),
        ("awsSecretAccessKey", "hunter2"),
    ];
    world.secret("p", "ecr", "image", &data).await;
    let credentials = world.credentials(Settings::default());
    let error = credentials.get("p", Kind::Image, IMAGE).await.unwrap_err();
    assert!(message(&error).ends_with("awsRegion cannot be used: it is not the name of a region"));
}

fn agent(double: &Double) -> Settings {
    let uri = format!("{}/agent", double.url());
    let token = AgentToken::Text(core_rules::credential::Secret::new("agent-token"));
    let identity = Some(AwsIdentity::Agent { uri, token });
    let shard = Some("west".into());
    Settings { shard, aws: Aws { identity, ..at(double) }, ..Settings::default() }
}

/// AWS that hands out our own keys and knows our account; `role` answers for roles and `ecr` for the
/// keys with an id.
fn aws(seen: &Seen, role: impl Fn(&str) -> Reply, ecr: impl Fn(&str) -> Reply) -> Reply {
    if seen.line == "GET /agent" {
        assert_eq!(seen.header("authorization"), "agent-token");
        return Reply::ok(json!({
            "AccessKeyId": "OWN", "SecretAccessKey": "s", "Token": "t",
            "Expiration": "2026-01-01T06:00:00Z",
        }));
    }
    let signer = seen.header("authorization").split(['=', '/']).nth(1).unwrap_or_default();
    match seen.field("Action").as_str() {
        "GetCallerIdentity" => Reply::ok("<R><Account>222222222222</Account></R>"),
        "AssumeRole" => role(&seen.field("RoleArn")),
        _ => ecr(signer),
    }
}

fn forbidden() -> Reply {
    Reply::Body(403, "<E><Error><Code>AccessDenied</Code></Error></E>".into())
}

#[tokio::test]
async fn a_project_gets_the_role_named_after_it_and_the_password_is_its_own() {
    let world = World::start().await;
    let double = world
        .double(|seen| {
            aws(
                seen,
                |arn| Reply::ok(keys(arn.rsplit('-').next().unwrap())),
                |id| password(id, START + 43200),
            )
        })
        .await;
    let credentials = world.credentials(agent(&double));
    for _ in 0..2 {
        for project in ["p", "q"] {
            let found = credentials.get(project, Kind::Image, IMAGE).await.unwrap();
            assert_eq!(found, Some(Credential::basic("AWS", project)));
        }
    }
    assert_eq!(
        double.actions(),
        [
            "",
            "GetCallerIdentity",
            "AssumeRole",
            "GetAuthorizationToken",
            "AssumeRole",
            "GetAuthorizationToken"
        ]
    );
    let assume = &double.seen()[2];
    assert_eq!(assume.field("RoleArn"), "arn:aws:iam::111111111111:role/kargo-project-p");
    assert_eq!(assume.field("ExternalId"), "kargo-project-p");
    assert_eq!(assume.field("RoleSessionName"), "kargo-controller-west");
    assert!(assume.header("authorization").contains("/us-east-1/sts/"));
    assert_eq!(assume.header("x-amz-security-token"), "t");
}

#[tokio::test]
async fn only_a_denial_moves_on_to_the_next_identity() {
    let world = World::start().await;
    let double = world
        .double(|seen| {
            let role = |arn: &str| {
                let is_foreign = arn.contains("::111111111111:");
                if is_foreign { forbidden() } else { Reply::ok(keys("OURS")) }
            };
            aws(seen, role, |id| if id == "OURS" { denied() } else { password(id, START + 43200) })
        })
        .await;
    let found = world.credentials(agent(&double)).get("p", Kind::Image, IMAGE).await.unwrap();
    assert_eq!(found, Some(Credential::basic("AWS", "OWN")));
    let failing = world
        .double(|seen| aws(seen, |_| Reply::Body(500, String::new()), |_| password("x", START)))
        .await;
    let error = world.credentials(agent(&failing)).get("p", Kind::Image, IMAGE).await.unwrap_err();
    assert_eq!(
        message(&error),
        format!(
            "failed to get image creds for {IMAGE} by this controller's identity in AWS: AWS STS \
             answered 500"
        )
    );
}

#[tokio::test]
async fn when_every_identity_is_denied_there_is_no_credential_and_that_is_not_kept() {
    let world = World::start().await;
    let double = world.double(|seen| aws(seen, |_| forbidden(), |_| denied())).await;
    let credentials = world.credentials(agent(&double));
    for _ in 0..2 {
        assert_eq!(credentials.get("p", Kind::Image, IMAGE).await.unwrap(), None);
    }
    let asked = double.actions();
    assert_eq!(asked.iter().filter(|action| *action == "AssumeRole").count(), 4);
    assert_eq!(asked.iter().filter(|action| *action == "GetCallerIdentity").count(), 1);
}

#[tokio::test]
async fn a_service_account_token_becomes_a_role_and_its_keys_are_renewed_in_time() {
    let world = World::start().await;
    let directory = tempfile::tempdir().unwrap();
    let token_file = directory.path().join("token");
    std::fs::write(&token_file, "projected\n").unwrap();
    let double = world
        .double(|seen| match seen.field("Action").as_str() {
            "AssumeRoleWithWebIdentity" => Reply::ok(keys("WEB")),
            _ => aws(seen, |_| forbidden(), |id| password(id, START + 43200)),
        })
        .await;
    let role_arn = "arn:aws:iam::222222222222:role/kargo".to_owned();
    let identity = Some(AwsIdentity::WebIdentity { role_arn, token_file });
    let settings = Settings { aws: Aws { identity, ..at(&double) }, ..Settings::default() };
    let credentials = world.credentials(settings);
    let found = credentials.get("p", Kind::Helm, &format!("oci://{IMAGE}")).await.unwrap();
    assert_eq!(found, Some(Credential::basic("AWS", "WEB")));
    let first = &double.seen()[0];
    assert_eq!(first.field("WebIdentityToken"), "projected");
    assert_eq!(first.header("authorization"), "");
    world.pass(Duration::from_mins(54)).await;
    credentials.get("q", Kind::Image, IMAGE).await.unwrap();
    world.pass(Duration::from_mins(1)).await;
    credentials.get("zone", Kind::Image, IMAGE).await.unwrap();
    let asked = double.actions();
    let renewals = asked.iter().filter(|action| *action == "AssumeRoleWithWebIdentity").count();
    assert_eq!(renewals, 2);
}

#[tokio::test]
async fn other_registries_and_git_are_none_of_its_business() {
    let world = World::start().await;
    let double = world.double(|_| Reply::Silence).await;
    let credentials = world.credentials(agent(&double));
    for (kind, url) in
        [(Kind::Image, "ghcr.io/a/b"), (Kind::Image, "public.ecr.aws/a/b"), (Kind::Git, IMAGE)]
    {
        assert_eq!(credentials.get("p", kind, url).await.unwrap(), None);
    }
    assert!(double.lines().is_empty());
}

#[tokio::test]
async fn a_secret_comes_before_the_identity_of_this_process() {
    let world = World::start().await;
    let double = world.double(|_| Reply::Silence).await;
    let data = [("repoURL", IMAGE), ("username", "u"), ("password", "p")];
    world.secret("p", "plain", "image", &data).await;
    let credentials = world.credentials(agent(&double));
    let found = credentials.get("p", Kind::Image, IMAGE).await.unwrap();
    assert_eq!(found, Some(Credential::basic("u", "p")));
    assert!(double.lines().is_empty());
}
