//! Which Stages an Argo CD Application allows to change it.

/// Why the annotation does not say which Stages are allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthorizedStagesError {
    /// Patterns were allowed once.
    #[error("deprecated glob expressions are no longer supported: {entry:?}")]
    Glob {
        /// The entry in question.
        entry: String,
    },
    /// An entry is not of the form `project:stage`.
    #[error("authorized Stage {entry:?} is not of the form project:stage")]
    Malformed {
        /// The entry in question.
        entry: String,
    },
    /// There is no entry at all.
    #[error("no Stage is authorized")]
    Empty,
}

/// A Stage that may change an Application.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AuthorizedStage {
    /// The Stage's Project.
    pub project: String,
    /// The Stage's name.
    pub stage: String,
}

/// Reads a comma-separated list of `project:stage`. One bad entry makes the whole list bad, because
/// it decides about permission.
pub fn parse_authorized_stages(value: &str) -> Result<Vec<AuthorizedStage>, AuthorizedStagesError> {
    let entries = value.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let stages: Vec<AuthorizedStage> = entries.map(parse_entry).collect::<Result<_, _>>()?;
    if stages.is_empty() { Err(AuthorizedStagesError::Empty) } else { Ok(stages) }
}

fn parse_entry(entry: &str) -> Result<AuthorizedStage, AuthorizedStagesError> {
    if entry.contains('*') {
        return Err(AuthorizedStagesError::Glob { entry: entry.to_owned() });
    }
    match entry.split_once(':').map(|(project, stage)| (project.trim(), stage.trim())) {
        Some((project, stage)) if !project.is_empty() && !stage.is_empty() => {
            Ok(AuthorizedStage { project: project.to_owned(), stage: stage.to_owned() })
        }
        _ => Err(AuthorizedStagesError::Malformed { entry: entry.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::{AuthorizedStagesError, parse_authorized_stages};

    #[test]
    fn blanks_and_empty_entries_are_forgiven() {
        let stages = parse_authorized_stages(" demo : prod ,, demo:qa,").unwrap();
        let names: Vec<_> = stages.iter().map(|stage| stage.stage.as_str()).collect();
        assert_eq!(names, ["prod", "qa"]);
        assert!(stages.iter().all(|stage| stage.project == "demo"));
    }

    #[test]
    fn one_bad_entry_makes_the_list_bad() {
        for value in ["demo:prod,bad", "demo:", ":prod", "demo:prod,*:*"] {
            assert!(parse_authorized_stages(value).is_err(), "{value}");
        }
        assert_eq!(parse_authorized_stages(" ,"), Err(AuthorizedStagesError::Empty));
    }
}
