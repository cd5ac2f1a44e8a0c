//! What label keys and values look like, with every complaint about them: selectors list all of them.

use emb_meta::NameRule;

const NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const MAX_LENGTH: usize = 63;

/// What is wrong with a label key, joined by `; `; `None` when it is fine.
pub(crate) fn check_key(key: &str) -> Option<String> {
    let mut problems = Vec::new();
    let name = match key.split_once('/') {
        None => key,
        Some((_, rest)) if rest.contains('/') => {
            return Some(format!(
                "a valid label key {NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            ));
        }
        Some((prefix, name)) => {
            if prefix.is_empty() {
                problems.push("prefix part must be non-empty".to_owned());
            } else if let Some(problem) = NameRule::DnsSubdomain.check(prefix) {
                problems.push(format!("prefix part {problem}"));
            }
            name
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > MAX_LENGTH {
        problems.push(format!("name part must be no more than {MAX_LENGTH} bytes"));
    }
    if !is_word(name) {
        problems.push(format!("name part {NAME}"));
    }
    joined(&problems)
}

/// What is wrong with a label value, joined by `; `; `None` when it is fine.
pub(crate) fn check_value(value: &str) -> Option<String> {
    let mut problems = Vec::new();
    if value.len() > MAX_LENGTH {
        problems.push(format!("must be no more than {MAX_LENGTH} bytes"));
    }
    if !value.is_empty() && !is_word(value) {
        problems.push(VALUE.to_owned());
    }
    joined(&problems)
}

fn joined(problems: &[String]) -> Option<String> {
    (!problems.is_empty()).then(|| problems.join("; "))
}

/// Letters and digits at both ends, also `-`, `_` and `.` between.
fn is_word(text: &str) -> bool {
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    edge(bytes.first())
        && edge(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}
