//! How S3 writes: percent-encoding as it is signed, lists and errors in XML.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

/// Everything but the unreserved characters.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The longest part of an error that is told.
const LONGEST: usize = 300;

/// A value of a query.
pub(super) fn encode(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// A path, whose slashes stay.
pub(super) fn encode_path(path: &str) -> String {
    path.split('/').map(encode).collect::<Vec<_>>().join("/")
}

/// A page of a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) keys: Vec<String>,
    /// What the next page is asked for with, if there is one.
    pub(super) next: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListBucketResult {
    #[serde(default)]
    contents: Vec<Contents>,
    #[serde(default)]
    is_truncated: bool,
    next_continuation_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Contents {
    key: String,
}

impl Page {
    pub(super) fn parse(body: &[u8]) -> Result<Self, String> {
        let text = str::from_utf8(body).map_err(|_| "it is no text".to_owned())?;
        let list: ListBucketResult =
            quick_xml::de::from_str(text).map_err(|error| clean(&error.to_string()))?;
        let next = match list.next_continuation_token {
            Some(token) if list.is_truncated && !token.is_empty() => Some(token),
            _ if list.is_truncated => return Err("it does not say how it goes on".to_owned()),
            _ => None,
        };
        Ok(Self { keys: list.contents.into_iter().map(|object| object.key).collect(), next })
    }
}

/// What S3 says about a call that failed.
#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(super) struct Refusal {
    code: String,
    message: String,
}

impl Refusal {
    /// An answer that says nothing is a refusal all the same.
    pub(super) fn parse(body: &[u8]) -> Self {
        let text = str::from_utf8(body).unwrap_or_default();
        quick_xml::de::from_str(text).unwrap_or_default()
    }

    /// Whether an object is missing, and not the bucket.
    pub(super) fn is_about_an_object(&self) -> bool {
        matches!(self.code.as_str(), "NoSuchKey" | "")
    }

    /// Whether the keys were good once, and are no more.
    pub(super) fn is_about_keys(&self) -> bool {
        let codes = ["ExpiredToken", "InvalidAccessKeyId", "InvalidToken", "TokenRefreshRequired"];
        codes.contains(&self.code.as_str())
    }

    /// Code and message, without `secrets`.
    pub(super) fn told(&self, secrets: &[&str]) -> Vec<String> {
        let parts = [&self.code, &self.message].into_iter().filter(|part| !part.is_empty());
        let without = |text: &String| {
            let hide = |text: String, secret: &&str| text.replace(*secret, "***");
            clean(&secrets.iter().fold(text.clone(), hide))
        };
        parts.map(without).collect()
    }
}

/// Words of a server, fit for a log.
fn clean(text: &str) -> String {
    text.chars().filter(|one| !one.is_control()).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_goes_on_where_it_says() {
        let last = br#"<?xml version="1.0" encoding="UTF-8"?>
            <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix>a &amp; b/</Prefix>
            <KeyCount>2</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>
            <Contents><Key>a &amp; b/1</Key><ETag>"x"</ETag><Size>1</Size></Contents>
            <Contents><Key>a &amp; b/2</Key><Size>1</Size></Contents></ListBucketResult>"#;
        let keys = vec!["a & b/1".to_owned(), "a & b/2".to_owned()];
        assert_eq!(Page::parse(last), Ok(Page { keys, next: None }));
        let first = b"<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t=</NextContinuationToken></ListBucketResult>";
        assert_eq!(Page::parse(first), Ok(Page { keys: vec![], next: Some("t=".into()) }));
        for odd in
            ["", "<html>", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"]
        {
            assert!(Page::parse(odd.as_bytes()).is_err(), "{odd}");
        }
    }

    #[test]
    fn a_refusal_is_told_without_keys() {
        let body = b"<Error><Code>InvalidAccessKeyId</Code><Message>AKIDX is\n unknown</Message><AWSAccessKeyId>AKIDX</AWSAccessKeyId></Error>";
        assert_eq!(Refusal::parse(body).told(&["AKIDX"]), ["InvalidAccessKeyId", "*** is unknown"]);
        assert!(Refusal::parse(b"\xff").told(&[]).is_empty());
    }

    #[test]
    fn paths_are_encoded_once_and_keep_their_slashes() {
        assert_eq!(encode_path("a b/c+d~e/\u{e9}"), "a%20b/c%2Bd~e/%C3%A9");
        assert_eq!(encode("a/b="), "a%2Fb%3D");
    }
}
