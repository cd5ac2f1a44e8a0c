//! `Chart.yaml` and `Chart.lock`: the parts that say what a chart depends on.

use std::{collections::BTreeMap, path::PathBuf};

use io_exec::{FileKind, Jail};
use serde::Deserialize;

use crate::StepError;

const MAX_BYTES: u64 = 4 * 1024 * 1024;
const MAX_DEPENDENCIES: usize = 1_000;

/// A chart in the work directory.
#[derive(Debug)]
pub(crate) struct Chart {
    /// Its directory, relative to the work directory.
    pub(crate) path: PathBuf,
    /// The text of its `Chart.yaml`.
    pub(crate) text: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// Another chart that a chart needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) repository: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Listed {
    dependencies: Option<Vec<Dependency>>,
}

impl Chart {
    /// Reads a chart's directory.
    pub(crate) fn read(path: &str, files: &Jail) -> Result<Self, StepError> {
        let path = files.locate(path)?;
        let file = path.join("Chart.yaml");
        let text = files.read_text(&file, MAX_BYTES)?;
        let dependencies = dependencies(&text).map_err(|reason| {
            StepError::retryable(format!("{} cannot be used: {reason}", file.display()))
        })?;
        Ok(Self { path, text, dependencies })
    }

    /// Where the chart's own `Chart.yaml` is.
    pub(crate) fn file(&self) -> PathBuf {
        self.path.join("Chart.yaml")
    }
}

/// What a chart was last built with, with the bytes that say so.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lock {
    /// `None` when there is no such file.
    pub(crate) content: Option<Vec<u8>>,
    versions: BTreeMap<String, String>,
}

impl Lock {
    /// Reads the lock of a chart. A link in its place is refused: Helm would write through it.
    pub(crate) fn read(chart: &Chart, files: &Jail) -> Result<Self, StepError> {
        let file = chart.path.join("Chart.lock");
        match files.find_link(&file)? {
            None => return Ok(Self::default()),
            Some(metadata) if metadata.kind != FileKind::File => {
                return Err(StepError::retryable(format!(
                    "{} is not a regular file, as it has to be",
                    file.display()
                )));
            }
            Some(_) => {}
        }
        let content = files.read(&file, MAX_BYTES)?;
        let listed = std::str::from_utf8(&content)
            .map_err(|error| error.to_string())
            .and_then(dependencies)
            .map_err(|reason| {
                StepError::retryable(format!("{} cannot be read: {reason}", file.display()))
            })?;
        let versions =
            listed.into_iter().map(|dependency| (dependency.name, dependency.version)).collect();
        Ok(Self { content: Some(content), versions })
    }

    /// What is different in `newer`, by name: `1.0.0 -> 1.1.0`, `1.1.0` or `removed`.
    pub(crate) fn changes(&self, newer: &Self) -> BTreeMap<String, String> {
        let mut changes = BTreeMap::new();
        for (name, version) in &newer.versions {
            match self.versions.get(name) {
                Some(old) if old == version => {}
                Some(old) => drop(changes.insert(name.clone(), format!("{old} -> {version}"))),
                None => drop(changes.insert(name.clone(), version.clone())),
            }
        }
        let vanished = self.versions.keys().filter(|name| !newer.versions.contains_key(*name));
        changes.extend(vanished.map(|name| (name.clone(), "removed".to_owned())));
        changes
    }
}

fn dependencies(text: &str) -> Result<Vec<Dependency>, String> {
    let document = core_edit::yaml::parse(text).map_err(|error| error.to_string())?;
    let listed: Option<Listed> =
        serde_json::from_value(document).map_err(|error| error.to_string())?;
    let dependencies = listed.and_then(|listed| listed.dependencies).unwrap_or_default();
    if dependencies.len() > MAX_DEPENDENCIES {
        return Err(format!("it has more than {MAX_DEPENDENCIES} dependencies"));
    }
    Ok(dependencies)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(versions: &[(&str, &str)]) -> Lock {
        let versions = versions.iter().map(|(name, version)| ((*name).into(), (*version).into()));
        Lock { content: None, versions: versions.collect() }
    }

    #[test]
    fn locks_are_compared_by_name() {
        let old = lock(&[("a", "1"), ("b", "1"), ("c", "1")]);
        let new = lock(&[("a", "1"), ("b", "2"), ("d", "3")]);
        let changes: Vec<_> = old.changes(&new).into_iter().collect();
        let expected = [("b", "1 -> 2"), ("c", "removed"), ("d", "3")];
        assert_eq!(changes, expected.map(|(name, change)| (name.to_owned(), change.to_owned())));
        assert!(old.changes(&old).is_empty());
    }

    #[test]
    fn dependencies_may_be_missing_or_null() {
        for text in ["name: x\n", "dependencies:\n", "dependencies: []\n", "# only a comment\n"] {
            assert_eq!(dependencies(text).unwrap(), [], "{text}");
        }
        let found = dependencies(
            "dependencies:\n- {name: a, version: 1.0.0, repository: 'file://../a', alias: b}\n",
        );
        assert_eq!(found.unwrap()[0].repository, "file://../a");
        assert!(dependencies("dependencies: 1\n").is_err());
    }
}
