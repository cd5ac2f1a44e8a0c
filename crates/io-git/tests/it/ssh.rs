//! Git over a real `sshd`.

use std::time::Duration;

use core_clock::FixedEnvironment;
use core_rules::credential::Credential;
use dev_testkit::server::{SshServer, missing_sshd};
use io_git::{Error, Repository, SshUser};

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

/// An agent with the key of the server's user; it ends when this is dropped.
struct Agent {
    directory: tempfile::TempDir,
    child: std::process::Child,
}

impl Agent {
    fn start(key: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("socket");
        let child = std::process::Command::new("ssh-agent")
            .args(["-D", "-a"])
            .arg(&socket)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let agent = Self { directory, child };
        for _ in 0..500 {
            if !socket.exists() {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        let file = agent.directory.path().join("key");
        std::fs::write(&file, key).unwrap();
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&file, private).unwrap();
        let mut add = std::process::Command::new("ssh-add");
        let added = add.arg("-q").arg(&file).env("SSH_AUTH_SOCK", &socket).status().unwrap();
        assert!(added.success());
        std::fs::remove_file(&file).unwrap();
        agent
    }

    fn user(&self, known_hosts: &str) -> SshUser {
        let file = self.directory.path().join("known_hosts");
        std::fs::write(&file, known_hosts).unwrap();
        let environment: FixedEnvironment = [
            ("SSH_AUTH_SOCK", self.directory.path().join("socket").display().to_string()),
            ("HOME", "/nowhere".to_owned()),
        ]
        .into_iter()
        .collect();
        SshUser { known_hosts: Some(file), ..SshUser::from_environment(&environment) }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn without_credential(world: &World, server: &SshServer) -> Repository {
    world.store.repository(&remote(&server.url("a.git"), None)).unwrap()
}

#[tokio::test]
async fn the_agent_of_a_person_logs_in_where_there_is_no_credential() {
    let Some(server) = server().await else { return };
    let agent = Agent::start(&server.client_key().unwrap());
    let user = agent.user(&server.known_host().unwrap());
    let world = World::with(|settings| settings.ssh_user = Some(user)).await;
    let repository = without_credential(&world, &server);
    let snapshot = fetch(&repository, "refs/heads/main").await.unwrap();
    assert_eq!(subjects(&snapshot, "refs/heads/main").await.unwrap().len(), 3);
    let plain = World::new().await;
    let refused = without_credential(&plain, &server).list_refs(&["HEAD"]).await;
    assert!(refused.is_err(), "nobody lends an agent to a server");
}

#[tokio::test]
async fn a_key_that_is_given_is_used_instead_of_the_agent() {
    let Some(server) = server().await else { return };
    let agent = Agent::start(&server.client_key().unwrap());
    let user = agent.user(&server.known_host().unwrap());
    let world = World::with(|settings| settings.ssh_user = Some(user)).await;
    let stranger = login(&world, &server, server.stranger_key().unwrap());
    assert!(stranger.list_refs(&["HEAD"]).await.is_err());
}

#[tokio::test]
async fn a_host_with_another_key_than_the_person_knows_is_refused() {
    let Some(server) = server().await else { return };
    let other = SshServer::start().await.unwrap().known_host().unwrap();
    let (_, key) = other.split_once(' ').unwrap();
    let agent = Agent::start(&server.client_key().unwrap());
    let user = agent.user(&format!("[127.0.0.1]:{} {key}", server.address().port()));
    let world = World::with(|settings| settings.ssh_user = Some(user)).await;
    let refused = without_credential(&world, &server).list_refs(&["HEAD"]).await;
    let error = refused.unwrap_err();
    assert!(matches!(error, Error::HostKey { .. }), "{error:?}");
}
