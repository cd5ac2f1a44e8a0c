//! Filters that look into a commit: an expression over its fields, patterns over its changed paths.

use api_kinds::warehouse::GitSubscription;
use core_expr::{Commit, CommitFilter};
use core_pattern::PathFilter;
use jiff::Timestamp;

use crate::subscription::{Rejection, Unusable};

/// Why a search cannot be finished.
#[derive(Debug, thiserror::Error)]
pub enum SelectError<E> {
    /// The expression fails for a candidate, so that nobody knows whether it counts.
    #[error("error evaluating expressionFilter for {candidate}")]
    Expression {
        /// The tag or commit.
        candidate: String,
        /// What went wrong.
        source: core_expr::Error,
    },
    /// The repository cannot be read.
    #[error(transparent)]
    Repository(E),
}

/// A repository that is asked which paths a commit changes.
pub trait ChangedPaths {
    /// What goes wrong there.
    type Error;

    /// The paths that differ between a commit and its first parent. Of a move both ends are named;
    /// of a commit without parent, all there are.
    fn changed_paths(&mut self, commit: &str) -> Result<Vec<String>, Self::Error>;
}

#[derive(Clone, Debug)]
pub(super) struct ContentFilter {
    expression: Option<CommitFilter>,
    paths: PathFilter,
}

impl ContentFilter {
    pub(super) fn new(subscription: &GitSubscription) -> Result<Self, Unusable> {
        let expression = &subscription.expression_filter;
        let compile = || CommitFilter::compile(expression).map_err(Unusable::Expression);
        Ok(Self {
            expression: if expression.is_empty() { None } else { Some(compile()?) },
            paths: PathFilter::parse(&subscription.include_paths, &subscription.exclude_paths)?,
        })
    }

    pub(super) fn depends_on_time(&self) -> bool {
        self.expression.as_ref().is_some_and(CommitFilter::depends_on_time)
    }

    /// Why a commit does not count, if it does not. Its changed paths are asked for last, because they
    /// cost most.
    pub(super) fn rejection<R: ChangedPaths>(
        &self,
        candidate: &str,
        id: &str,
        fields: &Commit<'_>,
        repository: &mut R,
        now: Timestamp,
    ) -> Result<Option<Rejection>, SelectError<R::Error>> {
        if let Some(expression) = &self.expression {
            let is_true = expression.accepts(fields, now).map_err(|source| {
                SelectError::Expression { candidate: candidate.into(), source }
            })?;
            if !is_true {
                return Ok(Some(Rejection::ExpressionFalse));
            }
        }
        if self.paths.is_empty() {
            return Ok(None);
        }
        let paths = repository.changed_paths(id).map_err(SelectError::Repository)?;
        let is_touched = self.paths.accepts_any(&paths);
        Ok((!is_touched).then_some(Rejection::PathsNotTouched))
    }
}
