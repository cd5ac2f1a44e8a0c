//! From what a template finds to text.

use serde_json::Value;

use super::{EvaluateError, Missing, Node, evaluate::Evaluation};

/// No output is larger.
const MAX_OUTPUT: usize = 256 * 1024 * 1024;

/// The text of all nodes.
pub(super) fn render(
    nodes: &[Node],
    document: &Value,
    missing: Missing,
) -> Result<String, EvaluateError> {
    let mut text = String::new();
    write(nodes, Evaluation { root: document, missing }, document, &mut text)?;
    Ok(text)
}

/// The values of all paths; text between them says nothing.
pub(super) fn find(
    nodes: &[Node],
    document: &Value,
    missing: Missing,
) -> Result<Vec<Value>, EvaluateError> {
    let mut found = Vec::new();
    collect(nodes, Evaluation { root: document, missing }, document, &mut found)?;
    Ok(found)
}

fn write<'a>(
    nodes: &'a [Node],
    evaluation: Evaluation<'a>,
    current: &'a Value,
    text: &mut String,
) -> Result<(), EvaluateError> {
    for node in nodes {
        match node {
            Node::Text(literal) => text.push_str(literal),
            Node::Path(path) => {
                let found = evaluation.path(path, current)?;
                let shown: Vec<String> = found.into_iter().map(shown).collect();
                text.push_str(&shown.join(" "));
            }
            Node::Range(path, body) => {
                for item in evaluation.path(path, current)? {
                    write(body, evaluation, item, text)?;
                }
            }
        }
        if text.len() > MAX_OUTPUT {
            return Err(EvaluateError::TooLarge);
        }
    }
    Ok(())
}

fn collect<'a>(
    nodes: &'a [Node],
    evaluation: Evaluation<'a>,
    current: &'a Value,
    found: &mut Vec<Value>,
) -> Result<(), EvaluateError> {
    for node in nodes {
        match node {
            Node::Text(_) => {}
            Node::Path(path) => {
                found.extend(evaluation.path(path, current)?.into_iter().cloned());
            }
            Node::Range(path, body) => {
                for item in evaluation.path(path, current)? {
                    collect(body, evaluation, item, found)?;
                }
            }
        }
    }
    Ok(())
}

/// Text without quotes, everything else as JSON.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "<no value>".to_owned(),
        other => other.to_string(),
    }
}
