//! Where a server is, as people write it.

use std::fmt;

use url::Url;

/// The address of an API server, base path included, without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(String);

/// A text that is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// There is none.
    #[error("server address is required")]
    Missing,
    /// It cannot be one.
    #[error("{0:?} is not the address of a server: it must be an http or https URL with a host")]
    Wrong(String),
}

impl Address {
    /// Reads an address; without a scheme, `https` is meant.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(AddressError::Missing);
        }
        let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
        let wrong = || AddressError::Wrong(text.chars().take(256).collect());
        let url = Url::parse(&whole).map_err(|_| wrong())?;
        let has_host = url.host_str().is_some_and(|host| !host.is_empty());
        let is_plain = url.query().is_none() && url.fragment().is_none();
        if !matches!(url.scheme(), "http" | "https") || !has_host || !is_plain {
            return Err(wrong());
        }
        Ok(Self(whole.trim_end_matches('/').to_owned()))
    }

    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        Address::parse(text).map_or_else(|error| error.to_string(), |address| address.to_string())
    }

    #[test]
    fn https_is_meant_and_the_last_slash_is_dropped() {
        assert_eq!(parsed(" kargo.example.com "), "https://kargo.example.com");
        assert_eq!(parsed("http://localhost:8080/"), "http://localhost:8080");
        assert_eq!(parsed("https://a.example/teams/kargo/"), "https://a.example/teams/kargo");
        assert_eq!(parsed("[::1]:8080"), "https://[::1]:8080");
    }

    #[test]
    fn what_cannot_be_an_address_is_refused() {
        assert_eq!(parsed(" "), "server address is required");
        for text in ["ftp://a.example", "https://", "https://a.example/?x=1", "a b"] {
            assert!(parsed(text).contains("is not the address of a server"), "{text}");
        }
    }
}
