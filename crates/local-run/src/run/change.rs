//! What a preview would change in repositories: file by file, and object by object in manifests.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use similar::TextDiff;
use work_steps::Effect;

use super::report::Preview;

/// Lines around a change.
const CONTEXT: usize = 3;
/// Fields of an object that are named when it changes.
const MAX_FIELDS: usize = 10;
/// Longer values are not repeated.
const MAX_VALUE: usize = 200;

/// A file that would change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    pub repository: String,
    pub path: String,
    /// As `diff -u` shows it; empty where contents are not text.
    pub diff: String,
}

/// An object in a manifest that would change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestChange {
    /// Kind, namespace and name.
    pub object: String,
    pub change: Kind,
}

/// What would become of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    Added,
    Removed,
    /// These fields would change, each as `path: before → after`.
    Changed(Vec<String>),
}

/// A file as a step that pushes tells of it.
#[derive(Deserialize)]
struct PushedFile {
    path: String,
    before: Option<String>,
    after: Option<String>,
    #[serde(default)]
    opaque: bool,
}

impl Preview {
    /// Takes the files out of what was written down, and shows how they would change.
    pub fn of(mut effects: Vec<Effect>) -> Self {
        let mut preview = Self::default();
        for effect in &mut effects {
            let files = effect.detail.as_object_mut().and_then(|detail| detail.remove("files"));
            let files: Vec<PushedFile> =
                files.and_then(|files| serde_json::from_value(files).ok()).unwrap_or_default();
            for file in &files {
                preview.files.push(file_change(&effect.target, file));
            }
            preview.manifests.extend(manifest_changes(&files));
        }
        preview.effects = effects;
        preview
    }
}

fn file_change(repository: &str, file: &PushedFile) -> FileChange {
    let name = |side: &str, text: Option<&String>| match text {
        None if !file.opaque => "/dev/null".to_owned(),
        _ => format!("{side}/{}", file.path),
    };
    let (before, after) = (file.before.as_ref(), file.after.as_ref());
    let diff = if file.opaque {
        String::new()
    } else {
        let (one, other) = (before.map_or("", String::as_str), after.map_or("", String::as_str));
        let lines = TextDiff::from_lines(one, other);
        let mut unified = lines.unified_diff();
        unified.context_radius(CONTEXT).header(&name("a", before), &name("b", after)).to_string()
    };
    FileChange { repository: repository.to_owned(), path: file.path.clone(), diff }
}

type Manifests = BTreeMap<String, Value>;

fn manifest_changes(files: &[PushedFile]) -> Vec<ManifestChange> {
    let is_yaml = |file: &&PushedFile| {
        let extension = file.path.rsplit_once('.').map(|(_, extension)| extension);
        matches!(extension, Some("yaml" | "yml"))
    };
    let (mut old, mut new) = (Manifests::new(), Manifests::new());
    for file in files.iter().filter(is_yaml) {
        collect(file.before.as_deref(), &mut old);
        collect(file.after.as_deref(), &mut new);
    }
    let mut changes = Vec::new();
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let change = match (old.get(name), new.get(name)) {
            (None, _) => Kind::Added,
            (_, None) => Kind::Removed,
            (Some(one), Some(other)) if one == other => continue,
            (Some(one), Some(other)) => {
                let mut fields = Vec::new();
                differ(one, other, "", &mut fields);
                Kind::Changed(fields)
            }
        };
        changes.push(ManifestChange { object: name.clone(), change });
    }
    changes
}

/// The objects of a file. What is no manifest has none.
fn collect(text: Option<&str>, into: &mut Manifests) {
    let documents: Vec<Value> =
        text.and_then(|text| serde_saphyr::from_multiple(text).ok()).unwrap_or_default();
    for object in documents {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
        let (Some(_), Some(kind), Some(name)) =
            (text("/apiVersion"), text("/kind"), text("/metadata/name"))
        else {
            continue;
        };
        let namespace = text("/metadata/namespace").map(|it| format!("{it}/")).unwrap_or_default();
        into.insert(format!("{kind} {namespace}{name}"), object);
    }
}

/// The fields that differ, by path.
fn differ(one: &Value, other: &Value, path: &str, fields: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                let (one, other) = (one.get(name), other.get(name));
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                differ(one.unwrap_or(&Value::Null), other.unwrap_or(&Value::Null), &path, fields);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                differ(one, other, &format!("{path}[{index}]"), fields);
            }
        }
        _ if one == other => {}
        _ => fields.push(format!("{path}: {} → {}", short(one), short(other))),
    }
}

/// A value in a few words; the diff of the file has the rest.
fn short(value: &Value) -> String {
    match value {
        Value::Null => "(none)".to_owned(),
        Value::String(text) if !text.contains('\n') && text.len() <= MAX_VALUE => text.clone(),
        Value::Object(_) | Value::Array(_) | Value::String(_) => "…".to_owned(),
        other => other.to_string(),
    }
}

impl fmt::Display for FileChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.diff.is_empty() {
            return writeln!(f, "{} of {}: not text", self.path, self.repository);
        }
        writeln!(f, "{} of {}:", self.path, self.repository)?;
        f.write_str(&self.diff)
    }
}

impl fmt::Display for ManifestChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = &self.object;
        match &self.change {
            Kind::Added => write!(f, "added    {object}"),
            Kind::Removed => write!(f, "removed  {object}"),
            Kind::Changed(fields) => {
                write!(f, "changed  {object}")?;
                fields
                    .iter()
                    .take(MAX_FIELDS)
                    .try_for_each(|field| write!(f, "\n           {field}"))?;
                match fields.len().saturating_sub(MAX_FIELDS) {
                    0 => Ok(()),
                    more => write!(f, "\n           and {more} more"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use work_steps::Effect;

    use super::Preview;

    const BEFORE: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  namespace: demo\ndata:\n  tag: \"1\"\n";

    #[test]
    fn a_push_shows_its_files_and_the_objects_in_them() {
        let after = BEFORE.replace("\"1\"", "\"2\"");
        let added = "apiVersion: v1\nkind: Service\nmetadata: {name: new}\n";
        let detail = json!({"branch": "main", "force": false, "commits": ["Use 2", "Add a Service"], "files": [
            {"path": "m.yaml", "before": BEFORE, "after": after},
            {"path": "n.yaml", "before": null, "after": added},
            {"path": "logo.png", "before": null, "after": null, "opaque": true},
        ]});
        let effect = Effect {
            step: "push".into(),
            action: "push",
            target: "https://git.example/r".into(),
            detail,
        };
        insta::assert_snapshot!(Preview::of(vec![effect]), @r#"
        Would be done outside the work directory:
          push: push https://git.example/r
            branch: main
            commits: Use 2, Add a Service

        Objects in manifests:
          changed  ConfigMap demo/web
                   data.tag: 1 → 2
          added    Service new

        m.yaml of https://git.example/r:
        --- a/m.yaml
        +++ b/m.yaml
        @@ -4,4 +4,4 @@
           name: web
           namespace: demo
         data:
        -  tag: "1"
        +  tag: "2"

        n.yaml of https://git.example/r:
        --- /dev/null
        +++ b/n.yaml
        @@ -0,0 +1,3 @@
        +apiVersion: v1
        +kind: Service
        +metadata: {name: new}

        logo.png of https://git.example/r: not text
        "#);
    }

    #[test]
    fn a_preview_without_effects_says_so() {
        let text = Preview::of(Vec::new()).to_string();
        assert_eq!(text, "Nothing would be done outside the work directory.\n\n");
    }
}
