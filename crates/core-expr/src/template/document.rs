//! JSON documents whose texts are templates.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::error::{Error, ErrorKind, Failure};
use crate::json;
use crate::library::Library;
use crate::limits::{Budget, MAX_SOURCE_BYTES};
use crate::scope::Scope;
use crate::template::{Template, Wanted};
use crate::value::{Data, Map, Value};

/// Variables that would hide functions of every template.
const RESERVED: [&str; 3] = ["quote", "asYAML", "asJSON"];

/// An evaluated document.
#[derive(Clone, Debug)]
pub struct Document {
    /// The document, with taint on what came from Secrets.
    pub value: Value,
    /// The document as JSON text.
    pub text: String,
}

impl Document {
    /// The document, with whole numbers as integers.
    pub fn to_json(&self) -> Json {
        self.value.to_json().unwrap_or_default()
    }

    /// The texts in the document that hold content of Secrets.
    pub fn tainted_texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        self.value.collect_tainted(&mut texts);
        texts
    }
}

/// Evaluates every text of a JSON object, at any depth; keys are left alone. Errors name the member
/// that failed, and their ranges are within its text.
pub fn evaluate_document(
    source: &str,
    library: Library,
    scope: &Scope<'_>,
) -> Result<Document, Failure> {
    evaluate_typed_document(source, library, scope, &|_| false)
}

/// Evaluates a document like [`evaluate_document`], and keeps the text that a template makes where
/// only text fits: `wants_text` is asked with the names and positions that lead there.
pub fn evaluate_typed_document(
    source: &str,
    library: Library,
    scope: &Scope<'_>,
    wants_text: &dyn Fn(&[String]) -> bool,
) -> Result<Document, Failure> {
    let refuse = |message: String| -> Failure {
        Error::new(ErrorKind::Document, 0..source.len(), message).into()
    };
    if let Some(name) = RESERVED.iter().find(|name| scope.variables.get(name).is_some()) {
        let message = format!("{name:?} is a forbidden variable, it is reserved for internal use");
        return Err(refuse(message));
    }
    if source.len() > MAX_SOURCE_BYTES {
        return Err(refuse(format!("the document is longer than {MAX_SOURCE_BYTES} bytes")));
    }
    let document = json::read(source.as_bytes()).map_err(|trouble| trouble.at(0..source.len()))?;
    if !matches!(document.data, Data::Map(_) | Data::Nil) {
        return Err(refuse("the document is not a JSON object".to_owned()));
    }
    let mut evaluation =
        Evaluation { library, scope, wants_text, budget: Budget::default(), path: Vec::new() };
    let value = evaluation.evaluate(&document)?;
    let text = json::write(&value).map_err(|trouble| trouble.at(0..source.len()))?;
    Ok(Document { value, text })
}

/// The evaluation of one document, and where in it we are.
struct Evaluation<'a> {
    library: Library,
    scope: &'a Scope<'a>,
    wants_text: &'a dyn Fn(&[String]) -> bool,
    budget: Budget,
    path: Vec<String>,
}

impl Evaluation<'_> {
    fn evaluate(&mut self, value: &Value) -> Result<Value, Failure> {
        match &value.data {
            Data::Text(text) => self.template(&text.to_str()),
            Data::List(list) => {
                let items = list.items.iter().enumerate();
                let items = items.map(|(index, item)| self.member(index.to_string(), item));
                Ok(Value::list(items.collect::<Result<_, _>>()?))
            }
            Data::Map(map) => {
                let mut entries = BTreeMap::new();
                for (key, value) in &map.entries {
                    let value = self.member(key.to_str().into_owned(), value)?;
                    entries.insert(key.clone(), value);
                }
                Ok(Data::Map(Arc::new(Map::new(entries))).into())
            }
            _ => Ok(value.clone()),
        }
    }

    fn member(&mut self, name: String, value: &Value) -> Result<Value, Failure> {
        self.path.push(name);
        let result = self.evaluate(value);
        self.path.pop();
        result
    }

    fn template(&mut self, text: &str) -> Result<Value, Failure> {
        let template = Template::parse(text).map_err(Failure::Invalid);
        let result = template.and_then(|template| {
            let is_text = !template.is_literal() && (self.wants_text)(&self.path);
            let wanted = if is_text { Wanted::Text } else { Wanted::Anything };
            template.evaluate_within(self.library, self.scope, &mut self.budget, wanted)
        });
        result.map_err(|failure| match failure {
            Failure::Invalid(mut error) => {
                error.message = format!("{}: {}", self.path.join("."), error.message);
                Failure::Invalid(error)
            }
            needs @ Failure::Needs(_) => needs,
        })
    }
}
