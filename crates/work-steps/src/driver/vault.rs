//! Secrets that a Promotion came across, and the outputs that hold them.
//!
//! The journal gets outputs with secrets blanked. What was blanked is kept in one file that only we can read,
//! so that later steps, also after a restart, see the real values. Credentials that steps use are blanked too
//! but never kept: a step finds them again.

use std::{
    borrow::Cow,
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use core_rules::credential::Secret;
use io_exec::Redactor;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Shorter texts are not blanked: they would blank ordinary words, and are no secret worth the name.
const SHORTEST_SECRET: usize = 4;
/// Nothing larger is read back.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// What must not be told.
pub(super) struct Vault {
    path: PathBuf,
    contents: Contents,
    is_saved: bool,
    secrets: Mutex<Vec<Secret>>,
    redactor: Mutex<(usize, Redactor)>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Contents {
    /// Real outputs of which the journal has a blanked copy.
    outputs: Map<String, Value>,
    /// Texts that came from Secrets through expressions.
    texts: Vec<String>,
}

impl Vault {
    /// What an earlier run kept in this directory.
    pub(super) fn open(directory: &Path) -> io::Result<Self> {
        let path = directory.join("vault.json");
        let contents = match File::open(&path) {
            Ok(file) => serde_json::from_reader(file.take(MAX_FILE_BYTES))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Contents::default(),
            Err(error) => return Err(error),
        };
        let secrets = contents.texts.iter().map(Secret::new).collect();
        Ok(Self {
            path,
            contents,
            is_saved: true,
            secrets: Mutex::new(secrets),
            redactor: Mutex::default(),
        })
    }

    /// The secrets so far; steps add the credentials they use.
    pub(super) fn secrets(&self) -> &Mutex<Vec<Secret>> {
        &self.secrets
    }

    /// Blanks a text from now on, also after a restart.
    pub(super) fn hide(&mut self, text: &str) {
        if text.len() >= SHORTEST_SECRET && !self.contents.texts.iter().any(|known| known == text) {
            self.contents.texts.push(text.to_owned());
            self.secrets.lock().push(Secret::new(text));
            self.is_saved = false;
        }
    }

    /// What blanks the secrets; `None` when there are none.
    pub(super) fn redactor(&self) -> Option<Redactor> {
        let secrets = self.secrets.lock();
        if secrets.is_empty() {
            return None;
        }
        let mut cached = self.redactor.lock();
        if cached.0 != secrets.len() {
            *cached = (secrets.len(), Redactor::new(secrets.iter()));
        }
        Some(cached.1.clone())
    }

    /// A text without secrets.
    pub(super) fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.redactor().map_or(Cow::Borrowed(text), |redactor| redactor.clean(text).into())
    }

    /// The outputs as steps see them.
    pub(super) fn reveal<'a>(&self, state: &'a Map<String, Value>) -> Cow<'a, Map<String, Value>> {
        if self.contents.outputs.is_empty() {
            return Cow::Borrowed(state);
        }
        let mut real = state.clone();
        for (alias, members) in &self.contents.outputs {
            if let (Some(Value::Object(known)), Some(members)) =
                (real.get_mut(alias), members.as_object())
            {
                known.extend(members.clone());
            }
        }
        Cow::Owned(real)
    }

    /// Keeps the real output of a step, for its task too where it has part in it.
    pub(super) fn keep(&mut self, aliases: &[&str], output: &Map<String, Value>) {
        for alias in aliases {
            let kept = self.contents.outputs.entry(*alias).or_insert(Value::Object(Map::new()));
            if let Some(kept) = kept.as_object_mut() {
                kept.extend(output.clone());
            }
        }
        self.is_saved = false;
    }

    /// Forgets the real output of a step that has a new one.
    pub(super) fn forget(&mut self, alias: &str) {
        if self.contents.outputs.remove(alias).is_some() {
            self.is_saved = false;
        }
    }

    /// Writes down what changed.
    pub(super) fn save(&mut self) -> io::Result<()> {
        if self.is_saved {
            return Ok(());
        }
        let fresh = self.path.with_extension("new");
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
        file.write_all(&serde_json::to_vec(&self.contents)?)?;
        file.sync_all()?;
        std::fs::rename(&fresh, &self.path)?;
        self.is_saved = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_hidden_stays_hidden_and_real_outputs_come_back_after_a_restart() {
        let directory = tempfile::tempdir().unwrap();
        let mut vault = Vault::open(directory.path()).unwrap();
        assert_eq!(vault.clean("s3cret"), "s3cret");
        vault.hide("s3cret");
        vault.hide("abc");
        let real = json!({"token": "s3cret"}).as_object().cloned().unwrap();
        vault.keep(&["a", "t"], &real);
        vault.save().unwrap();
        let path = directory.path().join("vault.json");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let mut vault = Vault::open(directory.path()).unwrap();
        assert_eq!(vault.clean("abc s3cret"), "abc ***");
        let told = json!({"a": {"token": "***", "x": 1}, "b": null, "t": {"token": "***"}});
        let state = told.as_object().cloned().unwrap();
        let seen = vault.reveal(&state).into_owned();
        let want = json!({"a": {"token": "s3cret", "x": 1}, "b": null, "t": {"token": "s3cret"}});
        assert_eq!(Value::Object(seen), want);
        vault.forget("a");
        assert_eq!(vault.reveal(&state)["a"], told["a"]);
    }
}
