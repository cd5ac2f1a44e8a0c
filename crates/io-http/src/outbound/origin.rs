//! Who a URL speaks to, and which names mean "inside": the two questions behind every redirect.

use std::net::{IpAddr, Ipv4Addr};

use reqwest::Url;

/// Scheme, host and port: what a credential was meant for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Origin {
    pub(super) fn of(url: &Url) -> Self {
        Self {
            scheme: url.scheme().to_owned(),
            host: url.host_str().unwrap_or_default().to_owned(),
            port: url.port_or_known_default().unwrap_or_default(),
        }
    }
}

/// The address a URL writes as a number.
pub(super) fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str().and_then(literal_host)
}

fn literal_host(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Whether a URL's host is this machine or a private address written as a number.
pub(super) fn is_local(url: &Url) -> bool {
    url.host_str().is_some_and(is_local_host)
}

/// Whether `host` (a name or address without its port) is this machine or a private IPv4 address written as a number.
pub fn is_local_host(host: &str) -> bool {
    if let Some(address) = literal_host(host) {
        return match address {
            IpAddr::V4(v4) => v4.is_loopback() || v4.is_private(),
            IpAddr::V6(v6) => {
                v6.is_loopback()
                    || v6.is_unique_local()
                    || v6
                        .to_ipv4_mapped()
                        .is_some_and(|v4: Ipv4Addr| v4.is_loopback() || v4.is_private())
            }
        };
    }
    host.eq_ignore_ascii_case("localhost") || host.to_ascii_lowercase().ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_hosts_are_this_machine_and_private_literals() {
        for host in ["localhost", "a.LOCALHOST", "127.0.0.1", "[::1]", "10.0.0.1", "172.16.3.4"] {
            assert!(is_local_host(host), "{host}");
        }
        for host in ["localhost.example.com", "example.com", "8.8.8.8", "172.32.0.1", ""] {
            assert!(!is_local_host(host), "{host}");
        }
    }

    #[test]
    fn numbers_in_odd_notations_are_literals_too() {
        let url = Url::parse("http://2852039166/latest").unwrap();
        assert_eq!(literal(&url), Some("169.254.169.254".parse().unwrap()));
        let url = Url::parse("http://[fe80::1]/").unwrap();
        assert_eq!(literal(&url), Some("fe80::1".parse().unwrap()));
    }
}
