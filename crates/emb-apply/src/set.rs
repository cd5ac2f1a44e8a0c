//! Sets of fields.

use serde_json::{Map, Value};

use crate::{element::PathElement, untracked::strip_object};

/// The mark of a field that is itself in the set although fields below it are, too.
pub(crate) const SELF: &str = ".";

/// A set of fields of an object, as a tree of path elements.
///
/// The tree is the `FieldsV1` document itself: an element without anything below is in the set; one with something below
/// is in the set if a `.` stands among it. Reading and writing `managedFields` therefore costs nothing, and a change
/// touches only the branches it names. Whatever is no object in a stored document counts as an element without anything
/// below.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldSet(pub(crate) Map<String, Value>);

impl FieldSet {
    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The `FieldsV1` document.
    pub fn encode(self) -> Value {
        Value::Object(self.0)
    }

    /// Puts one field in.
    pub fn insert(&mut self, path: &[PathElement]) {
        let Some((first, rest)) = path.split_first() else { return };
        let mut below = Self::default();
        below.insert(rest);
        let mut single = Self::default();
        single.attach(first.encode(), rest.is_empty(), below);
        self.union(single);
    }

    /// Whether exactly this field is in the set.
    pub fn contains(&self, path: &[PathElement]) -> bool {
        let Some((last, parents)) = path.split_last() else { return false };
        let mut at = &self.0;
        for element in parents {
            match at.get(&element.encode()).and_then(Value::as_object) {
                Some(below) => at = below,
                None => return false,
            }
        }
        at.get(&last.encode()).is_some_and(is_member)
    }

    /// Puts every field of another set in.
    pub fn union(&mut self, other: Self) {
        unite(&mut self.0, other.0);
    }

    /// Takes every field of another set out, and none but these: what is below one of them stays.
    pub fn subtract(&mut self, other: &Self) {
        subtract(&mut self.0, &other.0);
    }

    /// The fields that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(intersect(&self.0, &other.0))
    }

    /// The fields that are not in another set, whatever is above them.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut rest = Self::default();
        for path in self.paths().iter().filter(|path| !other.contains(path)) {
            rest.insert(path);
        }
        rest
    }

    /// The fields of the set: those of a level before those below it.
    pub fn paths(&self) -> Vec<Vec<PathElement>> {
        let mut paths = Vec::new();
        collect(&self.0, &mut Vec::new(), &mut paths);
        paths
    }

    /// Puts an element in whose branch is known: whether it is in the set itself, and what is below it.
    pub(crate) fn attach(&mut self, element: String, member: bool, mut below: Self) {
        if !member && below.is_empty() {
            return;
        }
        if member && !below.is_empty() {
            below.0.insert(SELF.to_owned(), Value::Object(Map::new()));
        }
        self.0.insert(element, Value::Object(below.0));
    }

    /// Takes out the members of the object that this endpoint does not write, with everything below.
    pub(crate) fn ignore(&mut self, members: &[&str]) {
        self.0.retain(|element, _| {
            let member = element.strip_prefix("f:").unwrap_or_default();
            !members.contains(&member)
        });
    }

    /// Takes out what identifies the object or belongs to the server: nobody manages it.
    pub(crate) fn strip(&mut self) {
        strip_object(&mut self.0);
    }
}

/// Whether the element with this branch is itself in the set.
pub(crate) fn is_member(branch: &Value) -> bool {
    branch.as_object().is_none_or(|below| below.is_empty() || below.contains_key(SELF))
}

/// What is below an element, if anything.
pub(crate) fn below(branch: &Value) -> Option<&Map<String, Value>> {
    branch.as_object().filter(|below| !below.is_empty())
}

fn unite(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (element, branch) in from {
        match into.get_mut(&element) {
            None => {
                into.insert(element, branch);
            }
            Some(own) if element != SELF => unite_branch(own, branch),
            Some(_) => {}
        }
    }
}

fn unite_branch(own: &mut Value, other: Value) {
    let member = is_member(own) || is_member(&other);
    if !own.is_object() {
        *own = Value::Object(Map::new());
    }
    if let (Value::Object(own), Value::Object(other)) = (own, other) {
        unite(own, other);
        if member && !own.is_empty() {
            own.insert(SELF.to_owned(), Value::Object(Map::new()));
        }
    }
}

fn subtract(from: &mut Map<String, Value>, what: &Map<String, Value>) {
    for (element, branch) in what.iter().filter(|(element, _)| *element != SELF) {
        let Some(own) = from.get_mut(element) else { continue };
        let nothing = Map::new();
        if !subtract_branch(own, below(branch).unwrap_or(&nothing), is_member(branch)) {
            from.remove(element);
        }
    }
}

/// Takes what is below an element out, and the element itself if `member`. Says whether anything is left.
fn subtract_branch(own: &mut Value, inner: &Map<String, Value>, member: bool) -> bool {
    match own {
        Value::Object(own) if !own.is_empty() => {
            if member {
                own.remove(SELF);
            }
            subtract(own, inner);
            let left = !own.is_empty();
            if own.len() == 1 {
                // Alone, the mark means what no branch at all means.
                own.remove(SELF);
            }
            left
        }
        _ => !member,
    }
}

