//! The documents of a stream of manifests, and the objects they describe.

use serde_json::Value;

use crate::StepError;

/// More documents than this are not written one by one.
const MAX_DOCUMENTS: usize = 20_000;

/// One manifest with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    /// As it was printed, with a newline at its end.
    pub(crate) text: String,
    /// API group; empty for the oldest kinds.
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// Takes a stream of manifests apart. Documents without content are left out.
pub(crate) fn documents(stream: &str) -> Result<Vec<Document>, StepError> {
    let parts = split(stream);
    if parts.len() > MAX_DOCUMENTS {
        return Err(StepError::retryable(format!(
            "there are more than {MAX_DOCUMENTS} manifests: write them to one file"
        )));
    }
    Ok(parts.iter().filter_map(|text| Document::read(text)).collect())
}

impl Document {
    /// `None` when there is nothing but comments. What cannot be read has no kind and no name.
    fn read(text: &str) -> Option<Self> {
        let text = text.trim_end();
        let content = match core_edit::yaml::parse(text) {
            Ok(Value::Null) | Err(core_edit::EditError::Empty) => return None,
            Ok(content) => content,
            Err(_) => Value::Null,
        };
        let field = |pointer: &str| match content.pointer(pointer) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let api_version = field("/apiVersion");
        let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
        Some(Self {
            text: format!("{}\n", text.trim_start_matches('\n')),
            group: group.to_owned(),
            version: version.to_owned(),
            kind: field("/kind"),
            namespace: field("/metadata/namespace"),
            name: field("/metadata/name"),
        })
    }
}

/// The texts between lines that begin with `---`.
fn split(stream: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for line in stream.split_inclusive('\n') {
        let rest = line.strip_prefix("---");
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)) {
            // What follows on the same line belongs to the document.
            parts.push(rest.unwrap_or_default().trim_start().to_owned());
        } else if let Some(part) = parts.last_mut() {
            part.push_str(line);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_stream_is_taken_apart_at_its_separators_only() {
        let stream = "\n---\n# Source: a\nkind: A\napiVersion: apps/v1\nmetadata:\n  name: x\n  namespace: ns\ndata: |\n  ---\n  --- x\n---\n# nothing\n--- \nkind: B\n---more: 1\n---\n";
        let found = documents(stream).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        let Document { group, version, kind, namespace, name, text } = &found[0];
        assert_eq!([group, version, kind, namespace, name], ["apps", "v1", "A", "ns", "x"]);
        assert!(
            text.starts_with("# Source: a\nkind: A\n") && text.ends_with("  --- x\n"),
            "{text}"
        );
        assert_eq!(found[1].text, "kind: B\n---more: 1\n");
    }

    #[test]
    fn names_may_look_like_numbers_and_unreadable_documents_have_none() {
        let found = documents("kind: A\nmetadata: {name: 12}\n---\na: [\n").unwrap();
        assert_eq!(found[0].name, "12");
        assert_eq!((&*found[1].kind, &*found[1].name), ("", ""));
    }

    proptest! {
        #[test]
        fn no_stream_panics(stream in "(---|[ab]: |\\n|.){0,60}") {
            let _ = documents(&stream);
        }
    }
}
