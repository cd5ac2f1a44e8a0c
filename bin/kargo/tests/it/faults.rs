//! Warehouses on servers that misbehave: each tells what is wrong, tries again ever more seldom, holds up no other, and
//! makes Freight once its server is well again.

use std::time::Duration;

use dev_testkit::{
    server::{GitHttp, ToxicProxy, Toxin, registry::PASSWORD},
    warehouse::{self, Origin, Project, Watched},
};
use serde_json::Value;

use super::discovery::{PROJECT, up_with};

/// Short, so that what never ends is given up soon.
const LIMIT: &str = "1s";
/// The waits between attempts double from a second on: nobody gets further in the time of a test.
const MANY: usize = 20;

/// A Warehouse whose server is behind a toxic proxy.
struct Sick {
    watched: Watched,
    proxy: ToxicProxy,
    /// What its Freight will be called.
    freight: String,
}

impl Sick {
    async fn create(project: &Project, mut origin: Origin, toxin: Toxin) -> Self {
        let proxy = ToxicProxy::start(origin.address()).await.unwrap();
        proxy.poison(toxin);
        origin = origin.behind(proxy.address());
        let freight = origin.push().await.unwrap();
        let watched = Watched::create(project, origin).await.unwrap();
        Self { watched, proxy, freight }
    }

    /// What its Warehouse says once it has said something.
    async fn complaint(&self) -> String {
        let status = self.watched.await_status(|status| failure(status).is_some()).await.unwrap();
        let told = failure(&status).unwrap();
        let everything = status.to_string();
        assert!(!everything.contains(PASSWORD) && !everything.contains("PRIVATE KEY"), "{told}");
        told.replace(&self.watched.origin.url(), "URL")
            .replace(&self.proxy.address().to_string(), "HOST")
    }

    async fn heal(&mut self) {
        self.proxy.poison(Toxin::None);
        self.watched.refresh().await.unwrap();
        self.watched.await_freight(&self.freight).await.unwrap();
    }
}

fn failure(status: &Value) -> Option<String> {
    let conditions = status["conditions"].as_array()?;
    let failed = conditions.iter().find(|one| one["type"] == "Healthy" && one["status"] == "False");
    failed.map(|one| one["message"].as_str().unwrap_or_default().to_owned())
}

/// What goes wrong, and the words of the Warehouse about it.
type Case = (&'static str, Toxin, &'static str);

fn over_http(elsewhere: &str) -> Vec<Case> {
    let (retry, location) = ("retry-after: 3600".to_owned(), format!("location: {elsewhere}"));
    vec![
        ("half-open", Toxin::HalfOpen, "HOST did not finish its answer within 1 s"),
        ("slow-loris", drip(), "HOST did not finish its answer within 1 s"),
        ("cut", Toxin::CutAfter(50), "HOST broke off: connection closed"),
        ("too-many", Toxin::Status(429, vec![retry]), "answered with status 429"),
        ("broken", Toxin::Status(500, Vec::new()), "answered with status 500"),
        ("redirect", Toxin::Status(302, vec![location]), "URL was not found"),
        ("endless", Toxin::EndlessBody, "HOST does not answer as a Git server"),
    ]
}

fn over_ssh() -> Vec<Case> {
    vec![
        ("ssh-half-open", Toxin::HalfOpen, "URL did not finish its answer within 1 s"),
        ("ssh-slow-loris", drip(), "URL did not finish its answer within 1 s"),
        ("ssh-cut", Toxin::CutAfter(500), "HOST could not be reached: the connection broke off"),
    ]
}

fn drip() -> Toxin {
    Toxin::SlowLoris(Duration::from_millis(50))
}

#[tokio::test]
async fn a_warehouse_tells_what_is_wrong_with_its_repository_and_holds_up_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let mut environment = warehouse::environment();
    for name in ["GIT_LIST_TIMEOUT", "GIT_STALL_TIMEOUT"] {
        environment.push((name.into(), LIMIT.into()));
    }
    let kargo = up_with(directory.path(), environment).await;
    let project = Project::create(&kargo.client().unwrap(), PROJECT).await.unwrap();
    let thief = GitHttp::start().await.unwrap();
    let elsewhere = format!("{}/info/refs?service=git-upload-pack", thief.url("app"));

    let mut sick = Vec::new();
    for (name, toxin, words) in over_http(&elsewhere) {
        let origin = Origin::git_over_http(name).await.unwrap();
        sick.push((Sick::create(&project, origin, toxin).await, words));
    }
    for (name, toxin, words) in over_ssh() {
        if let Some(origin) = Origin::git_over_ssh(name).await.unwrap() {
            sick.push((Sick::create(&project, origin, toxin).await, words));
        }
    }
    let healthy = Origin::charts("healthy").await.unwrap();
    let mut healthy = Watched::create(&project, healthy).await.unwrap();
    healthy.push().await.unwrap();
    for (one, words) in &sick {
        let complaint = one.complaint().await;
        assert!(complaint.contains(words), "{}: {complaint}", one.watched.origin.name());
    }
    healthy.push().await.unwrap();
    for (one, _) in &mut sick {
        let attempts = one.proxy.connections();
        assert!(attempts < MANY, "{}: {attempts} attempts", one.watched.origin.name());
        one.heal().await;
    }
    let carried: Vec<_> = thief.seen().into_iter().filter_map(|seen| seen.authorization).collect();
    assert_eq!(carried, Vec::<String>::new(), "a password went to another host");
    assert_eq!(kargo.stop().await.unwrap(), Some(0));
}
