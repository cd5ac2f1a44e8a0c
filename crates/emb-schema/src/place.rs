//! Where a walker stands. The path becomes text only when an error needs it, so a valid object costs no allocation.

use std::fmt;

/// A place in a document, linked to its parent on the walker's stack.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    Root,
    /// `parent.name`
    Field(&'a Self, &'a str),
    /// `parent[index]`
    Index(&'a Self, usize),
    /// `parent[key]`
    Key(&'a Self, &'a str),
}

impl Place<'_> {
    pub(crate) fn is_root(&self) -> bool {
        matches!(self, Self::Root)
    }

    /// This place as a path below `base`.
    pub(crate) fn under(&self, base: &str) -> String {
        match (base, self) {
            (base, Self::Root) => base.to_owned(),
            ("", _) => self.to_string(),
            (base, _) => format!("{base}.{self}"),
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => f.write_str(name),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
            Self::Key(parent, key) => write!(f, "{parent}[{key}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_prints_as_a_path() {
        let spec = Place::Field(&Place::Root, "spec");
        let items = Place::Field(&spec, "items");
        let item = Place::Index(&items, 3);
        let label = Place::Key(&item, "a b");
        assert_eq!(label.to_string(), "spec.items[3][a b]");
        assert_eq!(item.under("x.default"), "x.default.spec.items[3]");
        assert_eq!(Place::Root.under("x"), "x");
    }
}
