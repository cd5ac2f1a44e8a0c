//! Repositories that do as they are told.

use std::{
    collections::BTreeMap,
    future::pending,
    sync::atomic::{AtomicUsize, Ordering},
};

use api_kinds::warehouse::{DiscoveredCommit, GitDiscoveryResult, Source};
use core_rules::{
    subscription::Verdicts,
    warehouse::{FailedStep, Failure, Finding},
};
use futures::{FutureExt, future::BoxFuture};
use parking_lot::Mutex;
use work_discovery::{Outcome, Search, Searcher};

/// What a repository does when it is searched.
#[derive(Clone)]
pub(crate) enum Answer {
    Commit(&'static str),
    Nothing,
    Fails(&'static str),
    /// A commit that is found when the time over which the search is spread is over.
    Spread(&'static str),
    Hangs,
}

/// Repositories by address; those that nobody has set hang.
#[derive(Default)]
pub(crate) struct Repositories {
    answers: Mutex<BTreeMap<String, Answer>>,
    searches: AtomicUsize,
    running: AtomicUsize,
}

impl Repositories {
    pub(crate) fn set(&self, url: &str, answer: Answer) {
        self.answers.lock().insert(url.to_owned(), answer);
    }

    /// How many searches have begun.
    pub(crate) fn searches(&self) -> usize {
        self.searches.load(Ordering::SeqCst)
    }

    /// How many are under way.
    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }
}

/// Counts one search for as long as it lives.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Searcher for Repositories {
    fn search<'a>(&'a self, search: Search<'a>) -> BoxFuture<'a, Result<Outcome, Failure>> {
        async move {
            self.searches.fetch_add(1, Ordering::SeqCst);
            self.running.fetch_add(1, Ordering::SeqCst);
            let _counted = Counted(&self.running);
            let Source::Git(git) = &search.subscription.source else { panic!("only Git here") };
            let answer = self.answers.lock().get(&git.repo_url).cloned();
            let commits = match answer.unwrap_or(Answer::Hangs) {
                Answer::Hangs => pending().await,
                Answer::Fails(cause) => {
                    let step = FailedStep::Discovery;
                    return Err(Failure::new(search.subscription, step, cause));
                }
                Answer::Nothing => vec![],
                Answer::Commit(id) => commit(id),
                Answer::Spread(id) => {
                    search.pace.moment(1_000, 1_000).await;
                    commit(id)
                }
            };
            let finding = Finding::Git(GitDiscoveryResult {
                commits,
                repo_url: git.repo_url.clone(),
                ..GitDiscoveryResult::default()
            });
            Ok(Outcome { finding, verdicts: Verdicts::none() })
        }
        .boxed()
    }
}

fn commit(id: &str) -> Vec<DiscoveredCommit> {
    vec![DiscoveredCommit { id: id.to_owned(), ..DiscoveredCommit::default() }]
}
