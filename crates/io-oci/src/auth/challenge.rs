//! The `WWW-Authenticate` header: one or more challenges, each a scheme with parameters.

use http::{HeaderMap, header};

/// A longer header is not looked at any further.
const MAX_HEADER: usize = 8 * 1024;
const MAX_CHALLENGES: usize = 8;
const MAX_PARAMETERS: usize = 16;

/// One way to log in that a server offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// `basic`, `bearer`, … in lower case.
    pub(crate) scheme: String,
    /// Parameters in order; names in lower case.
    pub(crate) parameters: Vec<(String, String)>,
}

impl Challenge {
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// All challenges of a response, over all its headers.
pub(crate) fn parse_all(headers: &HeaderMap) -> Vec<Challenge> {
    let texts = headers.get_all(header::WWW_AUTHENTICATE).iter();
    let texts = texts.filter_map(|value| value.to_str().ok());
    texts.flat_map(parse).take(MAX_CHALLENGES).collect()
}

/// The challenges of one header. What follows a mistake is left out.
pub(crate) fn parse(text: &str) -> Vec<Challenge> {
    let mut challenges: Vec<Challenge> = Vec::new();
    if text.len() > MAX_HEADER {
        return challenges;
    }
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let (name, after) = token(rest);
        if name.is_empty() || challenges.len() > MAX_CHALLENGES {
            return challenges;
        }
        let name = name.to_ascii_lowercase();
        if let Some(value) = after.trim_start().strip_prefix('=') {
            let (value, after) = parameter_value(value.trim_start());
            rest = after;
            let Some(challenge) = challenges.last_mut() else { continue };
            if challenge.parameters.len() < MAX_PARAMETERS {
                challenge.parameters.push((name, value));
            }
        } else {
            challenges.push(Challenge { scheme: name, parameters: Vec::new() });
            rest = after;
        }
    }
}

fn token(text: &str) -> (&str, &str) {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let end = text.find(|c| !is_token(c)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// A quoted string, or everything up to the next comma or blank.
fn parameter_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ' ', '\t']).unwrap_or(text.len());
        let (value, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        return (value.to_owned(), rest);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, quoted.get(at + 1..).unwrap_or_default()),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn registries_challenges_are_read() {
        let text = r#"Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:a/b:pull,push""#;
        let [challenge] = &parse(text)[..] else { panic!("one challenge") };
        assert_eq!(challenge.scheme, "bearer");
        assert_eq!(challenge.parameter("realm"), Some("https://auth.docker.io/token"));
        assert_eq!(challenge.parameter("scope"), Some("repository:a/b:pull,push"));
    }

    #[test]
    fn several_challenges_and_odd_spacing_are_read() {
        let found =
            parse(r#"Negotiate abc==, Basic realm="a \"b\"" , BEARER Realm = x, service=y"#);
        let schemes: Vec<_> = found.iter().map(|challenge| challenge.scheme.as_str()).collect();
        assert_eq!(schemes, ["negotiate", "basic", "bearer"]);
        assert_eq!(found[1].parameter("realm"), Some(r#"a "b""#));
        assert_eq!(found[2].parameter("service"), Some("y"));
    }

    #[test]
    fn nonsense_gives_nothing() {
        for text in ["", "=", "\"", ",,,", "=x", &"a ".repeat(10_000)] {
            assert!(parse(text).len() <= MAX_CHALLENGES + 1, "{text}");
        }
        assert!(parse("=x, \u{0}").is_empty());
    }

    fn print(challenge: &Challenge) -> String {
        let mut text = challenge.scheme.clone();
        for (at, (name, value)) in challenge.parameters.iter().enumerate() {
            let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = write!(text, "{} {name}=\"{quoted}\"", if at == 0 { "" } else { "," });
        }
        text
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(
            scheme in "[a-z]{1,8}",
            parameters in prop::collection::vec(("[a-z]{1,8}", "[ -~]{0,20}"), 0..5),
        ) {
            let challenge = Challenge { scheme, parameters };
            prop_assert_eq!(parse(&print(&challenge)), vec![challenge]);
        }

        #[test]
        fn no_header_panics(text in any::<String>()) {
            parse(&text);
        }
    }
}
