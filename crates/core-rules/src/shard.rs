//! Which objects belong to a controller.

use std::collections::BTreeMap;

use api_kinds::labels;

/// The part of the objects that one controller is responsible for: those that carry its name in a label, and for the
/// default controller those without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    name: String,
    default: bool,
}

impl Shard {
    /// The shard `name`. Without a name it is the default one, whatever `default` says.
    pub fn new(name: impl Into<String>, default: bool) -> Self {
        let name = name.into();
        let default = default || name.is_empty();
        Self { name, default }
    }

    /// The name; empty for the unnamed controller.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether an object with these labels belongs to this controller. Asked at every source of keys and in every pass.
    pub fn owns(&self, of_object: Option<&BTreeMap<String, String>>) -> bool {
        let shard = of_object.and_then(|of_object| of_object.get(labels::SHARD));
        self.covers(shard.map_or("", String::as_str))
    }

    /// The same for an object whose shard is known; empty when it names none.
    pub fn covers(&self, shard: &str) -> bool {
        if shard.is_empty() { self.default } else { shard == self.name }
    }

    /// The label selector of a watch on these objects; `None` when no selector can say it, and [`Shard::owns`] filters.
    pub fn selector(&self) -> Option<String> {
        match (self.name.as_str(), self.default) {
            ("", _) => Some(format!("!{}", labels::SHARD)),
            (_, true) => None,
            (name, false) => Some(format!("{}={name}", labels::SHARD)),
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
            ("", false, None, true, Some("!kargo.akuity.io/shard")),
            ("", true, Some(""), true, Some("!kargo.akuity.io/shard")),
            ("", true, Some("east"), false, Some("!kargo.akuity.io/shard")),
            ("east", false, None, false, Some("kargo.akuity.io/shard=east")),
            ("east", false, Some("east"), true, Some("kargo.akuity.io/shard=east")),
            ("east", false, Some("west"), false, Some("kargo.akuity.io/shard=east")),
            ("east", true, None, true, None),
            ("east", true, Some("west"), false, None),
        ];
        for (name, default, label, owned, selector) in cases {
            let shard = Shard::new(name, default);
            let of_object =
                label.map(|label| BTreeMap::from([(labels::SHARD.to_owned(), label.to_owned())]));
            assert_eq!(shard.owns(of_object.as_ref()), owned, "{name:?} {default} {label:?}");
            assert_eq!(shard.selector().as_deref(), selector, "{name:?} {default}");
        }
    }
}
