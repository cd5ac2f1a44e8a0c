//! Where two outcomes differ.

use serde_json::Value;

/// One place at which two outcomes differ.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) pointer: String,
    /// What kube-apiserver shows; `None` when it has nothing there.
    pub(crate) cluster: Option<Value>,
    /// What the embedded server shows.
    pub(crate) embedded: Option<Value>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let show = |value: &Option<Value>| {
            value.as_ref().map_or("nothing".to_owned(), |value| shorten(&value.to_string()))
        };
        writeln!(formatter, "    {}", self.pointer)?;
        writeln!(formatter, "      kube-apiserver: {}", show(&self.cluster))?;
        write!(formatter, "      embedded:       {}", show(&self.embedded))
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(700) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// All places at which the outcomes differ, in order of their paths.
pub(crate) fn differences(cluster: &Value, embedded: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("", Some(cluster), Some(embedded), &mut found);
    found
}

fn compare(
    pointer: &str,
    cluster: Option<&Value>,
    embedded: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    match (cluster, embedded) {
        (one, other) if one == other => {}
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                compare(&format!("{pointer}/{name}"), one.get(name), other.get(name), found);
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            for number in 0..one.len().max(other.len()) {
                let place = format!("{pointer}/{number}");
                compare(&place, one.get(number), other.get(number), found);
            }
        }
        _ => found.push(Difference {
            pointer: pointer.to_owned(),
            cluster: cluster.cloned(),
            embedded: embedded.cloned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_named_by_their_places() {
        let one = json!({"status": 200, "body": {"items": [{"a": 1}], "same": true}});
        let other =
            json!({"status": 200, "body": {"items": [{"a": 2}], "same": true, "more": null}});
        let found = differences(&one, &other);
        let places: Vec<&str> =
            found.iter().map(|difference| difference.pointer.as_str()).collect();
        assert_eq!(places, ["/body/items/0/a", "/body/more"]);
        assert_eq!(found[1].cluster, None);
    }
}
