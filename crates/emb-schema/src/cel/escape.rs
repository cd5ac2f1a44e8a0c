//! Property names as CEL identifiers: `__` sequences stand for characters and words that CEL cannot spell.

const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

const SEQUENCES: [(&str, &str); 4] =
    [("__underscores__", "__"), ("__dot__", "."), ("__dash__", "-"), ("__slash__", "/")];

pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// The property that an identifier stands for.
pub(super) fn property_of(identifier: &str) -> String {
    let word = identifier.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"));
    if let Some(word) = word.filter(|word| is_reserved(word)) {
        return word.to_owned();
    }
    let mut name = String::with_capacity(identifier.len());
    let mut rest = identifier;
    'next: while let Some(first) = rest.chars().next() {
        for (sequence, plain) in SEQUENCES {
            if let Some(after) = rest.strip_prefix(sequence) {
                name.push_str(plain);
                rest = after;
                continue 'next;
            }
        }
        name.push(first);
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    name
}

/// The identifier of a property; `None` if CEL cannot name it.
pub(super) fn identifier_of(property: &str) -> Option<String> {
    let spelled = |next: char| next.is_ascii_alphanumeric() || "_.-/".contains(next);
    if property.is_empty()
        || property.starts_with(|first: char| first.is_ascii_digit())
        || !property.chars().all(spelled)
    {
        return None;
    }
    if is_reserved(property) {
        return Some(format!("__{property}__"));
    }
    let [underscores, marks @ ..] = SEQUENCES;
    let escaped = property.replace(underscores.1, underscores.0);
    Some(marks.iter().fold(escaped, |text, (sequence, plain)| text.replace(plain, sequence)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_the_round_trip() {
        for (property, identifier) in [
            ("plain", "plain"),
            ("namespace", "__namespace__"),
            ("a.b/c-d", "a__dot__b__slash__c__dash__d"),
            ("x__y", "x__underscores__y"),
            ("a_b", "a_b"),
        ] {
            assert_eq!(identifier_of(property).as_deref(), Some(identifier));
            assert_eq!(property_of(identifier), property);
        }
        assert_eq!(identifier_of("1a"), None);
        assert_eq!(identifier_of("é"), None);
        assert_eq!(identifier_of("$ref"), None);
    }
}