fn intersect(left: &Map<String, Value>, right: &Map<String, Value>) -> Map<String, Value> {
    let mut common = FieldSet::default();
    for (element, left) in left.iter().filter(|(element, _)| *element != SELF) {
        let Some(right) = right.get(element) else { continue };
        let inner = match (below(left), below(right)) {
            (Some(left), Some(right)) => FieldSet(intersect(left, right)),
            _ => FieldSet::default(),
        };
        common.attach(element.clone(), is_member(left) && is_member(right), inner);
    }
    common.0
}

fn collect(
    level: &Map<String, Value>,
    at: &mut Vec<PathElement>,
    paths: &mut Vec<Vec<PathElement>>,
) {
    let elements: Vec<(PathElement, &Value)> = level
        .iter()
        .filter(|(element, _)| *element != SELF)
        .filter_map(|(element, branch)| Some((PathElement::parse(element).ok()?, branch)))
        .collect();
    for (element, _) in elements.iter().filter(|(_, branch)| is_member(branch)) {
        paths.push(at.iter().chain([element]).cloned().collect());
    }
    for (element, branch) in elements {
        if let Some(inner) = below(branch) {
            at.push(element);
            collect(inner, at, paths);
            at.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(document: Value) -> FieldSet {
        FieldSet(document.as_object().unwrap().clone())
    }

    fn path(names: &[&str]) -> Vec<PathElement> {
        names.iter().map(|name| PathElement::Field((*name).to_owned())).collect()
    }

    #[test]
    fn a_field_is_in_the_set_as_a_leaf_or_by_its_mark() {
        let fields = set(json!({"f:a": {".": {}, "f:b": {}}, "f:c": {"f:d": {}}}));
        for (names, contained) in [
            (&["a"][..], true),
            (&["a", "b"], true),
            (&["c"], false),
            (&["c", "d"], true),
            (&["c", "d", "e"], false),
            (&["x"], false),
            (&[], false),
        ] {
            assert_eq!(fields.contains(&path(names)), contained, "{names:?}");
        }
    }

    #[test]
    fn inserted_parents_get_their_mark_whatever_the_order() {
        let (mut one, mut other) = (FieldSet::default(), FieldSet::default());
        one.insert(&path(&["a"]));
        one.insert(&path(&["a", "b"]));
        other.insert(&path(&["a", "b"]));
        other.insert(&path(&["a"]));
        assert_eq!(one, other);
        assert_eq!(one.encode(), json!({"f:a": {".": {}, "f:b": {}}}));
    }

    #[test]
    fn subtraction_takes_branches_and_leaves_no_empty_ones() {
        let cases = [
            (json!({"f:a": {"f:b": {}}}), json!({"f:a": {"f:b": {}}}), json!({})),
            (json!({"f:a": {".": {}, "f:b": {}}}), json!({"f:a": {"f:b": {}}}), json!({"f:a": {}})),
            (json!({"f:a": {".": {}, "f:b": {}}}), json!({"f:a": {}}), json!({"f:a": {"f:b": {}}})),
            (json!({"f:a": {"f:b": {}}}), json!({"f:a": {}}), json!({"f:a": {"f:b": {}}})),
            (json!({"f:a": {}}), json!({"f:a": {"f:b": {}}}), json!({"f:a": {}})),
            (json!({"f:a": {}}), json!({"f:b": {}}), json!({"f:a": {}})),
            (
                json!({"f:a": {".": {}, "f:b": {}, "f:c": {}}}),
                json!({"f:a": {".": {}, "f:b": {}}}),
                json!({"f:a": {"f:c": {}}}),
            ),
            (json!({"f:a": {}}), json!({"f:a": {".": {}, "f:b": {}}}), json!({})),
            (
                json!({"f:a": {"f:b": {}, "f:c": {}}}),
                json!({"f:a": {"f:b": {}}}),
                json!({"f:a": {"f:c": {}}}),
            ),
        ];
        for (from, what, left) in cases {
            let mut fields = set(from);
            fields.subtract(&set(what));
            assert_eq!(fields.encode(), left);
        }
    }

    #[test]
    fn the_intersection_holds_exactly_what_both_hold() {
        let left = set(json!({"f:a": {".": {}, "f:b": {}}, "f:c": {"f:d": {}, "f:e": {}}}));
        let right = set(json!({"f:a": {}, "f:c": {".": {}, "f:d": {}}}));
        assert_eq!(left.intersection(&right).encode(), json!({"f:a": {}, "f:c": {"f:d": {}}}));
    }

    #[test]
    fn paths_name_a_level_before_what_is_below() {
        let fields = set(json!({
            "f:atom": {}, "f:list": {r#"k:{"name":"a"}"#: {".": {}, "f:value": {}}}, "f:zone": {}
        }));
        let texts: Vec<String> = fields
            .paths()
            .iter()
            .map(|path| path.iter().map(ToString::to_string).collect())
            .collect();
        assert_eq!(texts, [".atom", ".zone", ".list[name=\"a\"]", ".list[name=\"a\"].value"]);
    }
}
