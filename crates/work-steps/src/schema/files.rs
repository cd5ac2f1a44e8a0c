//! The schemas in `openapi/steps` are what the types say.

use std::{collections::BTreeSet, fs, path::PathBuf};

use serde_json::Value;

use super::{document, file_name};
use crate::catalogue::STEPS;

/// Set it to write the files anew.
const UPDATE: &str = "UPDATE_STEP_SCHEMAS";

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi/steps"))
}

fn write_anew() {
    let _ = fs::remove_dir_all(folder());
    fs::create_dir_all(folder()).unwrap();
    for step in STEPS {
        let text = serde_json::to_string_pretty(&document(*step)).unwrap();
        fs::write(folder().join(file_name(step.kind())), format!("{text}\n")).unwrap();
    }
}

/// The file of a kind as it is.
fn read(name: &str) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(folder().join(name)).ok()?).ok()
}

#[test]
fn every_kind_has_a_schema_file_that_is_up_to_date() {
    if std::env::var_os(UPDATE).is_some() {
        write_anew();
    }
    let known: BTreeSet<String> = STEPS.iter().map(|step| file_name(step.kind())).collect();
    let files = fs::read_dir(folder()).into_iter().flatten().flatten();
    let found: BTreeSet<String> =
        files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    let stale = STEPS.iter().map(|step| (file_name(step.kind()), document(*step)));
    let stale: Vec<String> = stale
        .filter(|(name, document)| read(name).as_ref() != Some(document))
        .map(|(name, _)| name)
        .chain(found.difference(&known).cloned())
        .collect();
    assert!(
        stale.is_empty(),
        "openapi/steps is not what the types say: {stale:?}; write it anew with\n    \
         {UPDATE}=1 cargo test -p work-steps every_kind_has_a_schema_file"
    );
}
