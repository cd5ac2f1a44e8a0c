//! Manifests as people write them, posted one document after the other.
//!
//! They lie in `conformance/admission`, and `kubectl create -f` takes them too. Before each document stands what must
//! come of it: `# expect: created`, or `# expect: 422 part of the message`; and `# warns: part` for each warning.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use http::Method;
use serde_json::Value;

use crate::{
    object::locate_manifest,
    report::{self, Outcome, Verdict},
    suite::Suite,
};

const CREATED: u16 = 201;

/// A document and what must come of it.
struct Document {
    object: Value,
    code: u16,
    says: String,
    warns: Vec<String>,
}

/// Posts the documents of all manifests, file by file: some are about the one ClusterConfig.
pub(crate) async fn run(suite: &Suite, folder: &Path, only: Option<&str>) -> Result<Vec<Outcome>> {
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|file: &PathBuf| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    let mut outcomes = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let title = format!("manifest {name}");
        if only.is_some_and(|part| !title.contains(part)) {
            continue;
        }
        let documents = read(&fs::read_to_string(&file)?).with_context(|| title.clone())?;
        outcomes.extend(post(suite, &title, &documents).await);
    }
    outcomes.iter().for_each(report::line);
    Ok(outcomes)
}

/// Posts the documents of one file, then takes away what it created, the last first.
async fn post(suite: &Suite, title: &str, documents: &[Document]) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for document in documents {
        let verdict = match document.check(suite).await {
            Ok(()) => Verdict::Passed,
            Err(error) => Verdict::Failed(error),
        };
        let object = &document.object;
        let (kind, name) = (&object["kind"], &object["metadata"]["name"]);
        let title = format!("{title}: {} {}", text(kind), text(name));
        outcomes.push(Outcome { title, verdict });
    }
    for document in documents.iter().rev().filter(|document| document.code == CREATED) {
        if let Ok(located) = locate_manifest(&document.object) {
            let _ = suite.client().send(Method::DELETE, &located.path, &[], String::new()).await;
        }
    }
    outcomes
}

impl Document {
    async fn check(&self, suite: &Suite) -> Result<()> {
        let reply = suite.post(&locate_manifest(&self.object)?).await?;
        let (code, answer) = (reply.status.as_u16(), reply.json());
        let message = text(&answer["message"]);
        ensure!(code == self.code, "answered {code}, want {}: {message}", self.code);
        ensure!(
            code == CREATED || message.contains(&self.says),
            "{message:?} does not say {:?}",
            self.says
        );
        let warnings = reply.warnings();
        let is_met = |(want, got): (&String, &String)| got.contains(want.as_str());
        ensure!(
            warnings.len() == self.warns.len() && self.warns.iter().zip(&warnings).all(is_met),
            "warnings {warnings:?}, want {:?}",
            self.warns
        );
        Ok(())
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn read(manifest: &str) -> Result<Vec<Document>> {
    let parts = manifest.split("\n---\n").filter(|part| part.contains("kind:"));
    parts.map(read_document).collect()
}

fn read_document(part: &str) -> Result<Document> {
    let marked = |mark: &'static str| part.lines().filter_map(move |line| line.strip_prefix(mark));
    let expected = marked("# expect: ").next().context("a document says nothing of its outcome")?;
    let (code, says) = match expected.split_once(' ') {
        None if expected == "created" => (CREATED, ""),
        Some((code, says)) => (code.parse()?, says),
        None => bail!("{expected:?} is no outcome"),
    };
    Ok(Document {
        object: serde_saphyr::from_str(part)?,
        code,
        says: says.to_owned(),
        warns: marked("# warns: ").map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn each_document_says_what_comes_of_it() {
        let manifest = "# About it.\n# expect: created\n# warns: odd\nkind: A\n---\n# expect: 422 not so\nkind: B\n";
        let documents = read(manifest).unwrap();
        assert_eq!((documents[0].code, documents[0].warns.len()), (201, 1));
        assert_eq!((documents[1].code, documents[1].says.as_str()), (422, "not so"));
        assert!(read("kind: A\n").is_err());
    }
}
