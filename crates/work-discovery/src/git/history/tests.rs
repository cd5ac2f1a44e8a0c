//! Searches that go on from an earlier one find what a search from scratch finds.

use core_clock::{Environment as _, FixedEnvironment};
use dev_testkit::server::GitRepository;
use io_git::{Remote, Settings, Store};
use io_http::outbound::{self, Outbound, Tls};
use io_runtime::{SystemClock, SystemEnvironment, TaskGroup};

use api_kinds::{Time, warehouse::GitSubscription};

use super::*;

struct World {
    origin: GitRepository,
    repository: Repository,
    _directory: tempfile::TempDir,
}

impl World {
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let origin = GitRepository::create(directory.path().join("origin")).unwrap();
        let path = SystemEnvironment.var("PATH").unwrap_or_default();
        let environment: FixedEnvironment = [("PATH", path)].into_iter().collect();
        let settings =
            Settings { allow_local: true, ..Settings::new(directory.path().join("git")) };
        let outbound = Outbound::new(outbound::Settings::default());
        let (clock, tasks) = (Arc::new(SystemClock::new()), Arc::new(TaskGroup::new()));
        let store = Store::open(settings, outbound, clock, tasks, &environment).await.unwrap();
        let url = format!("file://{}", origin.path().display());
        let remote = Remote { url, credential: None, tls: Tls::default() };
        let repository = store.repository(&remote).unwrap();
        Self { origin, repository, _directory: directory }
    }

    /// Commits of which every third changes `app`, every fifth is by somebody else's word.
    fn push(&self, numbers: std::ops::Range<u32>) {
        for number in numbers {
            let path = if number.is_multiple_of(3) { "app/a" } else { "docs/a" };
            let subject = if number.is_multiple_of(5) {
                format!("skip {number}")
            } else {
                number.to_string()
            };
            self.origin.commit("main", &subject, &[(path, &number.to_string())]).unwrap();
        }
    }

    async fn search(
        &self,
        subscription: &GitSubscription,
        earlier: Option<&GitDiscoveryResult>,
    ) -> GitDiscoveryResult {
        let selector = GitSelector::new(subscription).unwrap();
        let refs = self.repository.list_refs(&[selector.refs_to_ask().prefix()]).await.unwrap();
        let observed = super::super::observe(&selector, &refs);
        let repository = self.repository.clone();
        let history = History { repository, refs, earlier, now: Timestamp::UNIX_EPOCH };
        let (commits, _) = history.select(&selector, Verdicts::none()).await.unwrap();
        selector.result("", commits, observed)
    }
}

fn subscriptions(since: Timestamp) -> Vec<GitSubscription> {
    let base = || GitSubscription { branch: "main".into(), ..GitSubscription::default() };
    let (paths, words) = (vec!["app".to_owned()], "!(subject contains 'skip')".to_owned());
    let mut all = Vec::new();
    for discovery_limit in [1, 4, 20] {
        let limited = || GitSubscription { discovery_limit, ..base() };
        all.push(limited());
        all.push(GitSubscription { include_paths: paths.clone(), ..limited() });
        all.push(GitSubscription { expression_filter: words.clone(), ..limited() });
        all.push(GitSubscription { since: Some(Time(since)), ..limited() });
    }
    all
}

#[tokio::test]
async fn going_on_from_an_earlier_search_finds_the_same_as_starting_anew() {
    let world = World::new().await;
    world.push(0..25);
    let middle = world.origin.git(&["log", "-1", "--format=%ct", "main~12"]).unwrap();
    let since = Timestamp::from_second(middle.trim().parse().unwrap()).unwrap();
    let subscriptions = subscriptions(since);
    let mut earlier = Vec::new();
    for subscription in &subscriptions {
        earlier.push(world.search(subscription, None).await);
    }
    let compare = async |what: &str| {
        for (subscription, earlier) in subscriptions.iter().zip(&earlier) {
            let anew = world.search(subscription, None).await;
            let on = world.search(subscription, Some(earlier)).await;
            assert_eq!(on, anew, "{what}: {subscription:?}");
        }
    };
    compare("nothing new").await;
    world.push(25..26);
    compare("one commit").await;
    world.push(26..40);
    compare("many commits").await;
    world.origin.git(&["update-ref", "refs/heads/main", "main~20"]).unwrap();
    compare("a branch that was set back").await;
    world.push(40..45);
    compare("another history").await;
}

#[tokio::test]
async fn what_was_searched_before_is_not_walked_again() {
    let world = World::new().await;
    world.push(0..30);
    let subscription = GitSubscription {
        branch: "main".into(),
        include_paths: vec!["app".into()],
        discovery_limit: 2,
        ..GitSubscription::default()
    };
    let earlier = world.search(&subscription, None).await;
    world.push(31..33);
    let refs = world.repository.list_refs(&["refs/heads/main"]).await.unwrap();
    let snapshot = world.repository.fetch(&refs, &["refs/heads/main"]).await.unwrap();
    let walked = snapshot.read(move |reader| -> Result<usize, io_git::Error> {
        let (seen, known) = (Seen::default(), Known::of(&earlier));
        let tip = reader.tip("refs/heads/main")?;
        Ok(Walk::from(reader, tip, known.as_ref(), &seen)?.count())
    });
    assert_eq!(walked.await.unwrap(), 2 + 2);
}
