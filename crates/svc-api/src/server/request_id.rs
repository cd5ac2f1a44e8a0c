//! A name for each request, to find it in the log.

use core_clock::Entropy;
use http::HeaderMap;

/// Where proxies and clients put theirs.
pub(super) const HEADER: &str = "x-request-id";
const MAX_LENGTH: usize = 64;

/// The name that the client gave, if it is one, or a new one.
pub(super) fn choose(headers: &HeaderMap, entropy: &dyn Entropy) -> String {
    let given = headers.get(HEADER).and_then(|value| value.to_str().ok());
    given.filter(|name| is_name(name)).map_or_else(|| entropy.uuid(), str::to_owned)
}

/// Whether it can stand in a log and a header without doing harm.
fn is_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !text.is_empty() && text.len() <= MAX_LENGTH && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use core_clock::SeededEntropy;
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_plain_name_is_kept_and_any_other_is_replaced() {
        let entropy = SeededEntropy::new(1);
        for (given, is_kept) in [("abc-1.2_3", true), ("", false), ("a b", false), ("a\"b", false)]
        {
            let headers = [(HEADER.parse().unwrap(), HeaderValue::from_static(given))];
            let chosen = choose(&HeaderMap::from_iter(headers), &entropy);
            assert_eq!(chosen == given, is_kept, "{given:?}");
            assert!(is_name(&chosen));
        }
    }
}
