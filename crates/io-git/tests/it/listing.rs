//! Refs over HTTP.

use core_rules::credential::Credential;
use dev_testkit::server::{Behaviour, GitHttp, TlsFront};
use io_git::{Error, Remote};
use io_http::outbound::Tls;

use crate::world::{World, fetch, remote};

#[tokio::test]
async fn refs_are_listed_by_prefix_with_head_and_peeled_tags_in_two_requests() {
    let world = World::new().await;
    let repository = world.server.repository("a").unwrap();
    let first = repository.commit("main", "one", &[("x", "1")]).unwrap();
    repository.commit("other", "two", &[("x", "2")]).unwrap();
    repository.git(&["tag", "light", &first]).unwrap();
    repository.git(&["tag", "-a", "heavy", "-m", "a message", &first]).unwrap();
    let refs = world.repository("a").list_refs(&["HEAD", "refs/tags/"]).await.unwrap();
    let names: Vec<&str> = refs.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(names, ["HEAD", "refs/tags/heavy", "refs/tags/light"]);
    assert_eq!(refs.head(), Some("refs/heads/main"));
    let heavy = refs.get("refs/tags/heavy").unwrap();
    assert_eq!(heavy.peeled.unwrap().to_string(), first);
    assert_ne!(heavy.id.to_string(), first);
    assert_eq!(refs.get("refs/tags/light").unwrap().id.to_string(), first);
    assert_eq!(world.server.seen().len(), 2);
}

#[tokio::test]
async fn an_old_server_is_understood() {
    let world = World::new().await;
    let repository = world.server.repository("old").unwrap();
    let first = repository.commit("main", "one", &[("x", "1")]).unwrap();
    repository.git(&["tag", "-a", "v1", "-m", "m", &first]).unwrap();
    world.server.behave("old", Behaviour::OldProtocol);
    let refs = world.repository("old").list_refs(&["HEAD", "refs/tags/"]).await.unwrap();
    assert_eq!(refs.head(), Some("refs/heads/main"));
    assert_eq!(refs.get("refs/tags/v1").unwrap().peeled.unwrap().to_string(), first);
    assert_eq!((refs.len(), world.server.seen().len()), (2, 1));
    fetch(&world.repository("old"), "refs/heads/main").await.unwrap();
}

#[tokio::test]
async fn an_unborn_repository_has_a_head_and_no_refs() {
    let world = World::new().await;
    world.server.repository("empty").unwrap();
    let refs = world.repository("empty").list_refs(&["HEAD"]).await.unwrap();
    assert!(refs.is_empty());
    assert_eq!(refs.head(), Some("refs/heads/main"));
    let error = world.repository("empty").fetch(&refs, &["HEAD"]).await.err().unwrap();
    assert!(matches!(error, Error::NoSuchRef { .. }), "{error}");
}

#[tokio::test]
async fn equal_requests_share_a_listing() {
    let world = World::new().await;
    world.server.repository("a").unwrap().commit("main", "one", &[("x", "1")]).unwrap();
    let repository = world.repository("a");
    let all = (0..57).map(|_| {
        let repository = repository.clone();
        tokio::spawn(async move { repository.list_refs(&["HEAD"]).await.map(|refs| refs.len()) })
    });
    for listing in all.collect::<Vec<_>>() {
        assert_eq!(listing.await.unwrap().unwrap(), 1);
    }
    // One that was under way when the others came, and one for all of them.
    assert!(world.server.seen().len() <= 4, "one listing for each caller");
}

#[tokio::test]
async fn a_wrong_password_is_refused_and_never_shown() {
    let world = World::new().await;
    world.server.repository("private").unwrap().commit("main", "one", &[("x", "1")]).unwrap();
    let login = Behaviour::Login("kargo".into(), "right".into());
    world.server.behave("private", login);
    let wrong = world.login("private", Credential::basic("kargo", "hunter2"));
    let error = wrong.list_refs(&["HEAD"]).await.unwrap_err();
    assert!(matches!(error, Error::Credential { .. }), "{error}");
    assert_eq!(error.to_string(), "127.0.0.1 refused the user name and password");
    assert!(!format!("{error:?}").contains("hunter2"));
    let nobody = world.repository("private").list_refs(&["HEAD"]).await.unwrap_err();
    assert_eq!(nobody.to_string(), "127.0.0.1 refused access without a credential");
    let right = world.login("private", Credential::basic("kargo", "right\n"));
    fetch(&right, "refs/heads/main").await.unwrap();
}

