//! Warehouses on servers that misbehave: each tells what is wrong, tries again ever more seldom, holds up no other, and
//! makes Freight once its server is well again.

use std::time::Duration;

use dev_testkit::{
    server::{GitHttp, ToxicProxy, Toxin, registry::PASSWORD},
    warehouse::{self, Origin, Project, Watched, eventually},
};
use serde_json::Value;

use super::discovery::{PROJECT, up_with};

/// Short, so that what never ends is given up soon.
const LIMIT: &str = "1s";
/// The waits between attempts double from a second on: nobody gets further in the time of a test.
const MANY: usize = 20;

/// What lets the controller look for credentials in the Project.
const GRANT: &str =
    "/apis/rbac.authorization.k8s.io/v1/namespaces/demo/rolebindings/kargo-controller-read-secrets";

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
        self.proxy.cut();
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

fn drip() -> Toxin {
    Toxin::SlowLoris(Duration::from_millis(50))
}

fn status(status: u16, header: &str) -> Toxin {
    Toxin::Status(status, vec![header.to_owned()])
}

/// Where redirects lead: to a host that must not see any password.
struct Elsewhere(GitHttp);

impl Elsewhere {
    async fn start() -> Self {
        Self(GitHttp::start().await.unwrap())
    }

    fn redirect(&self) -> Toxin {
        let path = "info/refs?service=git-upload-pack";
        status(302, &format!("location: {}/{path}", self.0.url("app")))
    }

    fn check(&self) {
        let seen = self.0.seen().into_iter();
        let carried: Vec<_> = seen.filter_map(|seen| seen.authorization).collect();
        assert_eq!(carried, Vec::<String>::new(), "a password went to another host");
    }
}

/// Lets one Warehouse for each case complain, looks after a healthy one meanwhile, and heals them all.
async fn endure(cases: Vec<Case>, origin: impl AsyncFn(&str) -> anyhow::Result<Option<Origin>>) {
    let directory = tempfile::tempdir().unwrap();
    let mut environment = warehouse::environment();
    for name in ["GIT_LIST_TIMEOUT", "GIT_STALL_TIMEOUT", "IMAGE_REGISTRY_TIMEOUT"] {
        environment.push((name.into(), LIMIT.into()));
    }
    let kargo = up_with(directory.path(), environment).await;
    let project = Project::create(&kargo.client().unwrap(), PROJECT).await.unwrap();
    // Until then Warehouses complain about that, and not about what is tested here.
    let is_granted = async || Ok(project.client.get(GRANT).await?.status == 200);
    eventually("the controller may read Secrets", is_granted).await.unwrap();
    let mut sick = Vec::new();
    for (name, toxin, words) in cases {
        let Some(origin) = origin(name).await.unwrap() else { return };
        sick.push((Sick::create(&project, origin, toxin).await, words));
    }
    let healthy = Origin::git_over_http("healthy").await.unwrap();
    let mut healthy = Watched::create(&project, healthy).await.unwrap();
    healthy.push().await.unwrap();
    let mut unclear = Vec::new();
    for (one, words) in &sick {
        let complaint = one.complaint().await;
        if !complaint.contains(words) {
            unclear.push(format!("{}: {complaint}", one.watched.origin.name()));
        }
    }
    assert!(unclear.is_empty(), "{}", unclear.join("\n"));
    healthy.push().await.unwrap();
    for (one, _) in &mut sick {
        let attempts = one.proxy.connections();
        assert!(attempts < MANY, "{}: {attempts} attempts", one.watched.origin.name());
        one.heal().await;
    }
    assert_eq!(kargo.stop().await.unwrap(), Some(0));
}

#[tokio::test]
async fn a_git_server_that_misbehaves_is_told_and_holds_up_no_other() {
    let elsewhere = Elsewhere::start().await;
    let cases = vec![
        ("half-open", Toxin::HalfOpen, "HOST did not finish its answer within 1 s"),
        ("slow-loris", drip(), "HOST did not finish its answer within 1 s"),
        ("cut", Toxin::CutAfter(50), "HOST broke off: connection closed"),
        ("too-many", status(429, "retry-after: 3600"), "answered with status 429"),
        ("broken", status(500, "x: y"), "answered with status 500"),
        ("redirect", elsewhere.redirect(), "URL was not found"),
        ("endless", Toxin::EndlessBody, "HOST does not answer as a Git server"),
    ];
    endure(cases, async |name| Origin::git_over_http(name).await.map(Some)).await;
    elsewhere.check();
}

#[tokio::test]
async fn an_ssh_server_that_misbehaves_is_told_and_holds_up_no_other() {
    let cases = vec![
        ("half-open", Toxin::HalfOpen, "URL did not finish its answer within 1 s"),
        ("slow-loris", drip(), "URL did not finish its answer within 1 s"),
        ("cut", Toxin::CutAfter(500), "HOST could not be reached: the connection broke off"),
    ];
    endure(cases, async |name| Origin::git_over_ssh(name).await).await;
}

#[tokio::test]
async fn a_registry_that_misbehaves_is_told_and_holds_up_no_other() {
    let elsewhere = Elsewhere::start().await;
    let forged = Toxin::Forged("schemaVersion", "SchemaVersion");
    let cases = vec![
        ("half-open", Toxin::HalfOpen, "HOST did not finish its answer within 1 s"),
        ("slow-loris", drip(), "HOST did not finish its answer within 1 s"),
        ("cut", Toxin::CutAfter(50), "HOST broke off: connection closed"),
        ("too-many", status(429, "retry-after: 1"), "HOST limits the rate of requests"),
        ("broken", status(500, "x: y"), "HOST answered HTTP 500 for /v2/"),
        ("redirect", elsewhere.redirect(), "HOST answered HTTP 302 for /v2/"),
        ("endless", Toxin::EndlessBody, "the repository has more than"),
        ("lying", forged, "no image can be read; tag \"1.1.0\": HOST sent something else than"),
    ];
    endure(cases, async |name| Origin::images(name).await).await;
    elsewhere.check();
}

#[tokio::test]
async fn a_chart_repository_that_misbehaves_is_told_and_holds_up_no_other() {
    let elsewhere = Elsewhere::start().await;
    let cases = vec![
        ("half-open", Toxin::HalfOpen, "HOST did not finish its answer within 1 s"),
        ("slow-loris", drip(), "HOST did not finish its answer within 1 s"),
        ("cut", Toxin::CutAfter(50), "HOST broke off: connection closed"),
        ("too-many", status(429, "retry-after: 1"), "HOST limits the rate of requests"),
        ("broken", status(500, "x: y"), "unexpected HTTP 500"),
        ("redirect", elsewhere.redirect(), "unexpected HTTP 404"),
        ("endless", Toxin::EndlessBody, "HOST sent more than 134217728 bytes"),
    ];
    endure(cases, async |name| Origin::charts(name).await.map(Some)).await;
    elsewhere.check();
}
