//! Expressions of Warehouses: criteria for new Freight, and filters of commits.

use api_kinds::warehouse::DiscoveredArtifacts;
use jiff::Timestamp;

use crate::error::{Error, ErrorKind, Failure};
use crate::library::Library;
use crate::program::Program;
use crate::scope::{Host, Scope, Variables};
use crate::time::Moment;
use crate::value::Value;

/// The condition under which a Warehouse creates Freight.
#[derive(Clone, Debug)]
pub struct Criterion {
    program: Program,
    length: usize,
}

impl Criterion {
    /// Reads and checks an expression.
    pub fn compile(expression: &str) -> Result<Self, Error> {
        let program = Program::compile(expression, Library::CRITERIA)?;
        Ok(Self { program, length: expression.len() })
    }

    /// Whether what was found meets the condition.
    pub fn is_met(&self, found: &DiscoveredArtifacts, now: Timestamp) -> Result<bool, Error> {
        let variables = Variables::default();
        let scope = Scope::new(&variables, now).with_host(Host::Discovered(found));
        truth(self.program.run(&scope), self.length)
    }
}

/// A filter of the commits or tags of a Git repository.
#[derive(Clone, Debug)]
pub struct CommitFilter {
    program: Program,
    length: usize,
}

/// What a filter sees of a commit.
#[derive(Clone, Debug)]
pub enum Commit<'a> {
    /// A commit of a branch.
    OnBranch {
        /// Its hash.
        id: &'a str,
        /// When it was made.
        commit_date: Moment,
        /// Who wrote the change.
        author: &'a str,
        /// Who made the commit.
        committer: &'a str,
        /// The first line of its message, in full.
        subject: &'a str,
    },
    /// A commit that a tag points to.
    Tagged {
        /// The tag.
        tag: &'a str,
        /// The commit's hash.
        id: &'a str,
        /// When the annotated tag or the commit was made.
        creator_date: Moment,
        /// Who wrote the change.
        author: &'a str,
        /// Who made the commit.
        committer: &'a str,
        /// The first line of the commit's message, in full.
        subject: &'a str,
        /// Who made the tag; empty when it is not annotated.
        tagger: &'a str,
        /// The first line of the tag's message; empty when it is not annotated.
        annotation: &'a str,
    },
}

impl CommitFilter {
    /// Reads and checks an expression.
    pub fn compile(expression: &str) -> Result<Self, Error> {
        let program = Program::compile(expression, Library::PLAIN)?;
        Ok(Self { program, length: expression.len() })
    }

    /// Whether a commit may be selected.
    pub fn accepts(&self, commit: &Commit<'_>, now: Timestamp) -> Result<bool, Error> {
        let variables = commit.variables();
        truth(self.program.run(&Scope::new(&variables, now)), self.length)
    }

    /// Whether the same commit may pass at one time and not at another.
    pub fn depends_on_time(&self) -> bool {
        self.program.depends_on_time()
    }
}

impl Commit<'_> {
    fn variables(&self) -> Variables {
        let text = |text: &&str| Value::text(*text);
        match self {
            Self::OnBranch { id, commit_date, author, committer, subject } => {
                Variables::from_iter([
                    ("id", text(id)),
                    ("commitDate", Value::moment(commit_date.clone())),
                    ("author", text(author)),
                    ("committer", text(committer)),
                    ("subject", text(subject)),
                ])
            }
            Self::Tagged {
                tag,
                id,
                creator_date,
                author,
                committer,
                subject,
                tagger,
                annotation,
            } => Variables::from_iter([
                ("tag", text(tag)),
                ("id", text(id)),
                ("creatorDate", Value::moment(creator_date.clone())),
                ("author", text(author)),
                ("committer", text(committer)),
                ("subject", text(subject)),
                ("tagger", text(tagger)),
                ("annotation", text(annotation)),
            ]),
        }
    }
}

fn truth(result: Result<Value, Failure>, length: usize) -> Result<bool, Error> {
    let value = result.map_err(Failure::into_error)?;
    value.truth().ok_or_else(|| {
        let message = format!("the result is neither true nor false but a {}", value.type_name());
        Error::new(ErrorKind::Run, 0..length, message)
    })
}

#[cfg(test)]
mod tests;
