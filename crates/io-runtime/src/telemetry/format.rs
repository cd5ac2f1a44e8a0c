//! The line of one record.

use std::fmt;

use core_clock::Clock;
use serde_json::{Map, Value, json};
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    registry::LookupSpan,
};

use crate::SystemClock;

/// How a record is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `<time>\t<LEVEL>\t<file:line>\t<message>\t{fields}`.
    Console,
    /// One JSON object with `level`, `ts`, `caller`, `msg` and the fields.
    Json,
}

/// Writes records in a [`Form`].
pub struct LineFormat {
    form: Form,
    /// The shard that every record names.
    shard: Option<String>,
    clock: SystemClock,
}

impl LineFormat {
    /// A formatter on the system clock, of a process that serves `shard`.
    pub fn new(form: Form, shard: Option<String>) -> Self {
        Self { form, shard, clock: SystemClock::new() }
    }
}

impl<S, N> FormatEvent<S, N> for LineFormat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _context: &FmtContext<'_, S, N>,
        writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let metadata = event.metadata();
        let mut record = Record::of(self.shard.as_deref());
        event.record(&mut record);
        let caller = match (metadata.file(), metadata.line()) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            _ => metadata.target().to_owned(),
        };
        let time = self.clock.now().to_rfc3339_seconds();
        record.write(self.form, &time, metadata.level().as_str(), &caller, writer)
    }
}

struct Record {
    message: String,
    fields: Map<String, Value>,
}

impl Record {
    fn of(shard: Option<&str>) -> Self {
        let fields = shard.map(|shard| ("shard".to_owned(), json!(shard))).into_iter().collect();
        Self { message: String::new(), fields }
    }

    fn write(
        mut self,
        form: Form,
        time: &str,
        level: &str,
        caller: &str,
        mut writer: Writer<'_>,
    ) -> fmt::Result {
        match form {
            Form::Console => {
                write!(writer, "{time}\t{level}\t{caller}\t{}", self.message)?;
                if !self.fields.is_empty() {
                    write!(writer, "\t{}", Value::Object(self.fields))?;
                }
            }
            Form::Json => {
                for (key, value) in
                    [("level", level), ("ts", time), ("caller", caller), ("msg", &self.message)]
                {
                    self.fields.insert(key.to_owned(), json!(value));
                }
                write!(writer, "{}", Value::Object(self.fields))?;
            }
        }
        writeln!(writer)
    }

    fn add(&mut self, field: &Field, value: Value) {
        if field.name() == "message" {
            self.message = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        } else {
            self.fields.insert(field.name().to_owned(), value);
        }
    }
}

impl Visit for Record {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, json!(format!("{value:?}")));
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, json!(value));
    }
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, json!(value));
    }
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, json!(value));
    }
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, json!(value));
    }
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, json!(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(form: Form) -> String {
        let mut text = String::new();
        let mut record = Record { message: "store opened".into(), ..Record::of(Some("dev")) };
        record.fields.insert("objects".into(), json!(3));
        record
            .write(form, "2026-01-02T03:04:05Z", "INFO", "a.rs:1", Writer::new(&mut text))
            .unwrap();
        text
    }

    #[test]
    fn console_lines_are_tab_separated() {
        assert_eq!(
            line(Form::Console),
            "2026-01-02T03:04:05Z\tINFO\ta.rs:1\tstore opened\t{\"objects\":3,\"shard\":\"dev\"}\n"
        );
    }

    #[test]
    fn json_lines_hold_everything_in_one_object() {
        assert_eq!(
            line(Form::Json),
            "{\"caller\":\"a.rs:1\",\"level\":\"INFO\",\"msg\":\"store opened\",\"objects\":3,\"shard\":\"dev\",\"ts\":\"2026-01-02T03:04:05Z\"}\n"
        );
    }
}
