//! The address of a webhook: `https://host[/path]` and nothing more, so that no credentials hide in it.

use emb_meta::{FieldError, FieldPath};
use serde_json::json;

const FORM: &str = "desired format: https://host[/path]";

/// Checks `url`, which stands at `path`.
pub(super) fn check_url(url: &str, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let Some(parts) = Parts::read(url) else {
        let detail = format!("url must be a valid URL: {url:?} has no scheme; {FORM}");
        errors.push(FieldError::required(path, &detail));
        return;
    };
    let mut refuse = |value: &str, detail: &str| {
        errors.push(FieldError::invalid(path, &json!(value), detail));
    };
    if parts.scheme != "https" {
        refuse(parts.scheme, &format!("'https' is the only allowed URL scheme; {FORM}"));
    }
    if parts.host.is_empty() {
        refuse(parts.host, &format!("host must be specified; {FORM}"));
    }
    if let Some(user) = parts.user {
        refuse(user, "user information is not permitted in the URL");
    }
    if let Some(fragment) = parts.fragment {
        refuse(fragment, "fragments are not permitted in the URL");
    }
    if let Some(query) = parts.query {
        refuse(query, "query parameters are not permitted in the URL");
    }
}

struct Parts<'a> {
    scheme: &'a str,
    user: Option<&'a str>,
    host: &'a str,
    query: Option<&'a str>,
    fragment: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn read(url: &'a str) -> Option<Self> {
        let (scheme, rest) = url.split_once(':').filter(|(scheme, _)| !scheme.is_empty())?;
        let (rest, fragment) = split_optional(rest, '#');
        let (rest, query) = split_optional(rest, '?');
        let authority = rest.strip_prefix("//").unwrap_or_default();
        let authority = authority.split('/').next().unwrap_or_default();
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        Some(Self { scheme, user, host, query, fragment })
    }
}

fn split_optional(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(url: &str) -> Vec<String> {
        let mut errors = Vec::new();
        check_url(url, &FieldPath::new("url"), &mut errors);
        errors.into_iter().map(|error| error.message).collect()
    }

    #[test]
    fn only_a_plain_https_address_is_accepted() {
        assert!(problems("https://x:8443/y/z").is_empty());
        assert_eq!(
            problems("http://x"),
            [format!("Invalid value: \"http\": 'https' is the only allowed URL scheme; {FORM}")]
        );
        assert_eq!(
            problems("https:///x"),
            [format!("Invalid value: \"\": host must be specified; {FORM}")]
        );
        assert_eq!(problems("https://u@x?q#f").len(), 3);
        assert!(problems("::x")[0].starts_with("Required value: url must be a valid URL"));
    }
}
