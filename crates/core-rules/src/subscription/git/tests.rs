use std::{collections::BTreeMap, convert::Infallible};

use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::subscription::Verdicts;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// A repository in memory that counts what it is asked for.
#[derive(Default)]
struct Repository {
    tags: BTreeMap<String, Option<TagRecord>>,
    paths: BTreeMap<String, Vec<String>>,
    tags_asked: usize,
    paths_asked: usize,
}

impl ChangedPaths for Repository {
    type Error = Infallible;

    fn changed_paths(&mut self, commit: &str) -> Result<Vec<String>, Infallible> {
        self.paths_asked += 1;
        Ok(self.paths.get(commit).cloned().unwrap_or_default())
    }
}

impl TagSource for Repository {
    fn tag(&mut self, name: &str) -> Result<Option<TagRecord>, Infallible> {
        self.tags_asked += 1;
        Ok(self.tags[name].clone())
    }
}

fn moment(second: i64) -> GitTime {
    GitTime { at: Timestamp::from_second(second).unwrap(), offset_seconds: 0 }
}

fn commit(id: &str, second: i64) -> CommitRecord {
    CommitRecord {
        id: id.into(),
        author: "A <a@x.io>".into(),
        committer: "C <c@x.io>".into(),
        committed_at: moment(second),
        subject: format!("subject {id}"),
    }
}

fn tag(id: &str, second: i64) -> TagRecord {
    TagRecord {
        commit: commit(id, second),
        created_at: moment(second),
        tagger: String::new(),
        annotation: String::new(),
    }
}

fn repository(tags: &[(&str, i64)]) -> Repository {
    let record = |&(name, second): &(&str, i64)| (name.to_owned(), Some(tag(name, second)));
    Repository { tags: tags.iter().map(record).collect(), ..Repository::default() }
}

fn subscription(strategy: CommitSelectionStrategy, limit: i32) -> GitSubscription {
    GitSubscription {
        repo_url: "https://example.com/r".into(),
        commit_selection_strategy: strategy,
        discovery_limit: limit,
        ..GitSubscription::default()
    }
}

fn select_tags(
    subscription: &GitSubscription,
    repository: &mut Repository,
) -> (Vec<String>, Vec<String>) {
    let selector = GitSelector::new(subscription).unwrap();
    let GitStrategy::Tags(tags) = selector.strategy() else { panic!("selects by tag") };
    let names: Vec<String> = repository.tags.keys().cloned().collect();
    let candidates = tags.candidates(names, Verdicts::up_to(100));
    let (commits, verdicts) = candidates.select(repository, NOW).unwrap();
    let verdicts = verdicts.entries().iter().map(|(tag, verdict)| format!("{tag}: {verdict}"));
    (commits.into_iter().map(|commit| commit.tag).collect(), verdicts.collect())
}

fn select_branch(
    subscription: &GitSubscription,
    history: &[CommitRecord],
    repository: &mut Repository,
) -> (Vec<DiscoveredCommit>, usize) {
    let selector = GitSelector::new(subscription).unwrap();
    let GitStrategy::Branch(branch) = selector.strategy() else { panic!("selects by branch") };
    let mut taken = 0;
    let history = history.iter().cloned().map(Ok).inspect(|_| taken += 1);
    let (commits, _) = branch.select(history, repository, NOW, Verdicts::none()).unwrap();
    (commits, taken)
}

#[test]
fn a_branch_is_read_no_further_than_needed() {
    let subscription = GitSubscription {
        branch: "rel/1".into(),
        ..subscription(CommitSelectionStrategy::NewestFromBranch, 2)
    };
    let history: Vec<_> = (0..9).map(|age| commit(&format!("c{age}"), 100 - age)).collect();
    let mut repository = Repository::default();
    let (commits, taken) = select_branch(&subscription, &history, &mut repository);
    assert_eq!(taken, 2);
    assert_eq!(repository.paths_asked, 0);
    assert_eq!((commits[0].id.as_str(), commits[0].branch.as_str()), ("c0", "rel/1"));
    assert_eq!(commits[1].creator_date, Some(api_kinds::Time(moment(99).at)));
}

