//! What must be known of a commit to decide about it, and what is reported of it.

use api_kinds::{Time, warehouse::DiscoveredCommit};
use core_expr::{Commit, Moment};
use jiff::Timestamp;

/// The longest subject that is reported, in bytes.
const MAX_SUBJECT_BYTES: usize = 80;
const CUT: &str = "...";

/// The longest name that is reported of a person. Names are remote text, and a status that is too
/// large cannot be written at all.
const MAX_PERSON_BYTES: usize = 1024;

/// A time as Git keeps it: with the offset of the place where it was written, which expressions see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GitTime {
    /// When.
    pub at: Timestamp,
    /// Seconds east of UTC.
    pub offset_seconds: i32,
}

impl From<GitTime> for Moment {
    fn from(time: GitTime) -> Self {
        Self::with_offset(time.at, time.offset_seconds)
    }
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitRecord {
    /// Its hash.
    pub id: String,
    /// `Name <address>` of who wrote the change.
    pub author: String,
    /// `Name <address>` of who made the commit.
    pub committer: String,
    /// When it was made.
    pub committed_at: GitTime,
    /// The first line of its message, whole.
    pub subject: String,
}

/// A tag that points to a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagRecord {
    /// The commit.
    pub commit: CommitRecord,
    /// When the tag was made; of a lightweight one, when the commit was.
    pub created_at: GitTime,
    /// `Name <address>` of who made the tag; empty for a lightweight one.
    pub tagger: String,
    /// The first line of the tag's message; empty for a lightweight one.
    pub annotation: String,
}

impl CommitRecord {
    pub(super) fn as_expression_sees_it(&self) -> Commit<'_> {
        Commit::OnBranch {
            id: &self.id,
            commit_date: self.committed_at.into(),
            author: &self.author,
            committer: &self.committer,
            subject: &self.subject,
        }
    }

    pub(super) fn report_on_branch(self, branch: &str) -> DiscoveredCommit {
        let created_at = self.committed_at;
        DiscoveredCommit { branch: branch.to_owned(), ..self.report(created_at) }
    }

    fn report(self, created_at: GitTime) -> DiscoveredCommit {
        DiscoveredCommit {
            author: bounded(self.author),
            committer: bounded(self.committer),
            creator_date: Some(Time(created_at.at)),
            id: self.id,
            subject: shorten_subject(self.subject),
            ..DiscoveredCommit::default()
        }
    }
}

impl TagRecord {
    pub(super) fn as_expression_sees_it<'a>(&'a self, tag: &'a str) -> Commit<'a> {
        Commit::Tagged {
            tag,
            id: &self.commit.id,
            creator_date: self.created_at.into(),
            author: &self.commit.author,
            committer: &self.commit.committer,
            subject: &self.commit.subject,
            tagger: &self.tagger,
            annotation: &self.annotation,
        }
    }

    pub(super) fn report(self, tag: String) -> DiscoveredCommit {
        DiscoveredCommit { tag, ..self.commit.report(self.created_at) }
    }
}

/// Cut between characters, where upstream counts bytes.
fn shorten_subject(subject: String) -> String {
    if subject.len() <= MAX_SUBJECT_BYTES {
        return subject;
    }
    let end = subject.floor_char_boundary(MAX_SUBJECT_BYTES - CUT.len());
    format!("{}{CUT}", subject.get(..end).unwrap_or_default())
}

fn bounded(mut person: String) -> String {
    person.truncate(person.floor_char_boundary(MAX_PERSON_BYTES));
    person
}

#[cfg(test)]
mod tests {
    use super::shorten_subject;

    #[test]
    fn subjects_are_cut_between_characters() {
        for (subject, shortened) in [
            ("a".repeat(80), "a".repeat(80)),
            ("a".repeat(81), format!("{}...", "a".repeat(77))),
            ("日".repeat(27), format!("{}...", "日".repeat(25))),
        ] {
            assert_eq!(shorten_subject(subject), shortened);
        }
    }
}
