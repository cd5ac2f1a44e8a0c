//! Which names an object of a kind may have.

use std::borrow::Cow;

/// The rule that a kind sets for `metadata.name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameRule {
    /// RFC 1123 label, at most 63 characters: namespaces.
    DnsLabel,
    /// RFC 1123 subdomain, at most 253 characters: most kinds.
    DnsSubdomain,
    /// Anything that can stand as one path segment: RBAC objects and events.
    PathSegment,
}

impl NameRule {
    /// All that is wrong with `name`, in the words of the API.
    pub fn problems(self, name: &str) -> Vec<String> {
        match self {
            Self::DnsLabel => dns_label_problems(name),
            Self::DnsSubdomain => dns_subdomain_problems(name, "characters"),
            Self::PathSegment => path_segment_problems(name),
        }
    }

    /// The same in one text; `None` when the name is fine.
    pub fn check(self, name: &str) -> Option<String> {
        joined(&self.problems(name))
    }

    /// All that is wrong with `prefix` as the beginning of names.
    pub fn prefix_problems(self, prefix: &str) -> Vec<String> {
        match self {
            Self::PathSegment => path_segment_character_problems(prefix),
            Self::DnsLabel | Self::DnsSubdomain => self.problems(&begun(prefix)),
        }
    }
}

/// The beginning of a name as a name: it may end in a dash, because more follows. The dash and the letter before it make
/// way for one letter that fits anywhere.
fn begun(prefix: &str) -> Cow<'_, str> {
    match prefix.strip_suffix('-').filter(|begun| !begun.is_empty()) {
        None => Cow::Borrowed(prefix),
        Some(begun) => {
            let mut letters = begun.chars();
            letters.next_back();
            Cow::Owned(format!("{}a", letters.as_str()))
        }
    }
}

/// Several problems in one text, as the API tells them where it tells one.
fn joined(problems: &[String]) -> Option<String> {
    (!problems.is_empty()).then(|| problems.join(","))
}

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const WORD: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const DNS_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// RFC 1123 label.
fn dns_label_problems(text: &str) -> Vec<String> {
    // What would do as a subdomain has nothing wrong but its dots.
    let dotted = text.contains('.') && text.split('.').all(is_dns_label);
    let problem = if dotted { "must not contain dots" } else { LABEL };
    problems(text, (63, "characters"), (!is_dns_label(text)).then_some(problem))
}

/// RFC 1123 subdomain. The API measures it in characters or in bytes, depending on what it is for.
fn dns_subdomain_problems(text: &str, unit: &str) -> Vec<String> {
    problems(text, (253, unit), (!text.split('.').all(is_dns_label)).then_some(SUBDOMAIN))
}

/// One segment of a URL path.
fn path_segment_problems(text: &str) -> Vec<String> {
    match text {
        "." | ".." => vec![format!("may not be '{text}'")],
        _ => path_segment_character_problems(text),
    }
}

fn path_segment_character_problems(text: &str) -> Vec<String> {
    let bad = ['/', '%'].into_iter().filter(|&bad| text.contains(bad));
    bad.map(|bad| format!("may not contain '{bad}'")).collect()
}

