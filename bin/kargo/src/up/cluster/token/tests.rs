//! Tokens against an API server that only knows tokens.

use core_clock::ManualClock;
use http::Method;
use k8s_openapi::{
    api::{authentication::v1::TokenRequestStatus, core::v1::Namespace},
    apimachinery::pkg::apis::meta::v1::Time as WireTime,
    jiff::Timestamp,
};

use super::*;

const RENEWAL: Duration = Duration::from_mins(45);

/// Gives out numbered tokens, and takes the ones that it was told to.
#[derive(Default)]
struct Server {
    given: usize,
    lives: Vec<i64>,
    revoked: Vec<String>,
    seen: Vec<String>,
    is_down: bool,
}

struct World {
    clock: ManualClock,
    server: Arc<Mutex<Server>>,
    client: Client,
}

impl World {
    fn new() -> Self {
        let clock = ManualClock::new(Time::from_seconds(1_000_000));
        let server: Arc<Mutex<Server>> = Arc::default();
        let (shared, now) = (server.clone(), clock.clone());
        let anonymous = Client::new(
            tower::service_fn(move |request: Request<Body>| {
                let (server, clock) = (shared.clone(), now.clone());
                async move { answer(&server, &clock, request).await }
            }),
            "default",
        );
        let accounts = Api::namespaced(anonymous.clone(), "kargo");
        let source = TokenSource::new(accounts, "kargo-api", RENEWAL, Arc::new(clock.clone()));
        Self { clock, server, client: authorized(anonymous, Arc::new(source), &agent()) }
    }

    async fn ask(&self) -> Result<(), kube::Error> {
        Api::<Namespace>::all(self.client.clone()).get("a").await.map(drop)
    }

    fn seen(&self) -> Vec<String> {
        self.server.lock().seen.clone()
    }
}

fn agent() -> UserAgent {
    UserAgent::new("kargo-api", "v1.2.3")
}

async fn answer(
    server: &Mutex<Server>,
    clock: &ManualClock,
    request: Request<Body>,
) -> Result<Response<Body>, kube::Error> {
    let (parts, body) = request.into_parts();
    if parts.method == Method::POST {
        assert!(parts.uri.path().ends_with("/namespaces/kargo/serviceaccounts/kargo-api/token"));
        let request: TokenRequest = serde_json::from_slice(&body.collect_bytes().await?).unwrap();
        return Ok(give(&mut server.lock(), clock, request));
    }
    let mut server = server.lock();
    let token = parts.headers[AUTHORIZATION].to_str().unwrap().to_owned();
    let is_refused = server.revoked.contains(&token);
    server.seen.push(token);
    let code = if is_refused { 401 } else { 200 };
    let status = serde_json::json!({"kind": "Status", "code": code, "status": "Failure", "message": "", "reason": ""});
    let namespace = serde_json::json!({"metadata": {"name": "a"}});
    Ok(reply(code, if is_refused { status } else { namespace }))
}

fn give(server: &mut Server, clock: &ManualClock, mut request: TokenRequest) -> Response<Body> {
    if server.is_down {
        return reply(
            500,
            serde_json::json!({"code": 500, "message": "down", "reason": "InternalError"}),
        );
    }
    server.given += 1;
    let life = request.spec.clone().unwrap().expiration_seconds.unwrap();
    server.lives.push(life);
    let ends = Timestamp::from_second(clock.now().as_seconds() + life).unwrap();
    request.status = Some(TokenRequestStatus {
        token: Some(server.given.to_string()),
        expiration_timestamp: Some(WireTime(ends)),
    });
    reply(201, serde_json::to_value(request).unwrap())
}

fn reply(code: u16, body: serde_json::Value) -> Response<Body> {
    let body = Body::from(body.to_string().into_bytes());
    Response::builder().status(code).body(body).unwrap()
}

#[tokio::test]
async fn a_token_is_used_until_its_renewal_is_due() {
    let world = World::new();
    for minutes in [0, 44, 1, 44] {
        world.clock.advance(Duration::from_mins(minutes));
        world.ask().await.unwrap();
    }
    assert_eq!(world.seen(), ["Bearer 1", "Bearer 1", "Bearer 2", "Bearer 2"]);
    assert_eq!(world.server.lock().lives, [3600, 3600]);
}

#[tokio::test]
async fn a_refused_token_is_replaced_at_once_and_the_request_sent_again() {
    let world = World::new();
    world.ask().await.unwrap();
    world.server.lock().revoked.push("Bearer 1".into());
    world.clock.advance(Duration::from_secs(5));
    world.ask().await.unwrap();
    assert_eq!(world.seen(), ["Bearer 1", "Bearer 1", "Bearer 2"]);
}

#[tokio::test]
async fn a_new_token_that_is_refused_is_not_replaced_again_and_again() {
    let world = World::new();
    world.server.lock().revoked.push("Bearer 1".into());
    assert_eq!(io_kube::status_code(&world.ask().await.unwrap_err()), Some(401));
    assert_eq!(world.server.lock().given, 1);
}

#[tokio::test]
async fn while_no_token_is_given_the_old_one_serves_to_its_end() {
    let world = World::new();
    world.ask().await.unwrap();
    world.server.lock().is_down = true;
    world.clock.advance(Duration::from_mins(46));
    world.ask().await.unwrap();
    world.clock.advance(Duration::from_mins(15));
    let error = world.ask().await.unwrap_err();
    assert!(
        super::super::failure::explain(&error)
            .contains("no token for ServiceAccount \"kargo-api\"")
    );
    world.server.lock().is_down = false;
    world.ask().await.unwrap();
    assert_eq!(world.seen(), ["Bearer 1", "Bearer 1", "Bearer 2"]);
}

#[tokio::test]
async fn many_requests_at_once_ask_for_one_token() {
    let world = World::new();
    let asked = futures::future::join_all((0..20).map(|_| world.ask())).await;
    assert!(asked.iter().all(Result::is_ok));
    assert_eq!(world.server.lock().given, 1);
}

#[tokio::test]
async fn a_renewal_that_nobody_answers_ends() {
    let clock = ManualClock::new(Time::from_seconds(0));
    let silent = Client::new(
        tower::service_fn(|_: Request<Body>| {
            futures::future::pending::<Result<Response<Body>, kube::Error>>()
        }),
        "default",
    );
    let accounts = Api::namespaced(silent.clone(), "kargo");
    let source = TokenSource::new(accounts, "kargo-api", RENEWAL, Arc::new(clock.clone()));
    let client = authorized(silent, Arc::new(source), &agent());
    let api = Api::<Namespace>::all(client);
    let asked = api.get("a");
    let past = async {
        while clock.next_due().is_none() {
            tokio::task::yield_now().await;
        }
        clock.advance(DEADLINE);
        futures::future::pending::<()>().await;
    };
    let error = tokio::select! {
        asked = asked => asked.unwrap_err(),
        () = past => unreachable!(),
    };
    assert!(super::super::failure::explain(&error).contains("no answer in time"));
}
