//! Paths and queries as they go over the wire.

/// A path with its query.
pub(crate) fn target(path: &str, query: &[(String, String)]) -> String {
    if query.is_empty() {
        return path.to_owned();
    }
    let parts: Vec<String> =
        query.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    format!("{path}?{}", parts.join("&"))
}

fn encode(value: &str) -> String {
    let encode = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    value.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_percent_encoded() {
        let query = [("labelSelector".to_owned(), "a in (b,c)".to_owned())];
        assert_eq!(target("/x", &query), "/x?labelSelector=a%20in%20%28b%2Cc%29");
    }
}