#[tokio::test]
async fn a_password_in_the_url_is_used_and_kept_nowhere() {
    let world = World::new().await;
    world.server.repository("private").unwrap().commit("main", "one", &[("x", "1")]).unwrap();
    world.server.behave("private", Behaviour::Login("kargo".into(), "hun/ter2".into()));
    let url = world.server.url("private").replace("http://", "http://kargo:hun%2Fter2@");
    let repository = world.store.repository(&remote(&url, None)).unwrap();
    fetch(&repository, "refs/heads/main").await.unwrap();
    assert!(!repository.address().contains("kargo"));
    let kept = std::process::Command::new("grep")
        .args(["-r", "-l", "-e", "hun/ter2", "-e", "hun%2Fter2"])
        .arg(world.root.path())
        .output()
        .unwrap();
    assert!(kept.stdout.is_empty(), "{}", String::from_utf8_lossy(&kept.stdout));
}

#[tokio::test]
async fn a_redirect_to_another_server_is_followed_without_the_credential() {
    let world = World::new().await;
    let other = GitHttp::start().await.unwrap();
    let moved = other.repository("moved").unwrap();
    moved.commit("main", "one", &[("x", "1")]).unwrap();
    world.server.behave("here", Behaviour::Redirect(other.url("moved")));
    let repository = world.login("here", Credential::basic("kargo", "hunter2"));
    let snapshot = fetch(&repository, "refs/heads/main").await.unwrap();
    assert_eq!(snapshot.tips().len(), 1);
    assert!(world.server.seen().iter().all(|seen| seen.authorization.is_some()));
    let seen = other.seen();
    assert!(seen.len() >= 4 && seen.iter().all(|seen| seen.authorization.is_none()), "{seen:?}");
}

#[tokio::test]
async fn answers_that_are_no_repository_are_told_apart() {
    let world = World::new().await;
    let missing = world.repository("missing").list_refs(&[]).await.unwrap_err();
    assert!(matches!(missing, Error::NotFound { .. }), "{missing}");
    world.server.behave("busy", Behaviour::Status(503));
    let busy = world.repository("busy").list_refs(&[]).await.unwrap_err();
    assert!(matches!(busy, Error::Status { status: 503, .. }) && busy.is_temporary(), "{busy}");
    world.server.behave("page", Behaviour::Status(200));
    let page = world.repository("page").list_refs(&[]).await.unwrap_err();
    assert!(matches!(page, Error::Protocol { .. }), "{page}");
}

#[tokio::test]
async fn a_private_authority_is_trusted_when_it_is_given_and_only_then() {
    let world = World::new().await;
    let origin = world.server.repository("a").unwrap();
    origin.commit("main", "one", &[("x", "1")]).unwrap();
    let front = TlsFront::start(world.server.address()).await.unwrap();
    let url = format!("https://{}/a", front.address());
    let repository = |tls: Tls| {
        let remote = Remote { url: url.clone(), credential: None, tls };
        world.store.repository(&remote).unwrap()
    };
    let error = repository(Tls::default()).list_refs(&[]).await.unwrap_err();
    assert!(error.to_string().contains("no trusted TLS connection"), "{error}");
    let given = Tls { ca_pem: Some(front.certificate().into()), ..Tls::default() };
    fetch(&repository(given), "refs/heads/main").await.unwrap();
    // What the list call accepts, the program that fetches accepts as well.
    origin.commit("main", "two", &[("x", "2")]).unwrap();
    fetch(&repository(Tls::skip_verify(true)), "refs/heads/main").await.unwrap();
    assert_eq!(world.store.usage().mirrors[0].fetches, 2);
}
