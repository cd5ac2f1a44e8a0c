//! `git-selection`: from the commits or tags of a repository to the discovered commits.

use std::collections::HashMap;

use api_kinds::warehouse::{DiscoveredCommit, GitSubscription};
use core_rules::subscription::{
    ChangedPaths, CommitRecord, GitSelector, GitStrategy, GitTime, SelectError, TagRecord,
    TagSource, Verdicts,
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{object, objects};
use crate::{Answer, Case};

/// A commit, or a tag with its commit, as a case has it.
#[derive(Clone, Deserialize)]
struct Entry {
    id: String,
    date: Timestamp,
    #[serde(default)]
    author: String,
    #[serde(default)]
    committer: String,
    #[serde(default)]
    subject: String,
    #[serde(default)]
    tag: String,
    #[serde(default)]
    tagger: String,
    #[serde(default)]
    annotation: String,
    #[serde(default)]
    paths: Vec<String>,
}

impl Entry {
    fn date(&self) -> GitTime {
        GitTime { at: self.date, offset_seconds: 0 }
    }

    fn commit(&self) -> CommitRecord {
        CommitRecord {
            id: self.id.clone(),
            author: self.author.clone(),
            committer: self.committer.clone(),
            committed_at: self.date(),
            subject: self.subject.clone(),
        }
    }
}

struct Repository {
    by_tag: HashMap<String, Entry>,
    paths: HashMap<String, Vec<String>>,
}

#[derive(Debug)]
struct NoSuch;

impl ChangedPaths for Repository {
    type Error = NoSuch;

    fn changed_paths(&mut self, commit: &str) -> Result<Vec<String>, NoSuch> {
        self.paths.get(commit).cloned().ok_or(NoSuch)
    }
}

impl TagSource for Repository {
    fn tag(&mut self, name: &str) -> Result<Option<TagRecord>, NoSuch> {
        let entry = self.by_tag.get(name).ok_or(NoSuch)?;
        Ok(Some(TagRecord {
            commit: entry.commit(),
            created_at: entry.date(),
            tagger: entry.tagger.clone(),
            annotation: entry.annotation.clone(),
        }))
    }
}

pub(super) fn run(case: &Case<'_>) -> Answer {
    let subscription: Option<GitSubscription> = object(case, "subscription");
    let Some(subscription) = subscription else { return Answer::refused() };
    let Ok(selector) = GitSelector::new(&subscription) else {
        return Answer::Refused(Some("config"));
    };
    match select(case, selector.strategy()) {
        Ok(commits) => Answer::value(with_expected_ends(case, json!(commits))),
        Err(_) => Answer::Refused(Some("select")),
    }
}

fn select(
    case: &Case<'_>,
    strategy: &GitStrategy,
) -> Result<Vec<DiscoveredCommit>, SelectError<NoSuch>> {
    let now = Timestamp::default();
    let entries = |member| -> Result<Vec<Entry>, _> {
        objects(case, member).ok_or(SelectError::Repository(NoSuch))
    };
    let (commits, _) = match strategy {
        GitStrategy::Branch(branch) => {
            let entries = entries("commits")?;
            let history: Vec<_> = entries.iter().map(|entry| Ok(entry.commit())).collect();
            branch.select(history, &mut repository(entries), now, Verdicts::none())?
        }
        GitStrategy::Tags(tags) => {
            let entries = entries("tags")?;
            let names: Vec<String> = entries.iter().map(|entry| entry.tag.clone()).collect();
            let candidates = tags.candidates(names, Verdicts::none());
            candidates.select(&mut repository(entries), now)?
        }
    };
    Ok(commits)
}

fn repository(entries: Vec<Entry>) -> Repository {
    let paths = entries.iter().map(|entry| (entry.id.clone(), entry.paths.clone())).collect();
    let by_tag = entries.into_iter().map(|entry| (entry.tag.clone(), entry)).collect();
    Repository { by_tag, paths }
}

/// Upstream cuts subjects between bytes; where that splits a character, the family leaves the end of
/// the subject open, and ours counts as equal when its beginning is.
fn with_expected_ends(case: &Case<'_>, mut commits: Value) -> Value {
    if case.member("subject_cut_mid_character").is_none() {
        return commits;
    }
    let wanted = case.member_or_null("want");
    let pairs =
        commits.as_array_mut().into_iter().flatten().zip(wanted.as_array().into_iter().flatten());
    for (ours, wanted) in pairs {
        let (Some(text), Some(want)) = (ours["subject"].as_str(), wanted["subject"].as_str())
        else {
            continue;
        };
        let is_same_beginning =
            text.strip_suffix("...").is_some_and(|beginning| want.starts_with(beginning));
        if is_same_beginning {
            ours["subject"] = want.into();
        }
    }
    commits
}
