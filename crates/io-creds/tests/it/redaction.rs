//! No secret is shown, whatever fails.

use std::{io, sync::Arc};

use core_rules::fault::message;
use io_creds::{Aws, Kind, Settings};
use parking_lot::Mutex;
use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;

use crate::{double::Reply, world::World};

/// Planted wherever a secret can be.
const PLANTED: &str = "hunter2-hunter2-hunter2-hunter2-hunter2-hunter2";

/// Everything that was logged on this thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn no_error_and_no_log_shows_neither_a_secret_nor_what_a_service_repeats_of_it() {
    let log = Log::default();
    let logger = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(logger);
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
    let broken = [("repoURL", "("), ("repoURLIsRegex", "true"), ("password", PLANTED)];
    world.secret("p", "broken", "git", &broken).await;
    let google = [("repoURL", "gcr.io/a/b"), ("gcpServiceAccountKey", PLANTED)];
    world.secret("p", "google", "image", &google).await;
    let aws = Aws { ecr_endpoint: Some(double.url()), ..Aws::default() };
    let settings = Settings { aws, allow_over_http: true, ..Settings::default() };
    let credentials = world.credentials(settings);
    for (kind, url) in
        [(Kind::Image, image), (Kind::Git, repo.as_str()), (Kind::Image, "gcr.io/a/b")]
    {
        let error = credentials.get("p", kind, url).await.unwrap_err();
        let shown = format!("{} {error:?}", message(&error));
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    let log = String::from_utf8(log.0.lock().clone()).unwrap();
    assert!(log.contains("credential Secret skipped"), "{log}");
    let planted: Vec<_> = log.lines().filter(|line| line.contains("hunter2")).collect();
    assert!(planted.is_empty(), "{planted:?}");
}
