//! Tokens of Azure's registries.

use std::{path::Path, time::Duration};

use core_rules::{credential::Credential, fault::message};
use io_creds::{Azure, Kind, Settings};
use serde_json::json;

use crate::{
    double::{Double, Reply, Seen},
    world::World,
};

const IMAGE: &str = "acme.azurecr.io/app";
const NOBODY: &str = "00000000-0000-0000-0000-000000000000";

fn settings(double: &Double, token_file: &Path) -> Settings {
    let azure = Azure {
        tenant: "tenant".into(),
        client: "client".into(),
        token_file: token_file.to_owned(),
        authority: format!("{}/", double.url()),
    };
    Settings { azure: Some(azure), acr_endpoint: Some(double.url()), ..Settings::default() }
}

fn azure(seen: &Seen) -> Reply {
    match seen.line.as_str() {
        "POST /tenant/oauth2/v2.0/token" => {
            Reply::ok(json!({"access_token": "entra", "expires_in": 3600}))
        }
        "POST /oauth2/exchange" => Reply::ok(json!({"refresh_token": "registry"})),
        other => Reply::Body(404, other.into()),
    }
}

#[tokio::test]
async fn our_token_becomes_one_of_entra_and_that_one_of_the_registry() {
    let world = World::start().await;
    let directory = tempfile::tempdir().unwrap();
    let token_file = directory.path().join("token");
    std::fs::write(&token_file, "projected").unwrap();
    let double = world.double(azure).await;
    let credentials = world.credentials(settings(&double, &token_file));
    for project in ["p", "q"] {
        let found = credentials.get(project, Kind::Image, IMAGE).await.unwrap();
        assert_eq!(found, Some(Credential::basic(NOBODY, "registry")));
    }
    let seen = double.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0].field("grant_type"), "client_credentials");
    assert_eq!(seen[0].field("client_id"), "client");
    assert_eq!(seen[0].field("client_assertion"), "projected");
    assert_eq!(seen[0].field("scope"), "https://containerregistry.azure.net/.default");
    assert_eq!(seen[1].field("service"), "acme.azurecr.io");
    assert_eq!(seen[1].field("access_token"), "entra");
    assert_eq!(seen[1].field("tenant"), "tenant");
    world.pass(Duration::from_mins(149)).await;
    credentials.get("p", Kind::Image, IMAGE).await.unwrap();
    assert_eq!(double.seen().len(), 2);
    world.pass(Duration::from_mins(1)).await;
    credentials.get("p", Kind::Image, IMAGE).await.unwrap();
    assert_eq!(double.seen().len(), 4);
}

#[tokio::test]
async fn a_secret_comes_before_the_identity_of_this_process() {
    let world = World::start().await;
    let double = world.double(azure).await;
    let data = [("repoURL", IMAGE), ("username", "u"), ("password", "p")];
    world.secret("p", "acr", "image", &data).await;
    let credentials = world.credentials(settings(&double, Path::new("/nowhere")));
    let found = credentials.get("p", Kind::Image, IMAGE).await.unwrap();
    assert_eq!(found, Some(Credential::basic("u", "p")));
    assert!(double.lines().is_empty());
}

#[tokio::test]
async fn what_goes_wrong_is_told_without_a_token() {
    let world = World::start().await;
    let directory = tempfile::tempdir().unwrap();
    let token_file = directory.path().join("token");
    let unknown =
        json!({"error": "unauthorized_client", "error_description": "AADSTS700016: unknown"});
    let double = world.double(move |_| Reply::Body(400, unknown.to_string())).await;
    let credentials = world.credentials(settings(&double, &token_file));
    let get = async || {
        let error = credentials.get("p", Kind::Image, IMAGE).await.unwrap_err();
        let text = message(&error);
        let start = format!(
            "failed to get image creds for {IMAGE} by this controller's identity in Azure: "
        );
        text.strip_prefix(&start).unwrap().to_owned()
    };
    assert_eq!(get().await, "AZURE_FEDERATED_TOKEN_FILE cannot be used: entity not found");
    std::fs::write(&token_file, "\n").unwrap();
    assert_eq!(get().await, "AZURE_FEDERATED_TOKEN_FILE cannot be used: the file is empty");
    std::fs::write(&token_file, "hunter2").unwrap();
    assert_eq!(
        get().await,
        "Microsoft Entra ID answered 400 (unauthorized_client: AADSTS700016: unknown)"
    );
    std::fs::write(&token_file, "hunter2\nhunter2").unwrap();
    assert!(get().await.starts_with("Microsoft Entra ID answered 400"));
}

#[tokio::test]
async fn a_registry_that_does_not_answer_is_given_up_in_time() {
    let world = World::start().await;
    let directory = tempfile::tempdir().unwrap();
    let token_file = directory.path().join("token");
    std::fs::write(&token_file, "projected").unwrap();
    let double = world
        .double(|seen| if seen.line.ends_with("/exchange") { Reply::Silence } else { azure(seen) })
        .await;
    let credentials = world.credentials(settings(&double, &token_file));
    let lookup = credentials.get("p", Kind::Image, IMAGE);
    let error = world.while_time_passes(lookup).await.unwrap_err();
    assert!(message(&error).ends_with("error loading a token: no answer within 30 s"));
}
