//! Texts with expressions in `${{ }}` or `${% %}`.

mod coerce;
mod document;

use std::ops::Range;

use crate::error::{Error, ErrorKind, Failure};
use crate::go::plain_text;
use crate::json;
use crate::library::Library;
use crate::limits::{Budget, MAX_SOURCE_BYTES};
use crate::mention::Mention;
use crate::program::Program;
use crate::scope::Scope;
use crate::text::Text;
use crate::value::{Data, Value};
use coerce::coerce;
pub use document::{Document, evaluate_document, evaluate_typed_document};

const DELIMITERS: [(&str, &str); 2] = [("${{", "}}"), ("${%", "%}")];

/// A template that has been taken apart. Its expressions are not read yet.
#[derive(Clone, Debug)]
pub struct Template<'a> {
    source: &'a str,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    Literal(Range<usize>),
    Expression(Range<usize>),
}

impl<'a> Template<'a> {
    /// Finds the expressions. The first end delimiter after a start delimiter ends its expression,
    /// even within a text literal.
    pub fn parse(source: &'a str) -> Result<Self, Error> {
        if source.len() > MAX_SOURCE_BYTES {
            let message = format!("the template is longer than {MAX_SOURCE_BYTES} bytes");
            return Err(Error::new(ErrorKind::Limit, 0..source.len(), message));
        }
        let mut pieces = Vec::new();
        let mut position = 0;
        while let Some((start, open, close)) = next_start(source, position) {
            let from = start + open.len();
            let rest = source.get(from..).unwrap_or_default();
            let Some(length) = rest.find(close) else {
                let message =
                    format!("unclosed expression: expected {close:?} but reached end of template");
                return Err(Error::new(ErrorKind::Unclosed, start..source.len(), message));
            };
            if length == 0 {
                let range = start..from + close.len();
                return Err(Error::new(ErrorKind::Compile, range, "the expression is empty"));
            }
            pieces.push(Piece::Literal(position..start));
            pieces.push(Piece::Expression(from..from + length));
            position = from + length + close.len();
        }
        pieces.push(Piece::Literal(position..source.len()));
        Ok(Self { source, pieces })
    }

    /// Whether there is no expression; the value is then the text as it stands.
    pub fn is_literal(&self) -> bool {
        self.pieces.len() == 1
    }

    /// Reads and checks all expressions without running them.
    pub fn check(&self, library: Library) -> Result<(), Error> {
        self.programs(library).try_for_each(|program| program.map(drop))
    }

    /// Reads and checks all expressions, and says what they mention.
    pub fn mentions(&self, library: Library) -> Result<Vec<Mention>, Error> {
        let mut mentions = Vec::new();
        for piece in &self.pieces {
            if let Piece::Expression(range) = piece {
                let program = self.compile(range, library.and(Library::QUOTING))?;
                mentions
                    .extend(program.mentions().into_iter().map(|found| found.moved(range.start)));
            }
        }
        Ok(mentions)
    }

    fn programs(&self, library: Library) -> impl Iterator<Item = Result<Program, Error>> {
        let library = library.and(Library::QUOTING);
        self.pieces.iter().filter_map(move |piece| match piece {
            Piece::Literal(_) => None,
            Piece::Expression(range) => Some(self.compile(range, library)),
        })
    }

    fn compile(&self, range: &Range<usize>, library: Library) -> Result<Program, Error> {
        let source = self.source.get(range.clone()).unwrap_or_default();
        Program::compile(source, library).map_err(|error| error.moved(range.start))
    }

    /// Runs all expressions and gives the text a type: number, truth value, JSON or text. The
    /// result is tainted when any expression's is.
    pub fn evaluate(&self, library: Library, scope: &Scope<'_>) -> Result<Value, Failure> {
        self.evaluate_within(library, scope, &mut Budget::default(), Wanted::Anything)
    }

    /// Runs all expressions where only text fits: what looks like a number, a truth value or JSON
    /// stays as it is written. Quotes that mark a text are dropped, and nothing stays nothing.
    pub fn evaluate_text(&self, library: Library, scope: &Scope<'_>) -> Result<Value, Failure> {
        self.evaluate_within(library, scope, &mut Budget::default(), Wanted::Text)
    }

    fn evaluate_within(
        &self,
        library: Library,
        scope: &Scope<'_>,
        budget: &mut Budget,
        wanted: Wanted,
    ) -> Result<Value, Failure> {
        if self.is_literal() {
            return Ok(Value::text(self.source));
        }
        let library = library.and(Library::QUOTING);
        let mut text = Vec::with_capacity(self.source.len());
        let mut tainted = false;
        for piece in &self.pieces {
            match piece {
                Piece::Literal(range) => {
                    text.extend(self.source.get(range.clone()).unwrap_or_default().bytes());
                }
                Piece::Expression(range) => {
                    let program = self.compile(range, library)?;
                    let result = program.run_within(scope, budget);
                    let value = result.map_err(|failure| failure.moved(range.start))?;
                    tainted |= value.is_tainted();
                    let rendered = rendered(&value, range)?;
                    budget.text(rendered.len()).map_err(|trouble| trouble.at(range.clone()))?;
                    text.extend(rendered.as_bytes());
                }
            }
        }
        let value = match wanted {
            Wanted::Anything => coerce(text),
            Wanted::Text => keep_text(text),
        };
        Ok(value.deeply_tainted_if(tainted))
    }
}

/// What the place of a template has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// Any type.
    Anything,
    /// Text only.
    Text,
}

/// What a template makes where only text fits: no number or JSON, but quotes that mark a text are
/// dropped and nothing stays nothing.
fn keep_text(text: Vec<u8>) -> Value {
    let value = coerce(text.clone());
    if value.is_nil() || value.as_text().is_some() { value } else { Value::text(text) }
}

/// The result of one expression as text: a text as it is, anything else as JSON.
fn rendered(value: &Value, range: &Range<usize>) -> Result<Text, Failure> {
    match &value.data {
        Data::Text(_) => Ok(plain_text(value)),
        _ => json::write(value).map(Text::from).map_err(|trouble| trouble.at(range.clone())),
    }
}

/// The first start delimiter of either kind, with its end delimiter.
fn next_start(source: &str, position: usize) -> Option<(usize, &'static str, &'static str)> {
    let rest = source.get(position..)?;
    let found = DELIMITERS
        .iter()
        .filter_map(|(open, close)| rest.find(open).map(|start| (position + start, *open, *close)));
    found.min_by_key(|(start, _, _)| *start)
}

#[cfg(test)]
mod tests;
