//! What label keys and values look like: selectors list every complaint about them in one text.

use emb_meta::{label_value_problems, qualified_name_problems};

/// What is wrong with a label key, joined by `; `; `None` when it is fine.
pub(crate) fn check_key(key: &str) -> Option<String> {
    joined(&qualified_name_problems(key))
}

/// What is wrong with a label value, joined by `; `; `None` when it is fine.
pub(crate) fn check_value(value: &str) -> Option<String> {
    joined(&label_value_problems(value))
}

fn joined(problems: &[String]) -> Option<String> {
    (!problems.is_empty()).then(|| problems.join("; "))
}
