//! Evaluates expressions that may ask for objects.
//!
//! Evaluation does no input or output: objects that expressions ask for are fetched here, one round
//! each, and everything that came from a Secret is handed back to be hidden.

use core_expr::{Answers, Failure, Value};
use core_rules::credential::Secret;
use io_exec::Redactor;

use crate::port::ControlPlane;

/// How many objects the expressions of one evaluation may ask for.
const MAX_OBJECTS: usize = 64;
/// Shorter values of Secrets are not blanked: they would blank ordinary words.
const SHORTEST_SECRET: usize = 4;

/// Why something cannot be rendered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RenderError {
    /// It never will be.
    Invalid(String),
    /// An object could not be looked at; it may be later.
    Unanswered(String),
}

/// What was rendered, and the texts in it that came from Secrets.
#[derive(Debug)]
pub(crate) struct Rendered<T> {
    pub(crate) value: T,
    pub(crate) secrets: Vec<String>,
}

/// Runs an evaluation until it needs nothing more. It gets the objects of the Project that it asked
/// for, and a place for the secrets it comes across.
pub(crate) async fn answered<T>(
    control_plane: &dyn ControlPlane,
    project: &str,
    evaluate: impl Fn(&Answers, &mut Vec<String>) -> Result<T, Failure> + Send,
) -> Result<Rendered<T>, RenderError> {
    let mut answers = Answers::default();
    for _ in 0..=MAX_OBJECTS {
        let mut secrets = Vec::new();
        let request = match evaluate(&answers, &mut secrets) {
            Ok(value) => {
                secrets.extend(secret_texts(&answers));
                return Ok(Rendered { value, secrets });
            }
            Err(Failure::Invalid(error)) => {
                return Err(RenderError::Invalid(blanked(&error.message, &answers)));
            }
            Err(Failure::Needs(request)) => request,
        };
        let answer = control_plane.answer(project, &request).await.map_err(|error| {
            let message = format!("{request} could not be looked at: {error}");
            if error.is_temporary {
                RenderError::Unanswered(message)
            } else {
                RenderError::Invalid(message)
            }
        })?;
        answers.insert(request, answer);
    }
    let message = format!("its expressions ask for more than {MAX_OBJECTS} objects");
    Err(RenderError::Invalid(message))
}

fn secret_texts(answers: &Answers) -> impl Iterator<Item = String> {
    answers.secret_values().map(|value| String::from_utf8_lossy(value).into_owned())
}

/// An error may quote the values it failed on.
fn blanked(message: &str, answers: &Answers) -> String {
    let texts = secret_texts(answers).filter(|text| text.len() >= SHORTEST_SECRET);
    let secrets: Vec<_> = texts.map(Secret::new).collect();
    Redactor::new(&secrets).clean(message)
}

/// Variables as expressions see them.
pub(crate) fn as_map(vars: &[(&str, Value)]) -> Value {
    Value::map(vars.iter().map(|(name, value)| (*name, value.clone())))
}
