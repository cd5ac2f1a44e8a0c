//! What tags point to.

use api_kinds::warehouse::DiscoveredCommit;
use jiff::Timestamp;

use super::{
    filter::{ChangedPaths, ContentFilter, SelectError},
    record::TagRecord,
};
use crate::subscription::{Rejection, Verdicts, tag_rule::TagRule};

/// A repository that is asked what its tags point to.
pub trait TagSource: ChangedPaths {
    /// The tag of a name (without `refs/tags/`); `None` when it points to no commit.
    fn tag(&mut self, name: &str) -> Result<Option<TagRecord>, Self::Error>;
}

/// Selects from the tags of a repository.
#[derive(Clone, Debug)]
pub struct TagSelector {
    rule: TagRule,
    by_date: bool,
    filter: ContentFilter,
    limit: usize,
}

/// Tags that are candidates by their names.
#[derive(Clone, Debug)]
pub struct TagCandidates<'a> {
    selector: &'a TagSelector,
    /// The best first, unless dates decide that.
    names: Vec<String>,
    verdicts: Verdicts,
}

impl TagSelector {
    pub(super) fn new(rule: TagRule, by_date: bool, filter: ContentFilter, limit: usize) -> Self {
        Self { rule, by_date, filter, limit }
    }

    pub(super) fn filter(&self) -> &ContentFilter {
        &self.filter
    }

    pub(super) fn accepts(&self, tag: &str) -> bool {
        self.rule.accepts(tag)
    }

    /// The candidates among the names of all tags (without `refs/tags/`), in any order.
    pub fn candidates(
        &self,
        names: impl IntoIterator<Item = String>,
        mut verdicts: Verdicts,
    ) -> TagCandidates<'_> {
        let names = self.rule.candidates(names, &mut verdicts);
        TagCandidates { selector: self, names, verdicts }
    }
}

impl TagCandidates<'_> {
    /// The names of the tags that the selection may ask for: no others need be fetched.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Selects among the candidates. The details of a tag are asked for only when its turn comes,
    /// unless dates make the order.
    pub fn select<R: TagSource>(
        mut self,
        repository: &mut R,
        now: Timestamp,
    ) -> Result<(Vec<DiscoveredCommit>, Verdicts), SelectError<R::Error>> {
        let mut found = Vec::new();
        let names = std::mem::take(&mut self.names);
        if self.selector.by_date {
            let mut tags = Vec::with_capacity(names.len());
            for name in names {
                tags.extend(self.look_up(&name, repository)?.map(|record| (name, record)));
            }
            sort_by_date(&mut tags);
            for (name, record) in tags {
                self.decide(name, record, repository, now, &mut found)?;
            }
        } else {
            for name in names {
                if found.len() >= self.selector.limit {
                    self.pass_over(&name);
                } else if let Some(record) = self.look_up(&name, repository)? {
                    self.decide(name, record, repository, now, &mut found)?;
                }
            }
        }
        Ok((found, self.verdicts))
    }

    fn look_up<R: TagSource>(
        &mut self,
        name: &str,
        repository: &mut R,
    ) -> Result<Option<TagRecord>, SelectError<R::Error>> {
        let record = repository.tag(name).map_err(SelectError::Repository)?;
        if record.is_none() {
            self.verdicts.reject(name, Rejection::NotACommit);
        }
        Ok(record)
    }

    fn decide<R: TagSource>(
        &mut self,
        name: String,
        record: TagRecord,
        repository: &mut R,
        now: Timestamp,
        found: &mut Vec<DiscoveredCommit>,
    ) -> Result<(), SelectError<R::Error>> {
        if found.len() >= self.selector.limit {
            self.pass_over(&name);
            return Ok(());
        }
        let fields = record.as_expression_sees_it(&name);
        let filter = &self.selector.filter;
        let id = &record.commit.id;
        if let Some(reason) = filter.rejection(&name, id, &fields, repository, now)? {
            self.verdicts.reject(&name, reason);
        } else {
            self.verdicts.select(&name);
            found.push(record.report(name));
        }
        Ok(())
    }

    fn pass_over(&mut self, name: &str) {
        self.verdicts.reject(name, Rejection::BeyondLimit { limit: self.selector.limit });
    }
}

/// The newest first; of the same time, the name that comes first, as Git has it.
fn sort_by_date(tags: &mut [(String, TagRecord)]) {
    tags.sort_unstable_by(|(left_name, left), (right_name, right)| {
        let by_date = right.created_at.at.cmp(&left.created_at.at);
        by_date.then_with(|| left_name.cmp(right_name))
    });
}
