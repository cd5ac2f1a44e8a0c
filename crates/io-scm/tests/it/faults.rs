//! Services that refuse, break down or talk nonsense.

use std::time::Duration;

use dev_testkit::server::{
    TlsFront,
    scm::{Fault, Mishap, Service, TOKEN},
};
use io_scm::{Access, Error, Merge, Provider, PullRequests, Settings};
use proptest::prelude::*;

use crate::world::{World, branches, new_pull_request};

#[tokio::test]
async fn every_failure_has_its_class_and_names_the_remedy() {
    let world = World::of(Service::Github).await;
    world.server.open("work", "main").unwrap();
    let connection = world.connect();
    let mut told = Vec::new();
    for (status, is_temporary) in [
        (400, false),
        (401, false),
        (403, false),
        (404, false),
        (409, false),
        (410, false),
        (422, false),
        (408, true),
        (429, true),
        (500, true),
        (502, true),
        (503, true),
        (504, true),
        (301, false),
    ] {
        world.server.fail(Fault::once(Fault::saying(status, "said so")));
        let error = connection.merge(1, None).await.unwrap_err();
        assert_eq!(error.is_temporary(), is_temporary, "{status}");
        told.push(error.to_string());
    }
    insta::assert_snapshot!(told.join("\n"), @r"
    GitHub could not read pull request 1 in Acme/App: it refuses (HTTP 400: said so); put right what it names
    GitHub could not read pull request 1 in Acme/App: it refuses the token (HTTP 401: said so); check that the token is valid and has the rights for pull requests and contents of this repository
    GitHub could not read pull request 1 in Acme/App: it refuses the token (HTTP 403: said so); check that the token is valid and has the rights for pull requests and contents of this repository
    GitHub could not read pull request 1 in Acme/App: it does not exist, or the credential may not see it (HTTP 404: said so); check repoURL, the number and the token
    GitHub could not read pull request 1 in Acme/App: it refuses (HTTP 409: said so); put right what it names
    GitHub could not read pull request 1 in Acme/App: it does not exist, or the credential may not see it (HTTP 410: said so); check repoURL, the number and the token
    GitHub could not read pull request 1 in Acme/App: it refuses (HTTP 422: said so); put right what it names
    GitHub could not read pull request 1 in Acme/App: it has a problem of its own (HTTP 408: said so); it is asked again later
    GitHub could not read pull request 1 in Acme/App: too many requests (HTTP 429); they are sent again later
    GitHub could not read pull request 1 in Acme/App: it has a problem of its own (HTTP 500: said so); it is asked again later
    GitHub could not read pull request 1 in Acme/App: it has a problem of its own (HTTP 502: said so); it is asked again later
    GitHub could not read pull request 1 in Acme/App: it has a problem of its own (HTTP 503: said so); it is asked again later
    GitHub could not read pull request 1 in Acme/App: it has a problem of its own (HTTP 504: said so); it is asked again later
    GitHub could not read pull request 1 in Acme/App: it moved (HTTP 301); set repoURL to its new address
    ");
}

#[tokio::test]
async fn a_wrong_token_is_refused_by_every_service_for_good() {
    for service in Service::ALL {
        let world = World::of(service).await;
        let error = world.connect_with(Some("wrong")).get(1).await.unwrap_err();
        assert!(!error.is_temporary(), "{error}");
        assert!(error.to_string().contains("refuses the token (HTTP 401"), "{error}");
    }
}

#[tokio::test]
async fn azure_devops_needs_a_token_and_its_page_for_logging_in_is_a_refusal() {
    let world = World::of(Service::Azure).await;
    let settings = world.settings();
    let missing = PullRequests::connect(world.access(&settings, None)).err().unwrap();
    insta::assert_snapshot!(missing, @"Azure DevOps takes no anonymous requests for Acme/Shop/App: add a Git credential with a token for it to the Project");
    let page = Mishap::Answer(203, Vec::new(), "<html>Sign in</html>".to_owned());
    world.server.fail(Fault::once(page));
    let error = world.connect().get(1).await.unwrap_err();
    assert!(!error.is_temporary() && error.to_string().contains("refuses the token"), "{error}");
}

#[tokio::test]
async fn certificates_are_checked_unless_told_otherwise_and_always_in_the_cloud() {
    for service in Service::ALL {
        let world = World::of(service).await;
        world.server.open("work", "main").unwrap();
        let front = TlsFront::start(world.server.api_address()).await.unwrap();
        let path = world.server.api_url();
        let path = path.splitn(4, '/').nth(3).unwrap_or_default();
        let api = format!("https://{}/{path}", front.address());
        let settings = Settings::default();
        let settings = settings.with_host(&world.server.host(), world.provider, Some(&api));
        let is_cloud = matches!(service, Service::Bitbucket | Service::Azure);
        for (skip, works) in [(false, false), (true, !is_cloud)] {
            let access = world.access(&settings, Some(TOKEN));
            let access = Access { insecure_skip_tls_verify: skip, ..access };
            let result = PullRequests::connect(access).unwrap().get(1).await;
            assert_eq!(result.is_ok(), works, "{service:?} {skip} {result:?}");
        }
    }
}

#[tokio::test]
async fn a_pause_that_is_asked_for_is_told() {
    let world = World::of(Service::Github).await;
    let connection = world.connect();
    let asked = |status, name, value: &str| {
        let headers = vec![(name, value.to_owned()), ("x-ratelimit-remaining", "0".to_owned())];
        Fault::once(Mishap::Answer(status, headers, String::new()))
    };
    for (fault, seconds) in [
        (asked(429, "retry-after", "17"), 17),
        (asked(403, "retry-after", "18"), 18),
        (asked(503, "retry-after", "19"), 19),
        (asked(403, "x-ratelimit-reset", "1767225620"), 20),
    ] {
        world.server.fail(fault);
        let error = connection.get(1).await.unwrap_err();
        assert!(error.is_temporary());
        assert_eq!(error.retry_after(), Some(Duration::from_secs(seconds)), "{error}");
    }
    let secondary = "You have exceeded a secondary rate limit";
    world.server.fail(Fault::once(Fault::saying(403, secondary)));
    assert!(connection.get(1).await.unwrap_err().is_temporary());
}

#[tokio::test]
async fn a_host_that_is_not_there_is_told_with_the_remedy() {
    let world = World::of(Service::Gitea).await;
    let settings = Settings::default();
    let nowhere = Some("http://127.0.0.1:1/api/v1");
    let settings = settings.with_host(&world.server.host(), world.provider, nowhere);
    let connection = PullRequests::connect(world.access(&settings, None)).unwrap();
    let error = connection.get(1).await.unwrap_err();
    assert!(error.is_temporary());
    let told = error.to_string();
    assert!(told.starts_with("Gitea could not read pull request 1 in Acme/App: 127.0.0.1:1"));
    assert!(told.ends_with("that the host of the API can be reached from here"), "{told}");
}

#[tokio::test]
async fn silence_and_endless_talk_end() {
    let world = World::of(Service::Gitlab).await;
    world.server.fail(Fault::once(Mishap::Silence));
    let error = world.connect().get(1).await.unwrap_err();
    assert!(error.is_temporary(), "{error}");
    let flood = Mishap::Answer(200, Vec::new(), "x".repeat(17 * 1024 * 1024));
    world.server.fail(Fault::once(flood));
    let error = world.connect().get(1).await.unwrap_err();
    assert!(error.to_string().contains("sent more than"), "{error}");
}

#[tokio::test]
async fn a_token_is_not_repeated_and_does_not_follow_a_redirect() {
    let world = World::of(Service::Gitlab).await;
    let stranger = World::of(Service::Gitlab).await;
    world.server.fail(Fault::once(Fault::saying(400, &format!("bad token {TOKEN}\u{1b}[2J"))));
    let error = world.connect().get(1).await.unwrap_err().to_string();
    assert!(!error.contains(TOKEN) && error.contains("bad token ***"), "{error}");
    assert!(!error.contains('\u{1b}'));
    let location = vec![("location", stranger.server.api_url())];
    world.server.fail(Fault::once(Mishap::Answer(301, location, String::new())));
    let error = world.connect().get(1).await.unwrap_err();
    assert!(error.to_string().contains("set repoURL to its new address"), "{error}");
    assert!(stranger.server.received().is_empty());
}

#[tokio::test]
async fn nonsense_is_an_error_and_never_a_panic() {
    let values = [
        "",
        "null",
        "[]",
        "{}",
        "[null]",
        "42",
        "\"text\"",
        "<html></html>",
        "{\"number\":-1}",
        "{\"number\":1,\"html_url\":\"javascript:alert(1)\",\"state\":\"open\",\"head\":{\"ref\":\"a\",\"sha\":\"x\"},\"base\":{\"ref\":\"b\",\"sha\":\"x\"}}",
        "{\"iid\":1e99}",
        "{\"value\":{}}",
        "{\"values\":[{}],\"next\":\"file:///etc/passwd\"}",
    ];
    let deep = "[".repeat(100_000);
    for service in Service::ALL {
        let world = World::of(service).await;
        let connection = world.connect();
        for body in values.into_iter().chain([deep.as_str()]) {
            let fault = Mishap::Answer(200, Vec::new(), body.to_owned());
            world.server.fail(Fault::always(fault).times(3));
            let new = new_pull_request();
            assert!(connection.get(1).await.is_err(), "{service:?} {body:.40}");
            let merged = connection.merge(1, None).await;
            assert!(!matches!(merged, Ok(Merge::Done(_))), "{service:?} {body:.40}");
            let opened = connection.open(&new).await;
            assert!(opened.is_err(), "{service:?} {body:.40}");
        }
    }
}

#[tokio::test]
async fn a_list_that_never_ends_is_left() {
    let world = World::of(Service::Github).await;
    let next = vec![("link", "<http://x/>; rel=\"next\"".to_owned())];
    world.server.fail(Fault::always(Mishap::Answer(200, next, "[]".to_owned())));
    assert_eq!(world.connect().find(&branches(), &world.head).await.unwrap(), None);
    assert_eq!(world.server.received().len(), 50 + 10);
}

#[tokio::test]
async fn hostile_names_of_branches_stay_parameters() {
    for service in Service::ALL {
        let world = World::of(service).await;
        let mut hostile = branches();
        hostile.source = "a&state=all#x?y=\"z\" OR state=\"OPEN\"/../..".to_owned();
        let found = world.connect().find(&hostile, &world.head).await.unwrap();
        assert_eq!(found, None, "{service:?}");
        assert!(world.server.received().iter().all(|seen| !seen.path.contains("..")));
    }
}

#[tokio::test]
async fn an_unknown_host_and_a_wrong_path_are_told_with_the_remedy() {
    let world = World::of(Service::Github).await;
    let settings = Settings::default();
    let refused = |url: &'static str, provider| {
        let access = Access { url, provider, ..world.access(&settings, None) };
        PullRequests::connect(access).err().unwrap()
    };
    let unknown = refused("https://user:secret@git.example.com/acme/app", None);
    assert!(matches!(unknown, Error::UnknownProvider { .. }));
    insta::assert_snapshot!(unknown, @"no provider is known for https://git.example.com/acme/app: set provider to azure, bitbucket, gitea, github or gitlab, or have an operator add the host to GIT_PROVIDER_HOSTS");
    let wrong = refused("https://github.com/acme/team/app", None);
    insta::assert_snapshot!(wrong, @"https://github.com/acme/team/app is not the address of a repository at GitHub: its path must be OWNER/REPOSITORY");
    refused("not a url", Some(Provider::Gitlab));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_pull_request_is_read_or_refused(body in json_value()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let world = World::of(Service::Github).await;
            world.server.fail(Fault::always(Mishap::Answer(200, Vec::new(), body.clone())));
            let _ = world.connect().get(1).await;
            let _ = world.connect().find(&branches(), &world.head).await;
        });
    }
}

/// Members of a pull request, each with a value of any kind.
fn json_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        Just("\"open\"".to_owned()),
        Just("{\"ref\":\"a\",\"sha\":\"0123456789\"}".to_owned()),
    ];
    let names = ["number", "html_url", "state", "merged_at", "head", "base", "draft"];
    proptest::collection::vec(leaf, names.len()).prop_map(move |values| {
        let members: Vec<String> =
            names.iter().zip(values).map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    })
}
