//! Servers that lie, stall, never end or sit where nobody should dial.

use std::time::{Duration, Instant};

use core_rules::credential::Credential;
use dev_testkit::server::{Behaviour, ToxicProxy, Toxin};
use io_git::Error;

use crate::world::{SECOND, World, fetch, remote};

fn lie(bytes: impl Into<Vec<u8>>, endless: bool) -> Behaviour {
    Behaviour::Lie { bytes: bytes.into(), endless }
}

#[tokio::test]
async fn garbage_and_broken_packets_are_a_protocol_error() {
    let world = World::new().await;
    for bytes in ["", "<html>", "zzzz", "001e# service=git-upload-pack\n", "000eversion 2\n0003"] {
        world.server.behave("liar", lie(bytes, false));
        let error = world.repository("liar").list_refs(&[]).await.unwrap_err();
        assert!(matches!(error, Error::Protocol { .. }), "{bytes:?}: {error}");
    }
    world.server.behave("liar", lie("0019ERR access denied: no", false));
    let error = world.repository("liar").list_refs(&[]).await.unwrap_err();
    assert!(error.to_string().contains("access denied"), "{error}");
}

#[tokio::test]
async fn a_list_of_refs_without_end_is_ended() {
    let world = World::with(|settings| settings.max_refs = 10_000).await;
    let line = format!("{} refs/tags/v1\n", "1".repeat(40));
    let line = format!("{:04x}{line}", line.len() + 4);
    world.server.behave("liar", lie(line, true));
    let error = world.repository("liar").list_refs(&[]).await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { unit: "refs", .. }), "{error}");
    let world = World::with(|settings| settings.max_listing_bytes = 1 << 20).await;
    world.server.behave("liar", lie(format!("fff0{}", "x".repeat(65_516)), true));
    let error = world.repository("liar").list_refs(&[]).await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. } | Error::Protocol { .. }), "{error}");
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let world = World::with(|settings| settings.list_deadline = SECOND).await;
    world.server.behave("mute", Behaviour::Silence);
    let start = Instant::now();
    let error = world.repository("mute").list_refs(&[]).await.unwrap_err();
    assert!(matches!(error, Error::Transport(_)) && error.is_temporary(), "{error}");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_fetch_that_stalls_is_ended_and_the_next_one_works() {
    let world = World::with(|settings| settings.stall = SECOND).await;
    world.server.repository("slow").unwrap().commit("main", "one", &[("x", "1")]).unwrap();
    world.server.behave("slow", Behaviour::SlowFetch(Duration::from_mins(1)));
    let repository = world.repository("slow");
    let fetching = tokio::spawn({
        let repository = repository.clone();
        async move { fetch(&repository, "refs/heads/main").await.map(drop) }
    });
    let shown = tokio::time::timeout(Duration::from_secs(30), async {
        loop {
            if let Some(activity) = repository.activity() {
                return activity.to_string();
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    assert!(shown.await.unwrap().starts_with("fetching for "));
    let error = fetching.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Stalled { .. } | Error::Unreachable { .. }), "{error}");
    assert!(repository.activity().is_none());
    world.server.behave("slow", Behaviour::Serve);
    fetch(&repository, "refs/heads/main").await.unwrap();
}

#[tokio::test]
async fn a_repository_that_is_too_large_is_given_up_and_leaves_nothing() {
    let world = World::with(|settings| settings.max_repository_bytes = 200_000).await;
    let repository = world.server.repository("huge").unwrap();
    repository.git(&["config", "uploadpack.allowFilter", "false"]).unwrap();
    let noise: String = (0..3_000_000_u64)
        .map(|n| {
            char::from(
                33 + u8::try_from(n.wrapping_mul(n).wrapping_mul(2_654_435_761) >> 20 & 0x3f)
                    .unwrap(),
            )
        })
        .collect();
    repository.commit("main", "big", &[("noise", &noise)]).unwrap();
    // Slow enough for the watcher to see it, as a large repository is.
    let result = fetch(&world.repository("huge"), "refs/heads/main").await;
    if let Err(error) = result {
        assert!(matches!(error, Error::TooLarge { unit: "bytes", .. }), "{error}");
    }
    let left = std::fs::read_dir(world.mirrors()[0].join("objects/pack")).unwrap();
    let left = left
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("tmp_"));
    assert_eq!(left.count(), 0);
}

#[tokio::test]
async fn addresses_that_nobody_should_dial_are_refused() {
    let world = World::new().await;
    for url in [
        "http://169.254.169.254/x",
        "http://[fe80::1]/x",
        "http://2852039166/x",
        "ssh://git@169.254.169.254/x",
    ] {
        let repository = world.store.repository(&remote(url, None)).unwrap();
        let error = repository.list_refs(&[]).await.unwrap_err();
        assert!(error.to_string().contains("refused"), "{url}: {error}");
    }
    let file = format!("file://{}", world.root.path().display());
    for url in [file.as_str(), "/etc", "ext::sh"] {
        assert!(world.store.repository(&remote(url, None)).is_err(), "{url}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    let world = World::new().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/x");
    let credential = Some(Credential::basic("kargo", "hunter2"));
    let repository = world.store.repository(&remote(&url, credential)).unwrap();
    let error = repository.list_refs(&[]).await.unwrap_err();
    assert!(error.is_temporary() && !error.to_string().contains("hunter2"), "{error}");
}

#[tokio::test]
async fn a_failing_fetch_shows_no_secret() {
    let world = World::new().await;
    world.server.repository("a").unwrap().commit("main", "one", &[("x", "1")]).unwrap();
    let repository = world.login("a", Credential::basic("kargo", "hunter2"));
    let refs = repository.list_refs(&["refs/heads/main"]).await.unwrap();
    world.server.behave("a", Behaviour::Login("kargo".into(), "changed".into()));
    let error = repository.fetch(&refs, &["refs/heads/main"]).await.err().unwrap();
    assert!(matches!(error, Error::Credential { .. }), "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_listing_that_drips_in_is_given_up() {
    let world = World::with(|settings| settings.list_deadline = SECOND).await;
    world.server.repository("a").unwrap().commit("main", "one", &[("x", "1")]).unwrap();
    let proxy = ToxicProxy::start(world.server.address()).await.unwrap();
    proxy.poison(Toxin::SlowLoris(Duration::from_millis(50)));
    let url = format!("http://{}/a", proxy.address());
    let repository = world.store.repository(&remote(&url, None)).unwrap();
    let error = repository.list_refs(&[]).await.unwrap_err();
    assert!(matches!(error, Error::Transport(_)) && error.is_temporary(), "{error}");
}

#[tokio::test]
async fn a_fetch_that_is_cut_leaves_the_mirror_as_it_was() {
    let world = World::new().await;
    let origin = world.server.repository("a").unwrap();
    origin.grow("main", 300).unwrap();
    let proxy = ToxicProxy::start(world.server.address()).await.unwrap();
    let url = format!("http://{}/a", proxy.address());
    let repository = world.store.repository(&remote(&url, None)).unwrap();
    fetch(&repository, "refs/heads/main").await.unwrap();
    origin.commit("main", "more", &[("x", "1")]).unwrap();
    let refs = repository.list_refs(&["refs/heads/main"]).await.unwrap();
    for cut in [0, 50, 100, 200, 300, 400, 500, 600, 700] {
        proxy.poison(Toxin::CutAfter(cut));
        // Whatever git makes of half an answer, it is never taken for what was asked.
        let error = repository.fetch(&refs, &["refs/heads/main"]).await.err().unwrap();
        let told = error.is_temporary() || matches!(error, Error::NoSuchRef { .. });
        assert!(told, "cut after {cut} bytes: {error}");
    }
    proxy.poison(Toxin::None);
    fetch(&repository, "refs/heads/main").await.unwrap();
    assert_eq!(world.store.usage().mirrors[0].rebuilds, 0);
}
