//! Words that stand for names which are only known while a scene runs.

use std::{collections::BTreeMap, sync::LazyLock};

use anyhow::{Result, bail};
use regex::{Captures, Regex};
use serde_json::Value;

/// `$word` or `$word.part`; an expression such as `${{ }}` is none.
static WORD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\$([a-z]+(?:\.[a-z]+)?)").ok());

/// The names of a scene, by word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(BTreeMap<String, String>);

impl Names {
    pub(crate) fn put(&mut self, word: impl Into<String>, name: impl Into<String>) {
        self.0.insert(word.into(), name.into());
    }

    /// Remembers an object.
    pub(crate) fn keep(&mut self, word: &str, object: &Value) {
        let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let name = text("/metadata/name");
        self.put(word, name);
        self.put(format!("{word}.short"), name.get(..7).unwrap_or(name));
        self.put(format!("{word}.uid"), text("/metadata/uid"));
        self.put(format!("{word}.alias"), text("/alias"));
        self.put(format!("{word}.version"), text("/metadata/resourceVersion"));
    }

    /// The text with every word replaced.
    pub(crate) fn fill(&self, text: &str) -> Result<String> {
        let Some(word) = &*WORD else { bail!("the pattern of words cannot be read") };
        let mut unknown = None;
        let filled = word.replace_all(text, |captures: &Captures<'_>| {
            let (whole, word) = (&captures[0], &captures[1]);
            let known = self.0.get(word).cloned();
            known.unwrap_or_else(|| {
                unknown = Some(whole.to_owned());
                String::new()
            })
        });
        match unknown {
            None => Ok(filled.into_owned()),
            Some(word) => bail!("{word} is not known in {text:?}"),
        }
    }

    /// The value with every word replaced, in keys too.
    pub(crate) fn fill_value(&self, value: &Value) -> Result<Value> {
        Ok(match value {
            Value::String(text) => Value::String(self.fill(text)?),
            Value::Array(items) => {
                items.iter().map(|item| self.fill_value(item)).collect::<Result<_>>()?
            }
            Value::Object(members) => members
                .iter()
                .map(|(key, member)| Ok((self.fill(key)?, self.fill_value(member)?)))
                .collect::<Result<_>>()?,
            other => other.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Names;

    #[test]
    fn words_are_filled_in_and_unknown_ones_are_named() {
        let mut names = Names::default();
        names.put("project", "p1");
        names.keep("f", &json!({"metadata": {"name": "0123456789", "uid": "u"}}));
        assert_eq!(
            names.fill("$project-x: $f.short of ${{ vars.a }}").unwrap(),
            "p1-x: 0123456 of ${{ vars.a }}"
        );
        let filled = names.fill_value(&json!({"$f": ["$f.uid", 1]})).unwrap();
        assert_eq!(filled, json!({"0123456789": ["u", 1]}));
        assert!(names.fill("$other").unwrap_err().to_string().contains("$other"));
    }
}
