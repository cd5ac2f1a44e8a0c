//! gRPC on a running `kargo up`: a promotion from the order to its end.

use std::{fs, net::SocketAddr, path::Path, time::Duration};

use api_grpc::v1::{
    GetRequest, Kind, Object, PromoteRequest, WatchRequest, kargo_client::KargoClient,
    promote_request::Freight,
};
use dev_testkit::{Client, Kargo, Patience, UpOptions, found, grpc::connect};
use http::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;
use tonic::{Code, Request};

use super::program;

const KINDS: &str = "/apis/kargo.akuity.io/v1alpha1";
const PROJECT: &str = "grpc";
const LIMIT: Duration = Duration::from_mins(1);
const PATIENCE: Patience = Patience::of(LIMIT);

fn object(kind: &str, name: &str, spec: &Value) -> Value {
    json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec})
}

/// Creates an object; the namespace of a Project takes a moment.
async fn create(client: &Client, path: &str, object: &Value) -> Value {
    let made = async || {
        let reply = client.json(Method::POST, path, object).await?;
        Ok((reply.status == 201).then(|| reply.json()))
    };
    found(PATIENCE, &format!("{path} takes {object}"), made).await.unwrap()
}

/// A Stage that needs nothing from outside, and Freight for it, whose name is returned.
async fn pipeline(client: &Client) -> String {
    const IMAGE: &str = "127.0.0.1:1/app";
    create(client, &format!("{KINDS}/projects"), &object("Project", PROJECT, &json!({}))).await;
    let origin = json!({"kind": "Warehouse", "name": "images"});
    let warehouse = json!({"interval": "24h", "freightCreationPolicy": "Manual",
        "subscriptions": [{"image": {"repoURL": IMAGE}}]});
    let stage = json!({
        "requestedFreight": [{"origin": origin, "sources": {"direct": true}}],
        "promotionTemplate": {"spec": {"steps": [
            {"uses": "compose-output", "config": {"said": "${{ ctx.stage }}"}},
        ]}},
    });
    let freight = json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Freight", "metadata": {},
        "origin": origin, "images": [{"repoURL": IMAGE, "tag": "1.0.0"}]});
    let within = |plural: &str| format!("{KINDS}/namespaces/{PROJECT}/{plural}");
    create(client, &within("warehouses"), &object("Warehouse", "images", &warehouse)).await;
    create(client, &within("stages"), &object("Stage", "dev", &stage)).await;
    let freight = create(client, &within("freights"), &freight).await;
    freight["metadata"]["name"].as_str().unwrap().to_owned()
}

/// Where the REST API is, and a token for it, as the command line of this machine finds them.
fn login(state: &Path) -> (SocketAddr, String) {
    let text = fs::read_to_string(state.join("kargo/up.yaml")).unwrap();
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).unwrap().trim();
    let address = value("apiAddress: http://").parse().unwrap();
    (address, value("bearerToken: ").to_owned())
}

fn with<T>(token: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    request
}

fn get(kind: Kind, name: &str) -> GetRequest {
    GetRequest { kind: kind.into(), project: PROJECT.to_owned(), name: name.to_owned() }
}

fn text(object: &Object, pointer: &str) -> String {
    let object: Value = serde_json::from_str(&object.json).unwrap();
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_promotion_is_ordered_watched_to_its_end_and_seen_at_its_stage() {
    let directory = TempDir::new().unwrap();
    let state = directory.path().join("state");
    let options = UpOptions {
        binary: Some(program()),
        arguments: ["--api-port", "0"].map(str::to_owned).into(),
        environment: vec![("XDG_STATE_HOME".to_owned(), state.display().to_string())],
    };
    let kargo = Kargo::up(&directory.path().join("data"), &options).await.unwrap();
    let freight = pipeline(&kargo.client().unwrap()).await;
    let (address, token) = login(&state);
    let client = KargoClient::new(connect(address).await.unwrap());
    let read = async |kind: Kind, name: &str| {
        let mut client = client.clone();
        client.get(with(&token, get(kind, name))).await
    };
    let shows = async || Ok(read(Kind::Freight, &freight).await.ok());
    found(PATIENCE, "the server knows the Freight", shows).await.unwrap();

    let order = PromoteRequest {
        project: PROJECT.to_owned(),
        stage: "dev".to_owned(),
        freight: Some(Freight::Name(freight.clone())),
    };
    let mut caller = client.clone();
    assert_eq!(caller.promote(order.clone()).await.unwrap_err().code(), Code::Unauthenticated);
    let promoted = caller.promote(with(&token, order)).await.unwrap().into_inner();
    let promotion = promoted.promotion.unwrap();
    assert_eq!(text(&promotion, "/spec/freight"), freight);

    let watch = WatchRequest {
        kind: Kind::Promotion.into(),
        project: PROJECT.to_owned(),
        name: promotion.name.clone(),
        ..WatchRequest::default()
    };
    let mut changes = caller.watch(with(&token, watch)).await.unwrap().into_inner();
    let end = async {
        loop {
            let change = changes.message().await.unwrap().expect("the stream goes on");
            let phase = text(&change.object.unwrap(), "/status/phase");
            if !matches!(phase.as_str(), "" | "Pending" | "Running") {
                return phase;
            }
        }
    };
    assert_eq!(timeout(LIMIT, end).await.expect("it ends"), "Succeeded");

    let arrives = async || {
        let stage = read(Kind::Stage, "dev").await?.into_inner().object.unwrap_or_default();
        let last = text(&stage, "/status/lastPromotion/name");
        Ok((last == promotion.name).then_some(()))
    };
    found(PATIENCE, "the Stage knows its last Promotion", arrives).await.unwrap();
    assert_eq!(kargo.stop().await.unwrap(), Some(0));
}
