//! Logs of AnalysisRuns, which somebody else keeps.

use std::{convert::Infallible, sync::Arc};

use bytes::Bytes;
use dev_testkit::engine::Engine;
use http::{Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use io_http::{Limits, Listener, serve_plain};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::world::{World, project, stage};

const PATH: &str = "/projects/demo/analysis-runs/run/logs";

/// A path that was asked for, with the key that came along.
type Asked = (String, Option<String>);

/// A keeper of logs, or whoever a redirect leads to.
#[derive(Clone)]
struct Keeper {
    address: String,
    /// Where it sends everybody; nowhere when it answers itself.
    elsewhere: Option<String>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Keeper {
    async fn start(engine: &Engine, elsewhere: Option<String>) -> Self {
        let listener = Listener::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let address = format!("http://{}", listener.address());
        let keeper = Self { address, elsewhere, asked: Arc::default() };
        let serving = keeper.clone();
        let service = tower::service_fn(move |request: Request<Incoming>| {
            std::future::ready(Ok::<_, Infallible>(serving.answer(&request)))
        });
        serve_plain(listener, service, engine.clock(), engine.tasks(), Limits::default());
        keeper
    }

    fn answer(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        let key = request.headers().get("x-api-key").map(|key| key.to_str().unwrap().to_owned());
        self.asked.lock().push((request.uri().path().to_owned(), key));
        match &self.elsewhere {
            Some(location) => Response::builder()
                .status(StatusCode::FOUND)
                .header(header::LOCATION, location)
                .body(Full::default())
                .unwrap(),
            None => Response::new(Full::from("one\ntwo\n")),
        }
    }
}

fn objects(metric: &str) -> Vec<Value> {
    let job =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "x"}]}}}});
    let metadata = json!({"job-namespace": "demo", "job-name": "job"});
    let run = json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "AnalysisRun",
        "metadata": {"namespace": "demo", "name": "run", "labels": {"kargo.akuity.io/stage": "qa"}},
        "spec": {"metrics": [{"name": metric, "provider": {"job": job}}]},
        "status": {"phase": "Running", "metricResults": [{"name": metric, "phase": "Running",
            "measurements": [{"phase": "Running", "metadata": metadata}]}]}});
    [project("demo"), vec![stage("demo", "qa", "w"), run]].concat()
}

/// What a caller is answered where the logs are said to be at `template`.
async fn asked(template: &str, metric: &str) -> (u16, String) {
    let variables = [
        ("ANALYSIS_RUN_LOG_URL_TEMPLATE", template),
        ("ANALYSIS_RUN_LOG_HTTP_HEADERS", "X-Api-Key=${{ token }}"),
        ("ANALYSIS_RUN_LOG_TOKEN", "hunter2"),
    ];
    let world = World::with_analysis(&variables, objects(metric)).await;
    let token = world.admin().await;
    let reply = world.get(PATH, &token).await;
    let text = String::from_utf8_lossy(&reply.body).into_owned();
    assert!(!text.contains("hunter2"), "{text}");
    match reply.status.as_u16() {
        200 => (200, text),
        _ => reply.error(),
    }
}

#[tokio::test]
async fn a_log_is_passed_on_with_the_token_for_its_keeper() {
    let engine = Engine::start().await.unwrap();
    let keeper = Keeper::start(&engine, None).await;
    let template = format!("{}/${{{{ project }}}}/${{{{ metricName }}}}", keeper.address);
    let (code, text) = asked(&template, "../admin").await;
    assert_eq!((code, text.contains("data: one")), (200, true), "{text}");
    let seen = ("/demo/..%2Fadmin".to_owned(), Some("hunter2".to_owned()));
    assert_eq!(*keeper.asked.lock(), [seen]);
}

#[tokio::test]
async fn the_token_does_not_follow_a_redirect_to_another_host() {
    let engine = Engine::start().await.unwrap();
    let other = Keeper::start(&engine, None).await;
    let keeper = Keeper::start(&engine, Some(format!("{}/stolen", other.address))).await;
    let (code, text) = asked(&keeper.address, "m").await;
    assert_eq!(code, 200, "{text}");
    assert_eq!(keeper.asked.lock()[0].1.as_deref(), Some("hunter2"));
    assert_eq!(*other.asked.lock(), [("/stolen".to_owned(), None)]);
}

#[tokio::test]
async fn logs_are_not_looked_for_where_the_machine_keeps_its_secrets() {
    let engine = Engine::start().await.unwrap();
    let keeper = Keeper::start(&engine, Some("http://169.254.169.254/latest".to_owned())).await;
    let elsewhere =
        "the address of the logs cannot be told: it leads where this server does not go";
    let unknown = "the address of the logs cannot be told: it is no http or https address";
    for (template, text) in [
        ("http://169.254.169.254/latest/meta-data", elsewhere),
        ("http://[fd00:ec2::254]/latest", elsewhere),
        (keeper.address.as_str(), elsewhere),
        ("file:///etc/passwd", unknown),
        ("gopher://logs/", unknown),
    ] {
        assert_eq!(asked(template, "m").await, (502, text.to_owned()), "{template}");
    }
}
