//! What a run did.

use std::{collections::BTreeMap, fmt};

use core_rules::retention::Collected;

/// How many failures a summary spells out.
const SHOWN_FAILURES: usize = 5;

/// An object that was deleted, or would be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// The Project.
    pub project: String,
    /// What it is.
    pub kind: Collected,
    /// Its name.
    pub name: String,
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", self.kind.kind(), self.project, self.name)
    }
}

/// Something that could not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The Project.
    pub project: String,
    /// The kind, where it concerns one.
    pub kind: Option<Collected>,
    /// What and why.
    pub text: String,
}

/// What a run did, over all Projects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many Projects were looked at.
    pub projects: usize,
    /// What was deleted; in a dry run, what would be.
    pub items: Vec<Item>,
    /// How many objects were left alone because they had changed or gone meanwhile.
    pub passed_over: usize,
    /// What could not be done.
    pub failures: Vec<Failure>,
}

/// Parts of a run failed; the others were carried out.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{failures} failures in {projects} of {of} Projects: {shown}")]
pub struct Incomplete {
    failures: usize,
    projects: usize,
    of: usize,
    shown: String,
}

impl Report {
    /// An error in one sentence when anything failed.
    pub fn check(&self) -> Result<(), Incomplete> {
        if self.failures.is_empty() {
            return Ok(());
        }
        let mut by_project = BTreeMap::<&str, usize>::new();
        for failure in &self.failures {
            *by_project.entry(&failure.project).or_default() += 1;
        }
        let shown = self.failures.iter().take(SHOWN_FAILURES);
        let mut shown: Vec<String> =
            shown.map(|failure| format!("{}: {}", failure.project, failure.text)).collect();
        if self.failures.len() > SHOWN_FAILURES {
            shown.push("…".to_owned());
        }
        Err(Incomplete {
            failures: self.failures.len(),
            projects: by_project.len(),
            of: self.projects,
            shown: shown.join("; "),
        })
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.projects += other.projects;
        self.items.extend(other.items);
        self.passed_over += other.passed_over;
        self.failures.extend(other.failures);
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, Report};

    #[test]
    fn a_summary_counts_all_failures_and_shows_some() {
        let failure = |project: &str, number: usize| Failure {
            project: project.to_owned(),
            kind: None,
            text: format!("trouble {number}"),
        };
        let failures = (0..7).map(|number| failure(if number < 4 { "a" } else { "b" }, number));
        let report = Report { projects: 9, failures: failures.collect(), ..Report::default() };
        let text = report.check().unwrap_err().to_string();
        assert!(text.starts_with("7 failures in 2 of 9 Projects: a: trouble 0; "), "{text}");
        assert!(text.ends_with("b: trouble 4; …"), "{text}");
        assert!(Report::default().check().is_ok());
    }
}
