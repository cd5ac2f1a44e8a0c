//! Picks the versions of one chart out of an index without building the rest.
//!
//! Indexes grow to tens of megabytes, of which a subscription needs a few kilobytes: the text is read
//! as a stream of events and everything beside `entries.<chart>[].version` passes by.

use granit_parser::{Event, Parser};

/// Events between two looks at the other tasks of the thread.
const EVENTS_AT_ONCE: usize = 5_000;
const MAX_DEPTH: usize = 64;
const MAX_VERSIONS: usize = 100_000;
const MAX_VERSION_BYTES: usize = 256;

/// Why an index cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Problem {
    #[error("it is not UTF-8")]
    NotUtf8,
    #[error("it is not YAML: {0}")]
    Syntax(String),
    #[error("it is nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
    #[error("the chart has more than {MAX_VERSIONS} versions")]
    TooManyVersions,
}

/// The versions of `chart`, as written and in order.
pub(super) async fn versions(text: &[u8], chart: &str) -> Result<Vec<String>, Problem> {
    let text = std::str::from_utf8(text).map_err(|_| Problem::NotUtf8)?;
    let mut parser = Parser::new_from_str(text);
    let mut finder = Finder { chart, frames: Vec::new(), versions: Vec::new() };
    loop {
        for _ in 0..EVENTS_AT_ONCE {
            let Some(event) = parser.next_event() else { return Ok(finder.versions) };
            let (event, _) =
                event.map_err(|error| Problem::Syntax(crate::Error::quote(&error.to_string())))?;
            if matches!(event, Event::DocumentEnd) {
                return Ok(finder.versions);
            }
            finder.take(&event)?;
        }
        tokio::task::yield_now().await;
    }
}

struct Finder<'c> {
    chart: &'c str,
    frames: Vec<Frame>,
    versions: Vec<String>,
}

/// A mapping or sequence that is open.
struct Frame {
    level: Level,
    is_mapping: bool,
    /// In a mapping: the key whose value comes next.
    key: Option<String>,
}

/// Where in the index a node stands, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Entries,
    Releases,
    Release,
    Other,
}

impl Finder<'_> {
    fn take(&mut self, event: &Event<'_>) -> Result<(), Problem> {
        match event {
            Event::MappingStart(..) => self.open(true),
            Event::SequenceStart(..) => self.open(false),
            Event::MappingEnd | Event::SequenceEnd => {
                self.frames.pop();
                self.node_done(None);
                Ok(())
            }
            Event::Alias(..) => {
                self.node_done(None);
                Ok(())
            }
            event => match event.scalar() {
                Some((text, _)) => self.scalar(text),
                None => Ok(()),
            },
        }
    }

    fn open(&mut self, is_mapping: bool) -> Result<(), Problem> {
        if self.frames.len() >= MAX_DEPTH {
            return Err(Problem::TooDeep);
        }
        let level = self.level_of_child(is_mapping);
        self.frames.push(Frame { level, is_mapping, key: None });
        Ok(())
    }

    fn level_of_child(&self, is_mapping: bool) -> Level {
        let Some(parent) = self.frames.last() else {
            return if is_mapping { Level::Root } else { Level::Other };
        };
        match (parent.level, parent.key.as_deref(), is_mapping) {
            (Level::Root, Some("entries"), true) => Level::Entries,
            (Level::Entries, Some(key), false) if key == self.chart => Level::Releases,
            (Level::Releases, _, true) => Level::Release,
            _ => Level::Other,
        }
    }

    fn scalar(&mut self, text: &str) -> Result<(), Problem> {
        let in_release = self.frames.last().is_some_and(|frame| {
            frame.level == Level::Release && frame.key.as_deref() == Some("version")
        });
        if in_release && (1..=MAX_VERSION_BYTES).contains(&text.len()) {
            if self.versions.len() >= MAX_VERSIONS {
                return Err(Problem::TooManyVersions);
            }
            self.versions.push(text.to_owned());
        }
        self.node_done(Some(text));
        Ok(())
    }

    /// In a mapping, keys and values take turns; a key that is no text is an empty one.
    fn node_done(&mut self, text: Option<&str>) {
        let Some(frame) = self.frames.last_mut() else { return };
        if !frame.is_mapping {
            return;
        }
        frame.key = match frame.key.take() {
            Some(_) => None,
            None => Some(text.unwrap_or_default().to_owned()),
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    async fn find(text: &str) -> Result<Vec<String>, Problem> {
        versions(text.as_bytes(), "app").await
    }

    #[tokio::test]
    async fn only_the_versions_of_the_chart_are_taken() {
        let text = "apiVersion: v1
version: 9.9.9
entries:
  other:
  - version: 8.8.8
  app:
  - name: app
    version: 1.2.0
    maintainers: [{name: a, version: 7.7.7}]
    dependencies:
    - {name: db, version: 6.6.6}
  - {version: \"v1.1\", name: app}
  - name: no version
generated: now
";
        assert_eq!(find(text).await.unwrap(), ["1.2.0", "v1.1"]);
    }

    #[tokio::test]
    async fn json_and_odd_keys_are_read_too() {
        let text = r#"{"entries":{"app":[{"version":"1.0.0"}],"x":{"app":[{"version":"2"}]}}}"#;
        assert_eq!(find(text).await.unwrap(), ["1.0.0"]);
        let text =
            "? [a, b]\n: c\nentries:\n  ? {app: 1}\n  : - version: 5\n  app: [{version: 1.0}]\n";
        assert_eq!(find(text).await.unwrap(), ["1.0"]);
        for text in ["", "null", "entries:", "entries: {}", "[]", "app"] {
            assert_eq!(find(text).await.unwrap(), [""; 0], "{text}");
        }
    }

    #[tokio::test]
    async fn what_is_no_index_is_told() {
        assert!(matches!(find("a: [").await, Err(Problem::Syntax(_))));
        assert_eq!(versions(&[0xff], "app").await, Err(Problem::NotUtf8));
        assert!(find(&"[".repeat(100_000)).await.is_err());
        let many = format!("entries: {{app: [{}]}}", "{version: 1},".repeat(MAX_VERSIONS + 1));
        assert_eq!(find(&many).await, Err(Problem::TooManyVersions));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[ -~\\n]{0,200}") {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let _ = runtime.block_on(find(&text));
        }
    }
}
