//! Addresses to listen on, in the form that Go programs take them.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// Where to listen: `:8081` on every address of the machine, `127.0.0.1:8081` on one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindAddress {
    /// None: every address, of either family.
    pub(crate) host: Option<IpAddr>,
    pub(crate) port: u16,
}

impl BindAddress {
    /// Every address of the machine.
    pub fn everywhere(port: u16) -> Self {
        Self { host: None, port }
    }

    /// Reads `:port`, `address:port` or `localhost:port`.
    pub fn parse(text: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let port = port.parse().ok()?;
        let host = match host {
            "" => None,
            "localhost" => Some(IpAddr::from([127, 0, 0, 1])),
            _ => Some(parse_host(host)?),
        };
        Some(Self { host, port })
    }
}

impl From<SocketAddr> for BindAddress {
    fn from(address: SocketAddr) -> Self {
        Self { host: Some(address.ip()), port: address.port() }
    }
}

fn parse_host(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(host) => host.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        // Without brackets nobody can tell the address from the port.
        None => host.parse().ok().filter(IpAddr::is_ipv4),
    }
}

#[cfg(test)]
mod tests {
    use super::BindAddress;

    #[test]
    fn addresses_are_read_as_go_programs_write_them() {
        assert_eq!(BindAddress::parse(":8081"), Some(BindAddress::everywhere(8081)));
        for (text, address) in [
            ("127.0.0.1:8081", "127.0.0.1:8081"),
            ("localhost:80", "127.0.0.1:80"),
            ("0.0.0.0:1", "0.0.0.0:1"),
            ("[::1]:8081", "[::1]:8081"),
        ] {
            let address: std::net::SocketAddr = address.parse().unwrap();
            assert_eq!(BindAddress::parse(text), Some(address.into()), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["", "8081", ":", ":x", ":65536", "::1:80", "[::1]", "host:80", "1.2.3:80"] {
            assert_eq!(BindAddress::parse(text), None, "{text}");
        }
    }
}
