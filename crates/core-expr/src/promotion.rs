//! What functions of a Promotion look at, and what they ask for.
//!
//! Evaluation does no input or output. A function that needs an object which is not among the
//! [`Answers`] ends the run with [`Failure::Needs`](crate::Failure::Needs); the caller fetches the
//! object, adds the answer and runs the expression again.

use std::collections::BTreeMap;
use std::fmt;

use api_kinds::collection::FreightReference;
use api_kinds::promotion::StepExecutionMetadata;
use api_kinds::stage::FreightRequest;
use api_kinds::warehouse::RepoSubscription;
use serde_json::Value as Json;

/// What functions of a Promotion look at.
#[derive(Clone, Copy, Debug)]
pub struct Promotion<'a> {
    /// The Freight that the Stage requests.
    pub requests: &'a [FreightRequest],
    /// The Freight being promoted, one piece per origin.
    pub freight: &'a [FreightReference],
    /// Alias of the step being evaluated; empty outside of steps.
    pub step: &'a str,
    /// Records of the steps so far.
    pub steps: &'a [StepExecutionMetadata],
    /// Objects fetched so far.
    pub answers: &'a Answers,
}

/// An object that a function asks for. Names are within the Project, or in the namespace of
/// shared resources.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Request {
    /// A Secret of the Project.
    Secret(String),
    /// A Secret of the namespace of shared resources.
    SharedSecret(String),
    /// A ConfigMap of the Project.
    ConfigMap(String),
    /// A ConfigMap of the namespace of shared resources.
    SharedConfigMap(String),
    /// Freight of the Project, not from a cache.
    Freight(String),
    /// A Stage of the Project, not from a cache.
    Stage(String),
    /// A Warehouse of the Project.
    Warehouse(String),
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = match self {
            Self::Secret(name) => ("Secret", name),
            Self::SharedSecret(name) => ("shared Secret", name),
            Self::ConfigMap(name) => ("ConfigMap", name),
            Self::SharedConfigMap(name) => ("shared ConfigMap", name),
            Self::Freight(name) => ("Freight", name),
            Self::Stage(name) => ("Stage", name),
            Self::Warehouse(name) => ("Warehouse", name),
        };
        write!(f, "{kind} {name:?}")
    }
}

/// What came of a request.
#[derive(Clone)]
pub enum Answer {
    /// There is no such object.
    Missing,
    /// A Secret.
    Secret {
        /// Its labels.
        labels: BTreeMap<String, String>,
        /// Its decoded data.
        data: BTreeMap<String, Vec<u8>>,
    },
    /// A ConfigMap's data, if it has any.
    ConfigMap(Option<BTreeMap<String, String>>),
    /// The status of Freight or of a Stage.
    Status(Json),
    /// The subscriptions of a Warehouse.
    Warehouse(Vec<RepoSubscription>),
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "missing",
            Self::Secret { .. } => "Secret",
            Self::ConfigMap(_) => "ConfigMap",
            Self::Status(_) => "status",
            Self::Warehouse(_) => "Warehouse",
        })
    }
}

/// Objects fetched so far.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    answers: BTreeMap<Request, Answer>,
}

impl Answers {
    /// Adds what came of a request.
    pub fn insert(&mut self, request: Request, answer: Answer) {
        self.answers.insert(request, answer);
    }

    pub(crate) fn get(&self, request: &Request) -> Option<&Answer> {
        self.answers.get(request)
    }

    /// Every value of every Secret that has been read, for masking.
    pub fn secret_values(&self) -> impl Iterator<Item = &[u8]> {
        self.answers.values().flat_map(|answer| {
            let data = match answer {
                Answer::Secret { data, .. } => Some(data),
                _ => None,
            };
            data.into_iter().flat_map(|data| data.values().map(Vec::as_slice))
        })
    }
}
