//! Which of several Secrets is taken.

use core_rules::credential::{Credential, Secret};
use io_creds::{Clusters, Kind, Settings};
use kube::Client;

use crate::world::{World, git_user, user};

const REPO: &str = "https://git.example.com/org/app";

fn with_shared() -> Settings {
    Settings { shared_namespace: Some("shared".into()), ..Settings::default() }
}

fn login<'a>(url: &'a str, user: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![("repoURL", url), ("username", user), ("password", "x")]
}

fn pattern<'a>(url: &'a str, user: &'a str) -> Vec<(&'a str, &'a str)> {
    [login(url, user), vec![("repoURLIsRegex", "true")]].concat()
}

#[tokio::test]
async fn the_project_comes_before_the_shared_namespace_and_exact_before_a_pattern() {
    let world = World::start().await;
    world.secret("shared", "a", "git", &login(REPO, "shared-exact")).await;
    world.secret("p", "a", "git", &pattern("git", "pattern-a")).await;
    world.secret("p", "b", "git", &pattern("org", "pattern-b")).await;
    world.secret("p", "z", "git", &login(REPO, "exact")).await;
    world.secret("q", "other", "git", &login("https://git.example.com/other", "other")).await;
    let credentials = world.credentials(with_shared());
    assert_eq!(git_user(&credentials, "p", REPO).await.as_deref(), Some("exact"));
    world.delete("p", "z").await;
    world.settle().await;
    assert_eq!(git_user(&credentials, "p", REPO).await.as_deref(), Some("pattern-a"));
    world.delete("p", "a").await;
    world.settle().await;
    assert_eq!(git_user(&credentials, "p", REPO).await.as_deref(), Some("pattern-b"));
    assert_eq!(git_user(&credentials, "q", REPO).await.as_deref(), Some("shared-exact"));
    let alone = world.credentials(Settings::default());
    assert_eq!(git_user(&alone, "q", REPO).await, None);
}

#[tokio::test]
async fn a_secret_without_a_usable_shape_lets_the_next_one_answer() {
    let world = World::start().await;
    world.secret("p", "a", "git", &[("repoURL", REPO)]).await;
    world.secret("p", "b", "git", &[("repoURL", REPO), ("username", "u"), ("password", "")]).await;
    world.secret("p", "c", "git", &[("repoURL", REPO), ("sshPrivateKey", "key")]).await;
    world.secret("shared", "d", "git", &login(REPO, "shared")).await;
    let credentials = world.credentials(with_shared());
    assert_eq!(git_user(&credentials, "p", REPO).await.as_deref(), Some("shared"));
}

#[tokio::test]
async fn git_over_ssh_takes_the_key_and_git_over_http_the_password_of_one_secret() {
    let world = World::start().await;
    let data = [pattern("git\\.example", "basic"), vec![("sshPrivateKey", "key")]].concat();
    world.secret("p", "both", "git", &data).await;
    let credentials = world.credentials(Settings::default());
    assert_eq!(git_user(&credentials, "p", REPO).await.as_deref(), Some("basic"));
    let found = credentials.get("p", Kind::Git, "git@git.example.com:org/app.git").await.unwrap();
    assert_eq!(found, Some(Credential::SshKey(Secret::new("key"))));
}

#[tokio::test]
async fn each_kind_has_its_own_secrets() {
    let world = World::start().await;
    let url = "registry.example.com/app";
    for kind in ["git", "helm", "image", "generic"] {
        world.secret("p", kind, kind, &login(url, kind)).await;
    }
    let credentials = world.credentials(Settings::default());
    for kind in [Kind::Git, Kind::Helm, Kind::Image] {
        assert_eq!(user(credentials.get("p", kind, url).await), Some(kind.to_string()));
    }
}

#[tokio::test]
async fn nothing_is_sent_over_plain_http_unless_allowed() {
    let world = World::start().await;
    world.secret("p", "a", "git", &pattern(".*", "anything")).await;
    let careful = world.credentials(Settings::default());
    for url in ["http://git.example.com/a", " HTTP://git.example.com/a", "\u{200b}http://a.b/c"] {
        assert_eq!(git_user(&careful, "p", url).await, None, "{url}");
    }
    assert!(world.tap.lists().is_empty(), "a refusal needs no Secrets");
    let careless = world.credentials(Settings { allow_over_http: true, ..Settings::default() });
    let found = git_user(&careless, "p", "http://git.example.com/a").await;
    assert_eq!(found.as_deref(), Some("anything"));
}

#[tokio::test]
async fn without_providers_there_are_no_credentials() {
    let world = World::start().await;
    world.secret("p", "a", "git", &login(REPO, "exact")).await;
    let settings = Settings { providers_enabled: false, ..Settings::default() };
    assert_eq!(git_user(&world.credentials(settings), "p", REPO).await, None);
}

#[tokio::test]
async fn the_local_cluster_is_asked_last_and_only_when_told_so() {
    let (control_plane, local) = (World::start().await, World::start().await);
    local.secret("p", "a", "git", &login(REPO, "local")).await;
    let clusters = |world: &World, other: &World| -> Clusters {
        let client = |world: &World| -> Client { world.engine.admin_client() };
        Clusters { control_plane: client(world), local: Some(client(other)) }
    };
    let fallback = Settings { local_cluster_fallback: true, ..with_shared() };
    let both = control_plane.credentials_of(clusters(&control_plane, &local), fallback);
    let one = control_plane.credentials_of(clusters(&control_plane, &local), with_shared());
    assert_eq!(git_user(&both, "p", REPO).await.as_deref(), Some("local"));
    assert_eq!(git_user(&one, "p", REPO).await, None);
    control_plane.secret("shared", "a", "git", &login(REPO, "shared")).await;
    control_plane.settle().await;
    assert_eq!(git_user(&both, "p", REPO).await.as_deref(), Some("shared"));
}
