//! A script of kubectl commands with what each must print.
//!
//! Expected text is compared as words per line; `<age>`, `<time>`, `<digits>`, `<any>` and `<rest>` stand for what differs from run
//! to run, and `{ns}` for the namespace.

use anyhow::{Result, ensure};
use regex::Regex;

use crate::{
    cases::Cases,
    rows::tool::{Run, Tool},
};

/// One command.
pub(super) struct Step {
    line: &'static str,
    exit: i32,
    want: Want,
}

enum Want {
    /// The whole standard output.
    Output(&'static str),
    /// These lines among those of the standard output.
    Lines(&'static [&'static str]),
    /// The end of the standard error.
    Errors(&'static str),
}

/// Succeeds and prints exactly this.
pub(super) const fn says(line: &'static str, output: &'static str) -> Step {
    Step { line, exit: 0, want: Want::Output(output) }
}

/// Succeeds and prints these lines among others.
pub(super) const fn shows(line: &'static str, lines: &'static [&'static str]) -> Step {
    Step { line, exit: 0, want: Want::Lines(lines) }
}

/// Succeeds and ends its standard error with this.
pub(super) const fn notes(line: &'static str, errors: &'static str) -> Step {
    Step { line, exit: 0, want: Want::Errors(errors) }
}

/// Exits with 1 and ends its standard error with this.
pub(super) const fn fails(line: &'static str, errors: &'static str) -> Step {
    Step { line, exit: 1, want: Want::Errors(errors) }
}

/// Exits with 1 and prints these lines among others.
pub(super) const fn differs(line: &'static str, lines: &'static [&'static str]) -> Step {
    Step { line, exit: 1, want: Want::Lines(lines) }
}

/// Runs the steps one after the other and reports every one that is not as expected.
pub(super) async fn play(kubectl: &Tool, namespace: &str, steps: &[Step]) -> Result<()> {
    let mut cases = Cases::default();
    for step in steps {
        let line = step.line.replace("{ns}", namespace);
        let arguments: Vec<&str> = line.split(' ').collect();
        let run = kubectl.run(namespace, &arguments).await?;
        cases.note(format!("kubectl {line}"), check(step, namespace, &run));
    }
    cases.finish()
}

fn check(step: &Step, namespace: &str, run: &Run) -> Result<()> {
    ensure!(run.exit == Some(step.exit), "want exit {}, got {run:?}", step.exit);
    let pattern = |text: &str| expected(text, namespace);
    let (output, errors) = (squeezed(&run.output), squeezed(&run.errors));
    match step.want {
        Want::Output(text) => {
            let whole = Regex::new(&format!("^{}$", pattern(text)))?;
            ensure!(whole.is_match(&output), "want {text:?}, got {run:?}");
        }
        Want::Lines(lines) => {
            for line in lines {
                let found = Regex::new(&format!("(?m)^{}$", pattern(line)))?.is_match(&output);
                ensure!(found, "want the line {line:?}, got {run:?}");
            }
        }
        Want::Errors(text) => {
            let end = Regex::new(&format!("{}$", pattern(text)))?;
            ensure!(end.is_match(&errors), "want {text:?} on stderr, got {run:?}");
        }
    }
    Ok(())
}

/// One space between words, no space at either end of a line, no empty lines at the end.
fn squeezed(text: &str) -> String {
    let lines: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    lines.join("\n").trim_end().to_owned()
}

fn expected(text: &str, namespace: &str) -> String {
    let text = regex::escape(&squeezed(&text.replace("{ns}", namespace)));
    [
        ("<age>", r"(?:\d+[ydhms])+"),
        ("<time>", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
        ("<digits>", r"\d+"),
        ("<any>", r"[^\n]+"),
        ("<rest>", r"[^\n]*"),
    ]
    .iter()
    .fold(text, |text, (placeholder, pattern)| text.replace(placeholder, pattern))
}