/// All that is wrong with `text` as `prefix/name` with an optional DNS prefix: label and annotation keys, finalizers.
pub fn qualified_name_problems(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let name = match text.split_once('/') {
        None => text,
        Some((_, rest)) if rest.contains('/') => {
            return vec![format!(
                "a valid label key {WORD} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
        Some(("", name)) => {
            problems.push("prefix part must be non-empty".to_owned());
            name
        }
        Some((prefix, name)) => {
            let of_prefix = dns_subdomain_problems(prefix, "bytes").into_iter();
            problems.extend(of_prefix.map(|problem| format!("prefix part {problem}")));
            name
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        problems.push("name part must be no more than 63 bytes".to_owned());
    }
    if !is_alphanumeric_with(name, b"-_.") {
        problems.push(format!("name part {WORD}"));
    }
    problems
}

/// All that is wrong with `text` as the value of a label.
pub fn label_value_problems(text: &str) -> Vec<String> {
    let malformed = !text.is_empty() && !is_alphanumeric_with(text, b"-_.");
    problems(text, (63, "bytes"), malformed.then_some(LABEL_VALUE))
}

/// All that is wrong with `text` as a DNS-1035 label, the form of resource names and versions.
pub fn dns_1035_label_problems(text: &str) -> Vec<String> {
    let begins_with_letter = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    let malformed = !begins_with_letter || !is_dns_label(text);
    problems(text, (63, "characters"), malformed.then_some(DNS_1035))
}

/// The same for the beginning of such labels.
pub fn dns_1035_prefix_problems(prefix: &str) -> Vec<String> {
    dns_1035_label_problems(&begun(prefix))
}

/// The same in one text; `None` when the label is fine.
pub fn dns_1035_label_problem(text: &str) -> Option<String> {
    joined(&dns_1035_label_problems(text))
}

/// What is wrong with the length of a text, then with its form. Bytes are counted, whatever they are called.
fn problems(text: &str, (limit, unit): (usize, &str), form: Option<&str>) -> Vec<String> {
    let too_long = (text.len() > limit).then(|| format!("must be no more than {limit} {unit}"));
    too_long.into_iter().chain(form.map(str::to_owned)).collect()
}

fn is_dns_label(text: &str) -> bool {
    let lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    is_bounded(text, lower, |byte| lower(byte) || byte == b'-')
}

fn is_alphanumeric_with(text: &str, inner: &[u8]) -> bool {
    is_bounded(
        text,
        |byte| byte.is_ascii_alphanumeric(),
        |byte| byte.is_ascii_alphanumeric() || inner.contains(&byte),
    )
}

fn is_bounded(text: &str, edge: impl Fn(u8) -> bool, inner: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return false };
    edge(first) && edge(last) && bytes.iter().all(|&byte| inner(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_their_rule() {
        for good in ["a", "a.b-c", "0", &"a".repeat(253)] {
            assert_eq!(NameRule::DnsSubdomain.check(good), None, "{good}");
        }
        for bad in ["", "A", "a/b", "-a", "a.", "a..b", &"a".repeat(254)] {
            assert!(NameRule::DnsSubdomain.check(bad).is_some(), "{bad}");
        }
        assert!(NameRule::DnsLabel.check("a.b").is_some());
        assert_eq!(NameRule::PathSegment.check("A_b:c"), None);
        assert!(NameRule::PathSegment.check("a%b").is_some());
        assert!(NameRule::PathSegment.check("..").is_some());
    }

    #[test]
    fn length_and_form_are_told_both() {
        let long = "A".repeat(254);
        let told = NameRule::DnsSubdomain.problems(&long);
        assert_eq!(told, ["must be no more than 253 characters", SUBDOMAIN]);
        let prefixed = qualified_name_problems(&format!("{}/a", "a".repeat(254)));
        assert_eq!(prefixed, ["prefix part must be no more than 253 bytes"]);
        assert_eq!(NameRule::DnsSubdomain.check(&long), Some(told.join(",")));
        assert_eq!(NameRule::DnsLabel.problems("a.b"), ["must not contain dots"]);
    }

    #[test]
    fn a_prefix_of_names_may_end_in_a_dash() {
        for good in ["a", "a-", "a.b-"] {
            assert!(NameRule::DnsSubdomain.prefix_problems(good).is_empty(), "{good}");
            assert!(dns_1035_prefix_problems(&good.replace('.', "")).is_empty(), "{good}");
        }
        for bad in ["-", "prod.", "Ab-", "-a-"] {
            assert!(!NameRule::DnsSubdomain.prefix_problems(bad).is_empty(), "{bad}");
        }
        assert!(!NameRule::DnsLabel.prefix_problems("a.b-").is_empty());
        assert!(NameRule::PathSegment.prefix_problems(".").is_empty());
        assert_eq!(NameRule::PathSegment.prefix_problems("a/%").len(), 2);
    }

    #[test]
    fn label_keys_and_values_follow_their_rule() {
        assert!(qualified_name_problems("kargo.akuity.io/stage").is_empty());
        for bad in ["", "/a", "a/", "a/b/c", "Bad.Prefix!/a", &"a".repeat(64)] {
            assert!(!qualified_name_problems(bad).is_empty(), "{bad}");
        }
        assert!(label_value_problems("").is_empty());
        assert_eq!(label_value_problems(&format!("{} b", "a".repeat(63))).len(), 2);
    }

    #[test]
    fn dns_1035_labels_begin_with_a_letter() {
        assert_eq!(dns_1035_label_problem("v1-a"), None);
        for bad in ["", "1a", "V1", "a b", "a.b", "a-", &"a".repeat(64)] {
            assert!(dns_1035_label_problem(bad).is_some(), "{bad}");
        }
    }
}