#[test]
fn history_before_the_given_time_is_not_read() {
    let subscription = GitSubscription {
        since: Some(api_kinds::Time(moment(98).at)),
        ..subscription(CommitSelectionStrategy::Unset, 20)
    };
    // The last commit is dated later than its child, and yet beyond the end.
    let history = [("a", 99), ("b", 98), ("c", 97), ("d", 100)].map(|(id, at)| commit(id, at));
    let (commits, taken) = select_branch(&subscription, &history, &mut Repository::default());
    assert_eq!(commits.len(), 2);
    assert_eq!(taken, 3);
}

#[test]
fn paths_are_asked_for_after_the_expression() {
    let subscription = GitSubscription {
        expression_filter: "id != 'b'".into(),
        include_paths: vec!["apps".into()],
        ..subscription(CommitSelectionStrategy::NewestFromBranch, 5)
    };
    let history = ["a", "b", "c"].map(|id| commit(id, 1));
    let mut repository = Repository::default();
    repository.paths.insert("a".into(), vec!["docs/x".into(), "apps/y".into()]);
    let (commits, _) = select_branch(&subscription, &history, &mut repository);
    assert_eq!(commits.len(), 1);
    assert_eq!(repository.paths_asked, 2);
}

#[test]
fn versions_are_looked_up_in_their_order_until_there_are_enough() {
    let mut repository = repository(&[("v1.0.0", 9), ("v2.0.0", 1), ("v3.0.0", 1), ("x", 1)]);
    repository.tags.insert("v3.0.0".into(), None);
    let subscription = subscription(CommitSelectionStrategy::SemVer, 1);
    let (tags, verdicts) = select_tags(&subscription, &mut repository);
    assert_eq!(tags, ["v2.0.0"]);
    assert_eq!(repository.tags_asked, 2);
    assert_eq!(
        verdicts,
        [
            "x: not a version",
            "v3.0.0: does not point to a commit",
            "v2.0.0: selected",
            "v1.0.0: beyond the limit of 1",
        ]
    );
}

#[test]
fn the_newest_tags_of_the_same_time_are_ordered_by_name() {
    let mut repository = repository(&[("a", 5), ("b", 5), ("c", 9), ("d", 1)]);
    let newest = subscription(CommitSelectionStrategy::NewestTag, 3);
    assert_eq!(select_tags(&newest, &mut repository).0, ["c", "a", "b"]);
    let lexical = subscription(CommitSelectionStrategy::Lexical, 3);
    assert_eq!(select_tags(&lexical, &mut repository).0, ["d", "c", "b"]);
}

#[test]
fn an_expression_that_fails_ends_the_search() {
    let subscription = GitSubscription {
        expression_filter: "subject".into(),
        ..subscription(CommitSelectionStrategy::Lexical, 3)
    };
    let selector = GitSelector::new(&subscription).unwrap();
    let GitStrategy::Tags(tags) = selector.strategy() else { panic!("selects by tag") };
    let candidates = tags.candidates(["a".to_owned()], Verdicts::none());
    let error = candidates.select(&mut repository(&[("a", 1)]), NOW).unwrap_err();
    assert_eq!(error.to_string(), "error evaluating expressionFilter for a");
}

#[test]
fn a_branch_is_observed_by_its_full_name() {
    let branch = |name: &str| {
        let branch = name.to_owned();
        let strategy = CommitSelectionStrategy::NewestFromBranch;
        GitSelector::new(&GitSubscription { branch, ..subscription(strategy, 1) }).unwrap()
    };
    let references = [("HEAD", "1"), ("refs/heads/main", "2"), ("refs/heads/main2", "3")];
    assert_eq!(branch("").refs_to_ask(), RefsToAsk::Head);
    assert_eq!(branch("").observe(references).unwrap().branch_head, "1");
    assert_eq!(branch("main").refs_to_ask().prefix(), "refs/heads/main");
    assert_eq!(branch("main").observe(references).unwrap().branch_head, "2");
    assert_eq!(branch("mai").observe(references), None);
}

