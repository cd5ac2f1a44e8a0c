//! How Secrets are read: watched while in use, live when the watch has nothing yet.

use std::time::Duration;

use core_rules::fault::message;
use dev_testkit::engine::Identity;
use io_creds::{Kind, Settings};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::{
    Api,
    api::{DeleteParams, PostParams},
};
use serde_json::json;

use crate::world::{World, git_user};

const REPO: &str = "https://git.example.com/org/app";

async fn add(world: &World, namespace: &str, name: &str) {
    let data = [("repoURL", REPO), ("username", name), ("password", "x")];
    world.secret(namespace, name, "git", &data).await;
}

#[tokio::test]
async fn lookups_in_a_watched_namespace_ask_nothing_and_see_changes() {
    let world = World::start().await;
    add(&world, "p", "b").await;
    let credentials = world.credentials(Settings::default());
    assert_eq!(git_user(&credentials, "p", REPO).await.as_deref(), Some("b"));
    world.settle().await;
    world.tap.clear();
    for _ in 0..50 {
        assert_eq!(git_user(&credentials, "p", REPO).await.as_deref(), Some("b"));
    }
    add(&world, "p", "a").await;
    world.settle().await;
    assert_eq!(git_user(&credentials, "p", REPO).await.as_deref(), Some("a"));
    assert_eq!(world.tap.lists(), [] as [&str; 0]);
}

#[tokio::test]
async fn many_first_lookups_share_one_live_read() {
    let world = World::start().await;
    add(&world, "p", "a").await;
    let credentials = world.credentials(Settings::default());
    let lookups = (0..50).map(|_| git_user(&credentials, "p", REPO));
    let found = futures::future::join_all(lookups).await;
    assert!(found.iter().all(|user| user.as_deref() == Some("a")));
    // One live, one of the watch.
    assert_eq!(world.tap.lists().len(), 2);
}

#[tokio::test]
async fn only_the_namespaces_of_the_project_and_the_shared_one_are_ever_listed() {
    let world = World::start().await;
    for shared in [None, Some(""), Some("shared")] {
        let settings = Settings { shared_namespace: shared.map(Into::into), ..Settings::default() };
        let credentials = world.credentials(settings);
        for project in ["p", "", "shared"] {
            assert_eq!(git_user(&credentials, project, REPO).await, None);
        }
        world.settle().await;
    }
    let lists = world.tap.lists();
    assert!(!lists.is_empty());
    for uri in lists {
        let is_known = ["p", "shared"]
            .iter()
            .any(|name| uri.starts_with(&format!("/api/v1/namespaces/{name}/secrets?")));
        assert!(is_known && uri.contains("labelSelector=kargo.akuity.io%2Fcred-type"), "{uri}");
    }
}

#[tokio::test]
async fn an_idle_namespace_is_closed_and_opened_again_on_use() {
    let world = World::start().await;
    add(&world, "p", "a").await;
    let credentials = world.credentials(Settings::default());
    git_user(&credentials, "p", REPO).await;
    world.pass(Duration::from_mins(25)).await;
    world.tap.clear();
    git_user(&credentials, "p", REPO).await;
    assert!(world.tap.lists().is_empty(), "still open");
    for _ in 0..8 {
        world.pass(Duration::from_mins(5)).await;
    }
    world.tap.clear();
    assert_eq!(git_user(&credentials, "p", REPO).await.as_deref(), Some("a"));
    assert_eq!(world.tap.lists().len(), 2, "closed, so read live and watched anew");
}

#[tokio::test]
async fn a_refusal_names_what_is_missing_and_a_grant_counts_at_once() {
    let world = World::start().await;
    add(&world, "p", "a").await;
    let controller = Identity::service_account("kargo", "kargo-controller", "1");
    let client = world.client_as(controller);
    let credentials = world.credentials_of(client, Settings::default());
    let error = credentials.get("p", Kind::Git, REPO).await.unwrap_err();
    assert_eq!(
        message(&error),
        "failed to get git creds for https://git.example.com/org/app in namespace \"p\": \
         permission denied: this controller's ServiceAccount needs the verbs get, list and watch on \
         secrets in namespace \"p\"; the management controller grants them for Projects"
    );
    grant(&world).await;
    world.settle().await;
    assert_eq!(git_user(&credentials, "p", REPO).await.as_deref(), Some("a"));
}

#[tokio::test]
async fn what_was_once_readable_is_not_used_after_access_was_revoked() {
    let world = World::start().await;
    add(&world, "p", "a").await;
    grant(&world).await;
    let client = world.client_as(Identity::service_account("kargo", "kargo-controller", "1"));
    let credentials = world.credentials_of(client, Settings::default());
    assert_eq!(git_user(&credentials, "p", REPO).await.as_deref(), Some("a"));
    world.settle().await;
    let bindings: Api<RoleBinding> = Api::namespaced(world.engine.admin_client(), "p");
    bindings.delete("read", &DeleteParams::default()).await.unwrap();
    // The API server looks at permissions when a watch is opened anew.
    for _ in 0..6 {
        world.pass(Duration::from_mins(1)).await;
    }
    let error = credentials.get("p", Kind::Git, REPO).await.unwrap_err();
    assert!(message(&error).contains("permission denied"), "{}", message(&error));
}

async fn grant(world: &World) {
    let client = world.engine.admin_client();
    let role: Role = serde_json::from_value(json!({
        "metadata": {"name": "read"},
        "rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list", "watch"]}],
    }))
    .unwrap();
    let binding: RoleBinding = serde_json::from_value(json!({
        "metadata": {"name": "read"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "read"},
        "subjects": [{"kind": "ServiceAccount", "namespace": "kargo", "name": "kargo-controller"}],
    }))
    .unwrap();
    let params = PostParams::default();
    Api::namespaced(client.clone(), "p").create(&params, &role).await.unwrap();
    Api::namespaced(client, "p").create(&params, &binding).await.unwrap();
}

#[tokio::test]
async fn an_api_server_that_does_not_answer_is_an_error_in_time_and_forgotten_afterwards() {
    let world = World::start().await;
    add(&world, "shared", "a").await;
    let settings = Settings { shared_namespace: Some("shared".into()), ..Settings::default() };
    let credentials = world.credentials(settings);
    git_user(&credentials, "p", REPO).await;
    world.tap.set_down(true);
    let lookup = credentials.get("zone", Kind::Git, REPO);
    let error = world.while_time_passes(lookup).await.unwrap_err();
    assert_eq!(
        message(&error),
        "failed to get git creds for https://git.example.com/org/app in namespace \"zone\": \
         error listing Secrets: no answer within 30 s"
    );
    world.tap.set_down(false);
    assert_eq!(git_user(&credentials, "zone", REPO).await.as_deref(), Some("a"));
}
