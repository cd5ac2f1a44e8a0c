//! The tables: one file per kind under `tables/`, each with scenes, each of those with rows.
//!
//! A scene is a Project of its own with some objects in it; its rows run in order, so that a row may build on what one
//! before it wrote. Texts may hold names as `$word`: `$project`, `$user` (who asks in this row), and what was kept.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// What serves the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Engine {
    /// `kargo up`.
    Embedded,
    /// kube-apiserver on etcd with `kargo up --kubeconfig` beside it.
    Cluster,
}

impl Engine {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Cluster => "cluster",
        }
    }
}

/// Variables of a control plane and their values.
pub(crate) type Settings = BTreeMap<String, String>;

/// A file.
pub(crate) struct Table {
    /// The file's name without ending, which is the kind it is about.
    pub(crate) name: String,
    pub(crate) scenes: Vec<Scene>,
}

/// A Project, what is in it, and rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scene {
    /// What the rows have in common.
    #[serde(rename = "scene")]
    pub(crate) title: String,
    /// Whether a Project is there; otherwise only its name is reserved.
    #[serde(default = "yes")]
    pub(crate) project: bool,
    /// Variables that the control plane is started with; scenes with the same ones share it.
    #[serde(default)]
    pub(crate) settings: Settings,
    /// Objects that the administrator creates first.
    #[serde(default)]
    pub(crate) given: Vec<Value>,
    /// The rows as they are written.
    pub(crate) rows: Vec<Value>,
}

/// One request and what must come of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Row {
    /// The section of the specification, and the rule in a sentence.
    #[serde(rename = "row")]
    title: String,
    /// Who asks.
    #[serde(rename = "as", default = "administrator")]
    pub(crate) actor: String,
    pub(crate) create: Option<Value>,
    /// The object as it is stored, changed by `set` and put.
    pub(crate) update: Option<Value>,
    /// `set` as a merge patch.
    pub(crate) patch: Option<Value>,
    pub(crate) delete: Option<Value>,
    pub(crate) read: Option<Value>,
    #[serde(default)]
    pub(crate) dry_run: bool,
    /// The status code of a refusal; without it the request must succeed.
    pub(crate) code: Option<u16>,
    /// Parts of the message.
    #[serde(default, deserialize_with = "one_or_many")]
    pub(crate) says: Vec<String>,
    /// All causes in order, each as `field: part of the message`.
    pub(crate) causes: Option<Vec<String>>,
    /// What the answer must hold; null stands for absent, `~` begins a regular expression.
    pub(crate) gives: Option<Value>,
    /// Parts of all warnings in order; none must come that is not listed.
    #[serde(default, deserialize_with = "one_or_many")]
    pub(crate) warns: Vec<String>,
    /// Events about the object; an empty list means that there must be none.
    pub(crate) events: Option<Vec<Value>>,
    /// Remembers the object's name under this word, and its uid under `word.uid`.
    pub(crate) keep: Option<String>,
    /// Somebody else brings it about, so it is asked for until it is so.
    #[serde(default)]
    pub(crate) eventually: bool,
    /// The one engine on which the row means something, and why.
    pub(crate) only: Option<Engine>,
    pub(crate) because: Option<String>,
}

impl Row {
    /// Reads a row; names in it may still be words.
    pub(crate) fn read(value: &Value) -> Result<Self> {
        let row: Self = serde_json::from_value(value.clone())
            .with_context(|| format!("in the row {}", value["row"]))?;
        anyhow::ensure!(
            row.requests().count() == 1,
            "the row {:?} must have exactly one of create, update, patch, delete, read",
            row.title
        );
        anyhow::ensure!(
            row.only.is_some() == row.because.is_some(),
            "the row {:?} must say because of what it is for one engine only",
            row.title
        );
        Ok(row)
    }

    fn requests(&self) -> impl Iterator<Item = &Value> {
        [&self.create, &self.update, &self.patch, &self.delete, &self.read].into_iter().flatten()
    }
}

/// All settings that scenes ask for; the first are none.
pub(crate) fn settings(tables: &[Table]) -> BTreeSet<Settings> {
    let scenes = tables.iter().flat_map(|table| &table.scenes);
    scenes.map(|scene| scene.settings.clone()).chain([Settings::new()]).collect()
}

/// Reads all tables of a folder.
pub(crate) fn read_all(folder: &Path) -> Result<Vec<Table>> {
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    files.iter().map(|file| read(file).with_context(|| file.display().to_string())).collect()
}

fn read(file: &Path) -> Result<Table> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let table: Value = serde_saphyr::from_str(&fs::read_to_string(file)?)?;
    let scenes: Vec<Scene> = serde_json::from_value(table)?;
    for row in scenes.iter().flat_map(|scene| &scene.rows) {
        Row::read(row)?;
    }
    Ok(Table { name, scenes })
}

fn yes() -> bool {
    true
}

fn administrator() -> String {
    crate::actor::ADMINISTRATOR.to_owned()
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Words {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Words::deserialize(deserializer)? {
        Words::One(word) => vec![word],
        Words::Many(words) => words,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::{Row, read_all};

    #[test]
    fn every_table_can_be_read_and_every_row_is_told_from_the_others() {
        let tables = read_all(&dev_testkit::repository().join("tests/admission/tables")).unwrap();
        let mut titles = BTreeSet::new();
        for table in &tables {
            for row in table.scenes.iter().flat_map(|scene| &scene.rows) {
                let title = format!("{} {}", table.name, row["row"]);
                assert!(titles.insert(title.clone()), "{title} stands twice");
            }
        }
    }

    #[test]
    fn a_row_has_one_request_and_a_word_may_stand_for_a_list() {
        let row = json!({"row": "1 x", "delete": {"kind": "Stage", "name": "a"}, "says": "no"});
        assert_eq!(Row::read(&row).unwrap().says, ["no"]);
        assert!(Row::read(&json!({"row": "1 x"})).is_err());
        assert!(Row::read(&json!({"row": "1 x", "read": {}, "delete": {}})).is_err());
        assert!(Row::read(&json!({"row": "1 x", "read": {}, "unknown": 1})).is_err());
        assert!(Row::read(&json!({"row": "1 x", "read": {}, "only": "embedded"})).is_err());
    }
}
