//! Which names an object of a kind may have.

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
    /// What is wrong with `name`, in the words of the API; `None` when it is fine.
    pub fn check(self, name: &str) -> Option<String> {
        match self {
            Self::DnsLabel => check_dns_label(name),
            Self::DnsSubdomain => check_dns_subdomain(name),
            Self::PathSegment => check_path_segment(name),
        }
    }

    /// What is wrong with `prefix` as the beginning of names: it may end in a dash, because more follows.
    pub fn check_prefix(self, prefix: &str) -> Option<String> {
        let begun = prefix.strip_suffix('-').filter(|begun| !begun.is_empty());
        match (self, begun) {
            (Self::PathSegment, _) => check_path_segment_characters(prefix),
            // The dash and the letter before it make way for one letter that fits anywhere.
            (_, Some(begun)) => {
                let mut letters = begun.chars();
                letters.next_back();
                self.check(&format!("{}a", letters.as_str()))
            }
            (_, None) => self.check(prefix),
        }
    }
}

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const WORD: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const DNS_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// RFC 1123 label.
fn check_dns_label(text: &str) -> Option<String> {
    too_long(text, 63).or_else(|| {
        // What would do as a subdomain has nothing wrong but its dots.
        let dotted = text.contains('.') && text.split('.').all(is_dns_label);
        let problem = if dotted { "must not contain dots" } else { LABEL };
        (!is_dns_label(text)).then(|| problem.to_owned())
    })
}

/// RFC 1123 subdomain.
fn check_dns_subdomain(text: &str) -> Option<String> {
    too_long(text, 253)
        .or_else(|| (!text.split('.').all(is_dns_label)).then(|| SUBDOMAIN.to_owned()))
}

/// One segment of a URL path.
fn check_path_segment(text: &str) -> Option<String> {
    match text {
        "." | ".." => Some(format!("may not be '{text}'")),
        _ => check_path_segment_characters(text),
    }
}

fn check_path_segment_characters(text: &str) -> Option<String> {
    ['/', '%']
        .into_iter()
        .find(|&bad| text.contains(bad))
        .map(|bad| format!("may not contain '{bad}'"))
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
            problems.extend(
                check_dns_subdomain(prefix).map(|problem| format!("prefix part {problem}")),
            );
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
    too_long(text, 63).into_iter().chain(malformed.then(|| LABEL_VALUE.to_owned())).collect()
}

/// What is wrong with `text` as a DNS-1035 label, the form of resource names and versions; `None` when it is fine.
pub fn dns_1035_label_problem(text: &str) -> Option<String> {
    let begins_with_letter = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    too_long(text, 63)
        .or_else(|| (!begins_with_letter || !is_dns_label(text)).then(|| DNS_1035.to_owned()))
}

fn too_long(text: &str, limit: usize) -> Option<String> {
    (text.len() > limit).then(|| format!("must be no more than {limit} bytes"))
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
    fn a_prefix_of_names_may_end_in_a_dash() {
        for good in ["a", "a-", "a.b-"] {
            assert_eq!(NameRule::DnsSubdomain.check_prefix(good), None, "{good}");
        }
        for bad in ["-", "prod.", "Ab-", "-a-"] {
            assert!(NameRule::DnsSubdomain.check_prefix(bad).is_some(), "{bad}");
        }
        assert!(NameRule::DnsLabel.check_prefix("a.b-").is_some());
        assert_eq!(NameRule::PathSegment.check_prefix("."), None);
        assert!(NameRule::PathSegment.check_prefix("a/").is_some());
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
