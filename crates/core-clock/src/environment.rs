//! The environment port: settings as a component sees them.

use std::collections::BTreeMap;

/// Where settings come from. Passed as `&dyn Environment`.
pub trait Environment: Send + Sync {
    /// The value of a variable; `None` when it is not set or not UTF-8.
    fn var(&self, name: &str) -> Option<String>;
}

/// Settings given as data, for tests.
#[derive(Clone, Debug, Default)]
pub struct FixedEnvironment(BTreeMap<String, String>);

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for FixedEnvironment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(vars: I) -> Self {
        Self(vars.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl Environment for FixedEnvironment {
    fn var(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }
}
