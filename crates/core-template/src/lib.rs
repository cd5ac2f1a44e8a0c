//! Go text templates with sprig's generic functions, as the addresses of links are written.
//!
//! The language is that of `gotmpl`; the functions are here. What a template may not do, it cannot:
//! there is no function for the environment, for names of hosts, for randomness or for keys. Templates
//! are written by those who configure an installation or a Project and run in the API server, so the
//! length of the text, the work, the values on the way and the output are bounded, and no input panics.

#![warn(missing_docs)]

mod block;
mod budget;
mod function;
mod output;
#[cfg(test)]
mod tests;
mod value;

use core_clock::Time;
use gotmpl::TemplateError;
use serde_json::Value;

use budget::Budget;
use output::Output;

/// The longest text of a template, in bytes.
pub const MAX_TEMPLATE: usize = 16 * 1024;
/// The longest output, in bytes.
pub const MAX_OUTPUT: usize = 64 * 1024;
/// How often loops may go round in all.
const MAX_ROUNDS: u64 = 10_000;

/// A template that cannot be rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is no template, or names a function that there is not.
    #[error("{0}")]
    Parse(String),
    /// The template fails for these values.
    #[error("{0}")]
    Render(String),
}

/// Renders a template. `data` is the dot; `now` is the time of functions about dates.
pub fn render(text: &str, data: &Value, now: Time) -> Result<String, Error> {
    if text.len() > MAX_TEMPLATE {
        return Err(Error::Parse(format!("the template is longer than {MAX_TEMPLATE} bytes")));
    }
    block::check(text).map_err(|reason| Error::Parse(reason.to_owned()))?;
    let template = gotmpl::Template::new("")
        .max_range_iters(MAX_ROUNDS)
        .funcs(function::functions(&Budget::default(), now))
        .parse(text)
        .map_err(|error| Error::Parse(error.to_string()))?;
    let mut output = Output::new(MAX_OUTPUT);
    match template.execute_fmt(&mut output, &value::from_json(data)) {
        Ok(()) => Ok(output.into_text()),
        Err(_) if output.is_full() => {
            Err(Error::Render(format!("the output is longer than {MAX_OUTPUT} bytes")))
        }
        // Go looks functions up when it parses.
        Err(error @ TemplateError::UndefinedFunction(_)) => Err(Error::Parse(error.to_string())),
        Err(error) => Err(Error::Render(error.to_string())),
    }
}
