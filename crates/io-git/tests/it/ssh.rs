//! Git over a real `sshd`.

use std::time::Duration;

use core_rules::credential::Credential;
use dev_testkit::server::{SshServer, missing_sshd};
use io_git::{Error, Repository};

use crate::world::{World, fetch, remote, subjects};

/// The world and its SSH server; `None`, with the reason printed, where there can be none.
async fn server() -> Option<SshServer> {
    if let Some(reason) = missing_sshd() {
        println!("{reason}");
        return None;
    }
    let server = SshServer::start().await.unwrap();
    server.repository("a.git").unwrap().grow("main", 3).unwrap();
    Some(server)
}

fn login(world: &World, server: &SshServer, key: String) -> Repository {
    let credential = Some(Credential::SshKey(core_rules::credential::Secret::new(key)));
    world.store.repository(&remote(&server.url("a.git"), credential)).unwrap()
}

#[tokio::test]
async fn a_repository_is_listed_and_fetched_over_ssh() {
    let Some(server) = server().await else { return };
    let world = World::new().await;
    // Secrets are often pasted with the wrong line ends.
    let key = server.client_key().unwrap().replace('\n', "\r\n");
    let repository = login(&world, &server, key);
    let refs = repository.list_refs(&["HEAD"]).await.unwrap();
    assert_eq!(refs.head(), Some("refs/heads/main"), "{}", server.log());
    let snapshot = fetch(&repository, "refs/heads/main").await.unwrap();
    assert_eq!(subjects(&snapshot, "refs/heads/main").await.unwrap().len(), 3);
    drop(refs);
    let work = std::fs::read_dir(world.root.path().join("work")).unwrap();
    assert_eq!(work.count(), 0, "a key was left behind");
}

#[tokio::test]
async fn a_fetch_goes_through_the_log_in_of_its_listing() {
    let Some(server) = server().await else { return };
    let world = World::new().await;
    let repository = login(&world, &server, server.client_key().unwrap());
    let log_ins = || server.log().matches("Accepted publickey").count();
    let refs = repository.list_refs(&["refs/heads/main"]).await.unwrap();
    repository.fetch(&refs, &["refs/heads/main"]).await.unwrap();
    assert_eq!(log_ins(), 1, "{}", server.log());
    drop(refs);
    // What is not listed anew is kept open for nobody.
    let closed = || server.log().matches("Disconnected from user").count() == 1;
    let gone = async {
        while !closed() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone).await.unwrap();
    repository.list_refs(&["refs/heads/main"]).await.unwrap();
    assert_eq!(log_ins(), 2, "{}", server.log());
}

#[tokio::test]
async fn an_unknown_key_is_refused_and_a_missing_repository_is_not_found() {
    let Some(server) = server().await else { return };
    let world = World::new().await;
    let stranger = login(&world, &server, server.stranger_key().unwrap());
    let error = stranger.list_refs(&[]).await.unwrap_err();
    assert!(matches!(error, Error::Credential { .. }), "{error}");
    let key = Credential::SshKey(core_rules::credential::Secret::new(server.client_key().unwrap()));
    let missing = world.store.repository(&remote(&server.url("none.git"), Some(key))).unwrap();
    let error = missing.list_refs(&[]).await.unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error}");
}

#[tokio::test]
async fn a_host_key_is_insisted_on_once_it_is_known() {
    let Some(server) = server().await else { return };
    let other = SshServer::start().await.unwrap();
    let hosts = tempfile::NamedTempFile::new().unwrap();
    let known = |line: String| {
        std::fs::write(hosts.path(), line).unwrap();
        hosts.path().to_owned()
    };
    let file = known(server.known_host().unwrap());
    let world = World::with(|settings| settings.known_hosts = Some(file)).await;
    let repository = login(&world, &server, server.client_key().unwrap());
    repository.list_refs(&[]).await.unwrap();
    // The other server's key under this server's name.
    let name = server.known_host().unwrap().split(' ').next().unwrap().to_owned();
    let wrong = other.known_host().unwrap();
    known(format!("{name} {}", wrong.split_once(' ').unwrap().1));
    let error = repository.list_refs(&[]).await.unwrap_err();
    assert!(matches!(error, Error::HostKey { .. }), "{error}");
}

#[tokio::test]
async fn a_closed_port_is_unreachable() {
    if let Some(reason) = missing_sshd() {
        println!("{reason}");
        return;
    }
    let world = World::new().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("ssh://git@127.0.0.1:{port}/x");
    let error =
        world.store.repository(&remote(&url, None)).unwrap().list_refs(&[]).await.unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error}");
}
