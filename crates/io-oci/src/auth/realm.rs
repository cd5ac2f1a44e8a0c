//! Which token server a registry may send us to.
//!
//! The credential is sent there, so a registry must not turn it to plain text, nor us to machines
//! behind our own firewall.

use io_http::outbound::{Url, is_local_host};

use crate::{Error, place::host_name, scheme::Scheme};

/// The token server's address, if it may be used by a registry at `host` that is spoken to with `scheme`.
pub(super) fn check(realm: &str, host: &str, scheme: Scheme) -> Result<Url, Error> {
    let refuse =
        |reason| Error::Realm { host: host.to_owned(), realm: Error::quote(realm), reason };
    let url = Url::parse(realm).map_err(|_| refuse("it is not a URL"))?;
    let allowed = url.scheme() == "https" || (url.scheme() == "http" && scheme == Scheme::Http);
    if !allowed {
        return Err(refuse("it is not an https URL"));
    }
    let Some(realm_host) = url.host_str() else { return Err(refuse("it has no host")) };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("it holds a credential"));
    }
    let is_registry = realm_host == host_name(host);
    // Link-local literals are refused by the dial policy in any case.
    if !is_registry && is_literal(realm_host) && is_local_host(realm_host) {
        return Err(refuse("it is a private address"));
    }
    Ok(url)
}

fn is_literal(host: &str) -> bool {
    host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn realms_are_https_and_public() {
        for realm in ["https://auth.docker.io/token", "https://registry.example/token"] {
            assert!(check(realm, "registry.example", Scheme::Https).is_ok(), "{realm}");
        }
        for realm in [
            "http://auth.example/token",
            "https://10.0.0.1/token",
            "https://[::1]/token",
            "https://127.0.0.1:8080/token",
            "file:///etc/passwd",
            "https://user:pass@auth.example/",
            "token",
        ] {
            let result = check(realm, "registry.example", Scheme::Https);
            assert!(matches!(result, Err(Error::Realm { .. })), "{realm}");
        }
    }

    #[test]
    fn a_plain_registry_may_name_itself() {
        assert!(check("http://127.0.0.1:5000/token", "127.0.0.1:5000", Scheme::Http).is_ok());
        assert!(check("http://127.0.0.1:5001/token", "127.0.0.1:5000", Scheme::Http).is_ok());
        assert!(check("http://10.0.0.9/token", "127.0.0.1:5000", Scheme::Http).is_err());
    }
}
