//! No secret is shown, whatever fails.

use io_creds::{Aws, Kind, Settings};
use serde_json::json;

use crate::{
    double::Reply,
    world::{World, chain},
};

/// Planted wherever a secret can be.
const PLANTED: &str = "hunter2-hunter2-hunter2-hunter2-hunter2-hunter2";

#[tokio::test]
async fn an_error_shows_neither_a_secret_nor_what_a_service_repeats_of_it() {
    let world = World::start().await;
    let echo = json!({"message": format!("bad {PLANTED}"), "error": PLANTED}).to_string();
    let double = world.double(move |_| Reply::Body(401, echo.clone())).await;
    let image = "111111111111.dkr.ecr.eu-west-1.amazonaws.com/app";
    let ecr = [
        ("repoURL", image),
        ("awsRegion", "eu-west-1"),
        ("awsAccessKeyID", "AKID"),
        ("awsSecretAccessKey", PLANTED),
    ];
    world.secret("p", "ecr", "image", &ecr).await;
    let repo = format!("http://user:{PLANTED}@{}/org/app", double.host());
    let github = [
        ("repoURL", repo.as_str()),
        ("githubAppID", "1"),
        ("githubAppInstallationID", PLANTED),
        ("githubAppPrivateKey", PLANTED),
    ];
    world.secret("p", "github", "git", &github).await;
    let google = [("repoURL", "gcr.io/a/b"), ("gcpServiceAccountKey", PLANTED)];
    world.secret("p", "google", "image", &google).await;
    let aws = Aws { ecr_endpoint: Some(double.url()), ..Aws::default() };
    let settings = Settings { aws, allow_over_http: true, ..Settings::default() };
    let credentials = world.credentials(settings);
    for (kind, url) in
        [(Kind::Image, image), (Kind::Git, repo.as_str()), (Kind::Image, "gcr.io/a/b")]
    {
        let error = credentials.get("p", kind, url).await.unwrap_err();
        let shown = format!("{} {error:?}", chain(&error));
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
