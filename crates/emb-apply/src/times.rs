//! Writes that change nothing must not look like changes.

use serde_json::{Map, Value};

use crate::update::{MANAGED_FIELDS, managed_fields, set_managed_fields};

/// Puts the old entries back when the times of entries are all in which `new` differs from `live`. Meant for the end of
/// a write, when defaults and admission have had their say.
pub fn keep_times(live: &Value, new: &mut Value) {
    let (Some(old), Some(fresh)) = (managed_fields(live), managed_fields(new)) else { return };
    if old != fresh && differ_in_time(old, fresh) && is_same_object(live, new) {
        set_managed_fields(new, Some(old.clone()));
    }
}

/// Whether two lists of entries are the same but for their times.
fn differ_in_time(old: &Value, fresh: &Value) -> bool {
    let (Value::Array(old), Value::Array(fresh)) = (old, fresh) else { return false };
    old.len() == fresh.len()
        && old.iter().zip(fresh).all(|pair| match pair {
            (Value::Object(old), Value::Object(fresh)) => same_but(old, fresh, "time", |_, _| true),
            (old, fresh) => old == fresh,
        })
}

/// Whether two objects are the same but for their entries.
pub(crate) fn is_same_object(live: &Value, new: &Value) -> bool {
    let (Value::Object(live), Value::Object(new)) = (live, new) else { return live == new };
    same_but(live, new, "metadata", |live, new| match (live, new) {
        (Some(Value::Object(live)), Some(Value::Object(new))) => {
            same_but(live, new, MANAGED_FIELDS, |_, _| true)
        }
        (live, new) => live == new,
    })
}

/// Whether all members but one are the same, and `judge` says so about that one.
fn same_but(
    left: &Map<String, Value>,
    right: &Map<String, Value>,
    exception: &str,
    judge: impl Fn(Option<&Value>, Option<&Value>) -> bool,
) -> bool {
    let others =
        |members: &Map<String, Value>| members.len() - usize::from(members.contains_key(exception));
    others(left) == others(right)
        && left.iter().all(|(name, value)| name == exception || right.get(name) == Some(value))
        && judge(left.get(exception), right.get(exception))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(time: &str, manager: &str, color: &str) -> Value {
        json!({
            "metadata": {"name": "a", "managedFields": [{"manager": manager, "time": time}]},
            "spec": {"color": color},
        })
    }

    #[test]
    fn a_time_alone_is_no_change() {
        let live = object("t1", "m", "red");
        for (mut new, kept) in [
            (object("t2", "m", "red"), "t1"),
            (object("t2", "m", "blue"), "t2"),
            (object("t2", "n", "red"), "t2"),
        ] {
            keep_times(&live, &mut new);
            assert_eq!(new["metadata"]["managedFields"][0]["time"], kept);
        }
    }

    #[test]
    fn another_label_is_a_change() {
        let live = object("t1", "m", "red");
        let mut new = object("t2", "m", "red");
        new["metadata"]["labels"] = json!({"a": "b"});
        keep_times(&live, &mut new);
        assert_eq!(new["metadata"]["managedFields"][0]["time"], "t2");
    }
}
