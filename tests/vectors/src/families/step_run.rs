//! `step-*`: steps run on files in an empty work directory, and what schemas accept.
//!
//! The families of single steps share [`run`]; one whose results need a closer look builds on [`ran`].

#![expect(clippy::expect_used, reason = "without a place to run in there is nothing to compare")]

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;
use work_steps::catalogue;
use work_steps::testbed::{Attempt, Testbed};

use crate::{Answer, Case};

/// What a step did.
pub(super) struct Ran {
    pub(super) attempt: Attempt,
    /// Created and changed files with their text.
    pub(super) files: BTreeMap<String, String>,
    /// Input files that are gone.
    pub(super) deleted: Vec<String>,
}

thread_local! {
    /// Opened once per family, because each runs in a thread of its own.
    static BENCH: (Runtime, Testbed) = {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let testbed = runtime.block_on(Testbed::new());
        (runtime, testbed)
    };
}

pub(super) fn run(case: &Case<'_>) -> Answer {
    answer(case, &ran(case))
}

/// Runs the step of a case on the files of the case.
pub(super) fn ran(case: &Case<'_>) -> Ran {
    BENCH.with(|(runtime, bench)| {
        let testbed = bench.fresh();
        let before = input_files(case);
        for (path, text) in &before {
            testbed.write(path, text);
        }
        let config = case.member_or_null("config");
        let attempt = runtime.block_on(testbed.run(case.text("step"), config));
        let mut files = BTreeMap::new();
        read_files(&testbed.files(), "", &mut files);
        let deleted = before.keys().filter(|path| !files.contains_key(*path)).cloned().collect();
        files.retain(|path, text| before.get(path) != Some(text));
        Ran { attempt, files, deleted }
    })
}

/// What the step did in the form of the vectors.
pub(super) fn answer(case: &Case<'_>, ran: &Ran) -> Answer {
    let status = ran.attempt.status.as_str();
    if ran.attempt.class.is_some() {
        return refusal(case, status, &ran.attempt.message);
    }
    let mut result = Map::from_iter([
        ("status".to_owned(), json!(status)),
        ("files".to_owned(), json!(ran.files)),
    ]);
    if let Some(output) = &ran.attempt.output {
        result.insert("output".to_owned(), json!(output));
    }
    if !ran.deleted.is_empty() {
        result.insert("deleted".to_owned(), json!(ran.deleted));
    }
    Answer::value(Value::Object(result))
}

/// An error is right if the case wants one of the same status; where upstream crashes any will do.
fn refusal(case: &Case<'_>, status: &str, message: &str) -> Answer {
    let wanted = case.text("status");
    if case.member("reference_panics").is_some() || wanted == status {
        return Answer::refused();
    }
    Answer::Values(vec![("status", json!(status)), ("message", json!(message))])
}

fn input_files(case: &Case<'_>) -> BTreeMap<String, String> {
    let files = case.member("files").and_then(Value::as_object);
    let files = files.into_iter().flatten();
    files.map(|(path, text)| (path.clone(), text.as_str().unwrap_or_default().to_owned())).collect()
}

fn read_files(directory: &Path, prefix: &str, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => read_files(&entry.path(), &format!("{path}/"), files),
            Ok(kind) if kind.is_file() => {
                let text = std::fs::read(entry.path()).unwrap_or_default();
                files.insert(path, String::from_utf8_lossy(&text).into_owned());
            }
            _ => {}
        }
    }
}

pub(super) fn run_config(case: &Case<'_>) -> Answer {
    let Some(Ok(schema)) = catalogue::schema(case.text("step")) else { return Answer::refused() };
    let verdict = schema.check(&case.member_or_null("config"));
    Answer::value(if verdict.is_ok() { "accepted" } else { "rejected" })
}
