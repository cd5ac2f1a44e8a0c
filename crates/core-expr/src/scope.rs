//! What an expression sees while it runs.

use std::collections::BTreeMap;

use api_kinds::warehouse::DiscoveredArtifacts;
use jiff::Timestamp;

use crate::promotion::Promotion;
use crate::text::Text;
use crate::value::{Data, Value};

/// Variables by name. Names that are not there are nil.
#[derive(Clone, Debug)]
pub struct Variables {
    root: Value,
}

impl Default for Variables {
    fn default() -> Self {
        Self::from_root(Value::map::<Text>([]))
    }
}

impl<K: Into<Text>> FromIterator<(K, Value)> for Variables {
    fn from_iter<T: IntoIterator<Item = (K, Value)>>(variables: T) -> Self {
        Self::from_root(Value::map(variables))
    }
}

impl Variables {
    /// The members of a map as variables. `$env` is the whole, which need not be a map.
    pub fn from_root(root: Value) -> Self {
        Self { root }
    }

    /// The same variables and another one.
    #[must_use]
    pub fn with(&self, name: &str, value: Value) -> Self {
        let mut variables: BTreeMap<Text, Value> = match &self.root.data {
            Data::Map(map) => map.entries.clone(),
            _ => BTreeMap::new(),
        };
        variables.insert(name.into(), value);
        variables.into_iter().collect()
    }

    /// A variable, if it is there.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.root.get(name)
    }

    pub(crate) fn root(&self) -> &Value {
        &self.root
    }
}

/// What the functions of the library look at.
#[derive(Clone, Copy, Debug, Default)]
pub enum Host<'a> {
    /// Nothing.
    #[default]
    Nothing,
    /// A Promotion, or the verification of a Stage.
    Promotion(&'a Promotion<'a>),
    /// What a Warehouse found.
    Discovered(&'a DiscoveredArtifacts),
}

/// All that an expression sees.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Variables.
    pub variables: &'a Variables,
    /// The time that `now()` gives.
    pub now: Timestamp,
    /// What functions look at.
    pub host: Host<'a>,
}

impl<'a> Scope<'a> {
    /// Variables and nothing else.
    pub fn new(variables: &'a Variables, now: Timestamp) -> Self {
        Self { variables, now, host: Host::Nothing }
    }

    /// The same with what functions look at.
    #[must_use]
    pub fn with_host(self, host: Host<'a>) -> Self {
        Self { host, ..self }
    }
}
