//! What a history is made of: requests in which names of things stand for what only the server knows.
//!
//! A request is written before anything has run, and the same on both engines, so revisions, uids, random names and
//! continue tokens appear in it as `<…>`: see [`crate::memory::Memory::resolve`].

use std::fmt::{Display, Formatter, Result};

use http::Method;
use serde_json::Value;

/// One object of a history: `widgets/a/x` is Widget x in the first namespace, `gadgets/-/x` a Gadget.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) plural: &'static str,
    /// `a`, `b`, or `-` outside of namespaces.
    pub(crate) namespace: char,
    pub(crate) name: String,
}

impl Display for Key {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        write!(formatter, "{}/{}/{}", self.plural, self.namespace, self.name)
    }
}

/// One step of a history.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// Sent to both engines; the replies are compared.
    Request(Request),
    /// A stream that stays open until the history ends; its events are compared.
    Watch(Watch),
    /// The embedded server is killed and started again; nothing happens to the other.
    Restart,
}

/// A request and what its reply is about.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) content_type: Option<&'static str>,
    pub(crate) accept: Option<&'static str>,
    pub(crate) body: Body,
    /// The object that a success shows.
    pub(crate) target: Option<Key>,
    /// Controllers may have to act before the next step.
    pub(crate) settles: bool,
}

impl Request {
    /// Whether nothing is stored, so nothing is to be remembered.
    pub(crate) fn is_dry(&self) -> bool {
        self.query.iter().any(|(name, _)| *name == "dryRun")
    }
}

/// The body of a request.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Nothing.
    Empty,
    /// This, once the `<…>` are filled in.
    Literal(Value),
    /// The object as it was last seen, with a merge patch applied.
    Edited { object: Key, change: Value },
}

/// A watch on a collection.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) path: String,
    /// Everything but `watch` and the start.
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) start: Start,
    /// The object whose event ends the stream, written when the history is over.
    pub(crate) last: Key,
    /// That object; it matches the selectors of the watch.
    pub(crate) last_body: Value,
}

/// Where a watch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// After the list that was read last.
    List,
    /// With the current state, then a bookmark.
    InitialEvents,
}

impl Display for Operation {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        match self {
            Self::Request(request) => request.fmt(formatter),
            Self::Watch(watch) => {
                write!(formatter, "WATCH {}{} from ", watch.path, show_query(&watch.query))?;
                formatter.write_str(match watch.start {
                    Start::List => "the last list",
                    Start::InitialEvents => "the current state",
                })
            }
            Self::Restart => formatter.write_str("RESTART of the embedded server"),
        }
    }
}

impl Display for Request {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        write!(formatter, "{} {}{}", self.method, self.path, show_query(&self.query))?;
        for media_type in [self.content_type, self.accept].into_iter().flatten() {
            write!(formatter, " ({media_type})")?;
        }
        match &self.body {
            Body::Empty => Ok(()),
            Body::Literal(body) => write!(formatter, " {body}"),
            Body::Edited { object, change } => write!(formatter, " {object} with {change}"),
        }
    }
}

fn show_query(query: &[(&'static str, String)]) -> String {
    let parts: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) }
}