#[test]
fn candidate_tags_are_observed_whole_or_not_at_all() {
    let subscription = GitSubscription {
        ignore_tags_regexes: vec!["-rc".into()],
        ..subscription(CommitSelectionStrategy::Lexical, 1)
    };
    let selector = GitSelector::new(&subscription).unwrap();
    let references = [
        ("refs/tags/v2", "2"),
        ("refs/tags/v2^{}", "9"),
        ("refs/tags/v1", "1"),
        ("refs/tags/v3-rc", "3"),
    ];
    let observed = selector.observe(references).unwrap();
    let tags: Vec<_> =
        observed.tags.iter().map(|tag| (tag.name.as_str(), tag.id.as_str())).collect();
    assert_eq!(tags, [("v1", "1"), ("v2", "2")]);
    let names: Vec<String> = (0..1001).map(|number| format!("refs/tags/{number}")).collect();
    let many = |count: usize| names.iter().take(count).map(|name| (name.as_str(), "1"));
    assert_eq!(selector.observe(many(1000)).unwrap().tags.len(), 1000);
    assert_eq!(selector.observe(many(1001)), None);
}

#[test]
fn what_was_found_holds_while_the_references_stand_still() {
    let plain = subscription(CommitSelectionStrategy::NewestFromBranch, 1);
    let selector = GitSelector::new(&plain).unwrap();
    let refs = |head: &str| {
        Some(GitDiscoveryRefs { branch_head: head.into(), ..GitDiscoveryRefs::default() })
    };
    let previous = selector.result("", vec![], refs("1"));
    let elsewhere = GitDiscoveryResult { repo_url: "https://x".into(), ..previous.clone() };
    let unknown = GitDiscoveryResult { observed_refs: None, ..previous.clone() };
    for (previous, observed, holds) in [
        (Some(&previous), refs("1"), true),
        (Some(&previous), refs("2"), false),
        (Some(&previous), None, false),
        (Some(&elsewhere), refs("1"), false),
        (Some(&unknown), None, false),
        (None, refs("1"), false),
    ] {
        assert_eq!(selector.reuse(previous, observed.as_ref()), holds, "{previous:?}");
    }
    let expression_filter = "commitDate > now() - duration('24h')".into();
    let by_time = GitSelector::new(&GitSubscription { expression_filter, ..plain }).unwrap();
    assert!(!by_time.reuse(Some(&previous), refs("1").as_ref()));
}

#[test]
fn a_subscription_that_cannot_be_used_says_why() {
    let base = || subscription(CommitSelectionStrategy::SemVer, 1);
    for (subscription, text) in [
        (GitSubscription { semver_constraint: "bad".into(), ..base() }, "constraint \"bad\""),
        (GitSubscription { expression_filter: "bad(".into(), ..base() }, "expressionFilter"),
        (GitSubscription { include_paths: vec!["glob:[".into()], ..base() }, "include path"),
        (GitSubscription { exclude_paths: vec!["regex:(".into()], ..base() }, "exclude path"),
        (GitSubscription { ignore_tags: vec!["x".into()], ..base() }, "IgnoreTags is deprecated"),
        (subscription(CommitSelectionStrategy::Other("Best".into()), 1), "strategy \"Best\""),
    ] {
        let error = GitSelector::new(&subscription).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
    let ignored = GitSubscription {
        allow_tags: "x".into(),
        ..subscription(CommitSelectionStrategy::NewestFromBranch, 1)
    };
    assert!(GitSelector::new(&ignored).is_ok());
}

proptest! {
    #[test]
    fn the_newest_tags_do_not_depend_on_the_order_of_the_listing(
        tags in proptest::collection::btree_map("[a-c]{1,2}", 0_i64..4, 0..12),
        turn in 0_usize..12,
        limit in 1..6,
    ) {
        let selector =
            GitSelector::new(&subscription(CommitSelectionStrategy::NewestTag, limit)).unwrap();
        let GitStrategy::Tags(by_date) = selector.strategy() else { panic!("selects by tag") };
        let known: Vec<_> = tags.iter().map(|(name, second)| (name.as_str(), *second)).collect();
        let select = |names: Vec<String>| {
            let candidates = by_date.candidates(names, Verdicts::none());
            candidates.select(&mut repository(&known), NOW).unwrap().0
        };
        let listed: Vec<String> = tags.keys().cloned().collect();
        let mut turned = listed.clone();
        turned.rotate_left(turn % listed.len().max(1));
        prop_assert_eq!(select(listed), select(turned));
    }
}
