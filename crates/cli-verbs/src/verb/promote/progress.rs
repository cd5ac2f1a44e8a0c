//! How far a Promotion is: a bar that is drawn over where somebody watches, plain lines elsewhere.

use std::io;

use cli_client::Object;
use serde_json::Value;

use crate::ports::{Streams, Terminal};

const BAR: usize = 20;
/// To the beginning of the line, and nothing on it.
const CLEAR: &str = "\r\u{1b}[K";

/// What was shown of a Promotion so far.
pub(super) struct Progress {
    /// Before every line, where several are followed.
    prefix: String,
    is_drawn: bool,
    told: Vec<String>,
    phase: String,
}

impl Progress {
    /// Nothing was shown yet. Only what is alone can be drawn over.
    pub(super) fn new(terminal: &dyn Terminal, name: &str, is_alone: bool) -> Self {
        let prefix = if is_alone { String::new() } else { format!("{name}: ") };
        let is_drawn = is_alone && terminal.is_watched();
        Self { prefix, is_drawn, told: Vec::new(), phase: String::new() }
    }

    /// Shows what is new.
    pub(super) fn show(&mut self, streams: &dyn Streams, promotion: &Object) -> io::Result<()> {
        if self.is_drawn {
            return streams.err(&format!("{CLEAR}{}", drawn(promotion)));
        }
        for (at, line) in lines(promotion).into_iter().enumerate() {
            match self.told.get_mut(at) {
                Some(told) if *told == line => continue,
                Some(told) => told.clone_from(&line),
                None => self.told.push(line.clone()),
            }
            streams.err(&format!("{}{line}\n", self.prefix))?;
        }
        let phase = promotion.text("/status/phase");
        if phase != self.phase {
            phase.clone_into(&mut self.phase);
            streams.err(&format!("{}promotion {phase}\n", self.prefix))?;
        }
        Ok(())
    }

    /// Leaves the line to others.
    pub(super) fn end(&self, streams: &dyn Streams) -> io::Result<()> {
        if self.is_drawn { streams.err("\n") } else { Ok(()) }
    }
}

fn steps(promotion: &Object) -> &[Value] {
    let steps = promotion.value().pointer("/spec/steps").and_then(Value::as_array);
    steps.map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// One line for each step that began.
fn lines(promotion: &Object) -> Vec<String> {
    let steps = steps(promotion);
    let count = steps.len();
    let began =
        promotion.value().pointer("/status/stepExecutionMetadata").and_then(Value::as_array);
    let began = began.map_or(&[][..], Vec::as_slice);
    let line = |(at, run): (usize, &Value)| {
        let status = text(run, "status");
        let name = match text(run, "alias") {
            "" => steps.get(at).map_or("", |step| text(step, "uses")),
            alias => alias,
        };
        let message = text(run, "message");
        let told = format!("[{}/{count}] {name} {status}", at + 1);
        if message.is_empty() { told } else { format!("{told}: {}", first_line(message)) }
    };
    began.iter().enumerate().filter(|(_, run)| !text(run, "status").is_empty()).map(line).collect()
}

/// `[#####...............] 1/4 git-clone Running`.
fn drawn(promotion: &Object) -> String {
    let count = steps(promotion).len();
    let phase = promotion.text("/status/phase");
    let lines = lines(promotion);
    let is_over = phase == "Succeeded";
    let done = if is_over { count } else { lines.len().saturating_sub(1) };
    let filled = (done * BAR).checked_div(count).unwrap_or(0).min(BAR);
    let bar = "#".repeat(filled) + &".".repeat(BAR - filled);
    let current = match lines.last().filter(|_| !is_over) {
        Some(line) => line.clone(),
        None => phase.to_owned(),
    };
    format!("[{bar}] {current}")
}

fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(200).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn promotion() -> Object {
        Object::new(json!({
            "spec": { "steps": [{ "uses": "git-clone" }, { "uses": "git-push", "as": "push" }] },
            "status": {
                "phase": "Running",
                "stepExecutionMetadata": [
                    { "status": "Succeeded" }, { "alias": "push", "status": "Running", "message": "a\nb" }],
            },
        }))
    }

    #[test]
    fn every_step_that_began_has_a_line() {
        let told = lines(&promotion());
        assert_eq!(told, ["[1/2] git-clone Succeeded", "[2/2] push Running: a"]);
        assert_eq!(drawn(&promotion()), "[##########..........] [2/2] push Running: a");
    }
}
