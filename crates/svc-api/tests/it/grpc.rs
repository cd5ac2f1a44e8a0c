//! The gRPC service, with a client that knows only the port.

use api_grpc::v1::{
    ApproveRequest, GetRequest, GetVersionRequest, Kind, ListRequest, PromoteRequest, WatchRequest,
    kargo_client::KargoClient, promote_request::Freight, watch_response::Change,
};
use dev_testkit::grpc::connect;
use futures::StreamExt;
use serde_json::{Value, json};
use tonic::{Code, Request};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

use crate::world::{World, project, stage};

const STAGES: &str = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo/stages";

fn freight(name: &str, alias: &str) -> Value {
    json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Freight",
        "metadata": {"namespace": "demo", "name": name, "labels": {"kargo.akuity.io/alias": alias}},
        "alias": alias, "origin": {"kind": "Warehouse", "name": "w1"},
        "images": [{"repoURL": "example.com/app", "tag": "1.0.0"}]})
}

async fn world() -> (World, String) {
    let mut objects = project("demo");
    let mut dev = stage("demo", "dev", "w1");
    dev["spec"]["promotionTemplate"] = json!({"spec": {"steps": [{"uses": "sleep"}]}});
    objects.extend([dev, freight("f1", "happy-hippo")]);
    let world = World::start(objects).await;
    let token = world.admin().await;
    (world, token)
}

fn with<T>(token: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    request
}

fn get(kind: Kind, project: &str, name: &str) -> GetRequest {
    GetRequest { kind: kind.into(), project: project.to_owned(), name: name.to_owned() }
}

#[tokio::test]
async fn objects_are_read_as_the_routes_give_them() {
    let (world, token) = world().await;
    let mut client = KargoClient::new(connect(world.serving.address()).await.unwrap());
    let version = client.get_version(with(&token, GetVersionRequest {})).await.unwrap();
    assert_eq!(version.into_inner().version, "v1.2.3");
    for (kind, project, name) in [
        (Kind::Project, "", "demo"),
        (Kind::Stage, "demo", "dev"),
        (Kind::Freight, "demo", "happy-hippo"),
    ] {
        let found = client.get(with(&token, get(kind, project, name))).await.unwrap();
        let object = found.into_inner().object.unwrap();
        let json: Value = serde_json::from_str(&object.json).unwrap();
        assert_eq!(json["metadata"]["name"], object.name.as_str());
        assert_eq!((object.kind(), object.project.as_str()), (kind, project));
    }
    for (kind, count) in
        [(Kind::Project, 1), (Kind::Stage, 1), (Kind::Freight, 1), (Kind::Promotion, 0)]
    {
        let project = if kind == Kind::Project { "" } else { "demo" };
        let request = ListRequest {
            kind: kind.into(),
            project: project.to_owned(),
            ..ListRequest::default()
        };
        let listed = client.list(with(&token, request)).await.unwrap().into_inner();
        assert_eq!(listed.objects.len(), count, "{kind:?}");
        assert!(!listed.resource_version.is_empty() || kind == Kind::Project, "{kind:?}");
    }
}

#[tokio::test]
async fn errors_keep_their_text_and_tell_their_kind() {
    let (world, token) = world().await;
    let mut client = KargoClient::new(connect(world.serving.address()).await.unwrap());
    let absent = client.get(with(&token, get(Kind::Stage, "demo", "no"))).await.unwrap_err();
    let text = "stages.kargo.akuity.io \"no\" not found";
    assert_eq!((absent.code(), absent.message()), (Code::NotFound, text));
    let nobody = client.get(get(Kind::Stage, "demo", "dev")).await.unwrap_err();
    assert_eq!(nobody.code(), Code::Unauthenticated);
    for request in [get(Kind::Unspecified, "demo", "dev"), get(Kind::Stage, "", "dev")] {
        let refused = client.get(with(&token, request)).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
    }
}

#[tokio::test]
async fn freight_is_approved_and_promoted() {
    let (world, token) = world().await;
    let mut client = KargoClient::new(connect(world.serving.address()).await.unwrap());
    let (project, stage) = ("demo".to_owned(), "dev".to_owned());
    let approval = ApproveRequest {
        project: project.clone(),
        stage: stage.clone(),
        freight: "happy-hippo".to_owned(),
    };
    client.approve(with(&token, approval)).await.unwrap();
    let approved = world.get("/projects/demo/freight/f1", &token).await.json();
    assert!(approved["status"]["approvedFor"]["dev"].is_object(), "{approved}");
    let request = PromoteRequest { project, stage, freight: Some(Freight::Name("f1".to_owned())) };
    // It gets as far as the Promotion; nobody here fills in its steps, which is for admission to do.
    let reached = client.promote(with(&token, request.clone())).await.unwrap_err();
    assert_eq!(reached.code(), Code::InvalidArgument);
    assert!(reached.message().contains("spec.steps"), "{reached:?}");
    let nothing = PromoteRequest { freight: None, ..request };
    let refused = client.promote(with(&token, nothing)).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(!refused.message().contains("spec.steps"), "{refused:?}");
}

#[tokio::test]
async fn a_watch_tells_what_is_there_and_what_changes() {
    let (world, token) = world().await;
    let mut client = KargoClient::new(connect(world.serving.address()).await.unwrap());
    let request = WatchRequest {
        kind: Kind::Stage.into(),
        project: "demo".to_owned(),
        ..WatchRequest::default()
    };
    let mut changes = client.watch(with(&token, request.clone())).await.unwrap().into_inner();
    let first = changes.next().await.unwrap().unwrap();
    assert_eq!((first.change(), first.object.unwrap().name), (Change::Added, "dev".to_owned()));
    world.patch(STAGES, "dev", json!({"metadata": {"labels": {"a": "b"}}})).await;
    let next = changes.next().await.unwrap().unwrap();
    assert_eq!(next.change(), Change::Modified);
    assert_eq!(next.resource_version, next.object.unwrap().resource_version);
    let lost = WatchRequest { resource_version: "1".to_owned(), ..request };
    let mut changes = client.watch(with(&token, lost)).await.unwrap().into_inner();
    assert_eq!(changes.next().await.unwrap().unwrap_err().code(), Code::OutOfRange);
}

#[tokio::test]
async fn clients_can_ask_what_there_is() {
    let (world, _) = world().await;
    let mut client = ServerReflectionClient::new(connect(world.serving.address()).await.unwrap());
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut replies =
        client.server_reflection_info(futures::stream::iter([request])).await.unwrap().into_inner();
    let reply = replies.next().await.unwrap().unwrap().message_response.unwrap();
    let MessageResponse::ListServicesResponse(services) = reply else { panic!("{reply:?}") };
    let names: Vec<_> = services.service.into_iter().map(|service| service.name).collect();
    assert!(names.contains(&"kargo.v1.Kargo".to_owned()), "{names:?}");
}
