//! Takes secrets out of text that a program printed.

use std::fmt::Write as _;

use core_rules::credential::Secret;

/// Shorter pieces of a secret would blank ordinary words.
const SHORTEST_LINE: usize = 8;

/// Knows the secrets one command was handed, in every form a program might print them.
#[derive(Clone, Default)]
pub struct Redactor {
    // Longest first, so that a secret which contains another one leaves nothing behind.
    patterns: Vec<String>,
}

impl Redactor {
    /// A redactor of `secrets`: as they are, percent-encoded, and line by line (a private key is printed in pieces).
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let mut patterns = Vec::new();
        for secret in secrets {
            let text = secret.expose();
            patterns.push(text.to_owned());
            patterns.push(percent_encoded(text));
            patterns
                .extend(text.lines().filter(|line| line.len() >= SHORTEST_LINE).map(str::to_owned));
        }
        patterns.retain(|pattern| !pattern.is_empty());
        patterns.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        patterns.dedup();
        Self { patterns }
    }

    /// `text` with `***` where a secret stood.
    pub fn clean(&self, text: &str) -> String {
        self.patterns.iter().fold(text.to_owned(), |text, pattern| text.replace(pattern, "***"))
    }
}

fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_printed_form_of_a_secret_is_blanked() {
        let secret = Secret::new("p@ss word");
        let redactor = Redactor::new([&secret]);
        assert_eq!(
            redactor.clean("https://u:p%40ss%20word@h (p@ss word)"),
            "https://u:***@h (***)"
        );
    }

    #[test]
    fn a_key_is_blanked_line_by_line_and_an_empty_secret_blanks_nothing() {
        let key = Secret::new("-----BEGIN KEY-----\nb3BlbnNzaC1r\n-----END KEY-----\n");
        let redactor = Redactor::new([&key, &Secret::default()]);
        assert_eq!(redactor.clean("load b3BlbnNzaC1r: bad"), "load ***: bad");
    }

    #[test]
    fn a_secret_inside_another_leaves_nothing_behind() {
        let (short, long) = (Secret::new("abc"), Secret::new("abcdef"));
        assert_eq!(Redactor::new([&short, &long]).clean("abcdef abc"), "*** ***");
    }

    proptest! {
        #[test]
        fn cleaned_text_never_holds_the_secret(before in ".*", secret in "[a-z0-9/+]{6,20}", after in ".*") {
            let cleaned = Redactor::new([&Secret::new(secret.clone())]).clean(&format!("{before}{secret}{after}"));
            prop_assert!(!cleaned.contains(&secret));
        }
    }
}
