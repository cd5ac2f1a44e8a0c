//! Which objects belong to a controller.

use std::collections::BTreeMap;

/// The part of the objects that one controller is responsible for: those that carry its name in a label, and for the
/// default controller those without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    label: &'static str,
    name: String,
    default: bool,
}

impl Shard {
    /// The shard `name` by this label. Without a name it is the default one, whatever `default` says.
    pub fn new(label: &'static str, name: impl Into<String>, default: bool) -> Self {
        let name = name.into();
        let default = default || name.is_empty();
        Self { label, name, default }
    }

    /// The name; empty for the unnamed controller.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether an object with these labels belongs to this controller. Asked at every source of keys and in every pass.
    pub fn owns(&self, labels: Option<&BTreeMap<String, String>>) -> bool {
        let shard = labels.and_then(|labels| labels.get(self.label));
        match shard.map_or("", String::as_str) {
            "" => self.default,
            shard => shard == self.name,
        }
    }

    /// The label selector of a watch on these objects; `None` when no selector can say it, and [`Shard::owns`] filters.
    pub fn selector(&self) -> Option<String> {
        match (self.name.as_str(), self.default) {
            ("", _) => Some(format!("!{}", self.label)),
            (_, true) => None,
            (name, false) => Some(format!("{}={name}", self.label)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_owns_its_label_and_the_default_one_also_what_has_none() {
        let cases = [
            // name, default, label of the object, owned, selector
            ("", false, None, true, Some("!shard")),
            ("", true, Some(""), true, Some("!shard")),
            ("", true, Some("east"), false, Some("!shard")),
            ("east", false, None, false, Some("shard=east")),
            ("east", false, Some("east"), true, Some("shard=east")),
            ("east", false, Some("west"), false, Some("shard=east")),
            ("east", true, None, true, None),
            ("east", true, Some("west"), false, None),
        ];
        for (name, default, label, owned, selector) in cases {
            let shard = Shard::new("shard", name, default);
            let labels =
                label.map(|label| BTreeMap::from([("shard".to_owned(), label.to_owned())]));
            assert_eq!(shard.owns(labels.as_ref()), owned, "{name:?} {default} {label:?}");
            assert_eq!(shard.selector().as_deref(), selector, "{name:?} {default}");
        }
    }
}
