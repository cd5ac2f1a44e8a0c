//! One case: named inputs and the expected result.

use serde_json::Value;

/// A case together with the file it is from, which may hold shared fixtures.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    file: &'a Value,
    members: &'a Value,
}

impl<'a> Case<'a> {
    /// A case of a family's file.
    pub fn new(file: &'a Value, members: &'a Value) -> Self {
        Self { file, members }
    }

    /// The unique name of the case.
    pub fn id(&self) -> &'a str {
        self.text("id")
    }

    /// A fixture shared by all cases of the file.
    pub fn fixture(&self, name: &str) -> Option<&'a Value> {
        self.file.get(name)
    }

    /// A member as it stands; `None` when it is missing.
    pub fn member(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name)
    }

    /// A member, or null when it is missing: the form in which kinds read absent fields.
    pub fn member_or_null(&self, name: &str) -> Value {
        self.member(name).cloned().unwrap_or_default()
    }

    /// A text member; empty when it is missing.
    pub fn text(&self, name: &str) -> &'a str {
        self.member(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A list of texts; empty when it is missing or null.
    pub fn texts(&self, name: &str) -> Vec<&'a str> {
        let list = self.member(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// A number that counts something; 0 when it is missing.
    pub fn count(&self, name: &str) -> usize {
        let number = self.member(name).and_then(Value::as_u64);
        number.and_then(|number| usize::try_from(number).ok()).unwrap_or_default()
    }
}
