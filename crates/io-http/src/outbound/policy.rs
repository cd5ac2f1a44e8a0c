//! Which addresses may be dialled.
//!
//! Private and loopback addresses are allowed, because registries and repositories live inside clusters.
//! What no repository lives on, but credentials of the machine do, is refused: link-local addresses and
//! the metadata services of the clouds.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// Metadata services that are not on link-local addresses, by cloud.
const METADATA: [IpAddr; 5] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)), // Alibaba
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),     // Oracle
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),   // Azure
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)), // AWS
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)), // Google
];

/// The dial policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Policy {
    denied: Vec<Network>,
    metadata: bool,
}

/// Why an address is not dialled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    LinkLocal,
    Metadata,
    Unspecified,
    Multicast,
    /// In a network that this installation denies.
    Denied,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LinkLocal => "link-local addresses are never dialled",
            Self::Metadata => "it belongs to a cloud's metadata service",
            Self::Unspecified => "it is not the address of a host",
            Self::Multicast => "it is a multicast or broadcast address",
            Self::Denied => "it is in a network that this installation denies",
        })
    }
}

impl Policy {
    /// Denies `networks` beside what is always denied.
    pub fn denying(networks: impl IntoIterator<Item = Network>) -> Self {
        Self { denied: networks.into_iter().collect(), metadata: false }
    }

    /// Lets link-local addresses and metadata services through.
    pub(super) fn allow_metadata() -> Self {
        Self { denied: Vec::new(), metadata: true }
    }

    /// Whether `address` may be dialled.
    pub fn check(&self, address: IpAddr) -> Result<(), Refusal> {
        let refusal = [Some(address), embedded_v4(address)]
            .into_iter()
            .flatten()
            .find_map(|address| self.refusal(address));
        refusal.map_or(Ok(()), Err)
    }

    fn refusal(&self, address: IpAddr) -> Option<Refusal> {
        if self.denied.iter().any(|network| network.contains(address)) {
            return Some(Refusal::Denied);
        }
        if is_unspecified(address) {
            return Some(Refusal::Unspecified);
        }
        if address.is_multicast() || address == IpAddr::V4(Ipv4Addr::BROADCAST) {
            return Some(Refusal::Multicast);
        }
        if self.metadata {
            return None;
        }
        if METADATA.contains(&address) {
            return Some(Refusal::Metadata);
        }
        is_link_local(address).then_some(Refusal::LinkLocal)
    }
}

/// The IPv4 address inside an IPv6 one (mapped, NAT64, 6to4): the packet ends there.
fn embedded_v4(address: IpAddr) -> Option<IpAddr> {
    let IpAddr::V6(v6) = address else { return None };
    if v6.is_unspecified() || v6.is_loopback() {
        return None;
    }
    let ([0, 0, 0, 0, 0, 0xffff | 0, high, low]
    | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
    | [0x2002, high, low, ..]) = v6.segments()
    else {
        return None;
    };
    Some(IpAddr::V4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))))
}

fn is_unspecified(address: IpAddr) -> bool {
    match address {
        // The whole of 0/8 is "this host on this network".
        IpAddr::V4(v4) => v4.octets().first() == Some(&0),
        IpAddr::V6(v6) => v6.is_unspecified(),
    }
}

fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    }
}

/// An address with a prefix length: `10.0.0.0/8`, `fd00::/8`, or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

/// A text that is no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a network such as 10.0.0.0/8")]
pub struct NetworkError(String);

impl Network {
    fn contains(self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.prefix)).unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.prefix)).unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = NetworkError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NetworkError(text.chars().take(64).collect());
        let (address, prefix) = match text.trim().split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(most), |prefix| prefix.parse().map_err(|_| wrong()))?;
        if prefix > most {
            return Err(wrong());
        }
        Ok(Self { address, prefix })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(address: &str) -> Result<(), Refusal> {
        Policy::default().check(address.parse().unwrap())
    }

    #[test]
    fn link_local_and_metadata_addresses_are_refused_in_every_notation() {
        for address in ["169.254.169.254", "169.254.0.1", "fe80::1", "::ffff:169.254.169.254"] {
            assert_eq!(verdict(address), Err(Refusal::LinkLocal), "{address}");
        }
        for address in ["64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::a9fe:a9fe"] {
            assert_eq!(verdict(address), Err(Refusal::LinkLocal), "{address}");
        }
        for address in ["100.100.100.200", "fd00:ec2::254", "192.0.0.192", "::ffff:6464:64c8"] {
            assert_eq!(verdict(address), Err(Refusal::Metadata), "{address}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for address in ["0.0.0.0", "0.1.2.3", "::"] {
            assert_eq!(verdict(address), Err(Refusal::Unspecified), "{address}");
        }
        for address in ["224.0.0.1", "255.255.255.255", "ff02::1"] {
            assert_eq!(verdict(address), Err(Refusal::Multicast), "{address}");
        }
    }

    #[test]
    fn loopback_private_and_public_addresses_are_dialled() {
        for address in ["127.0.0.1", "::1", "10.1.2.3", "192.168.0.1", "fd12::1", "93.184.216.34"] {
            assert_eq!(verdict(address), Ok(()), "{address}");
        }
    }

    #[test]
    fn an_installation_can_deny_more() {
        let policy = Policy::denying(["10.0.0.0/8".parse().unwrap(), "fd12::/16".parse().unwrap()]);
        assert_eq!(policy.check("10.9.9.9".parse().unwrap()), Err(Refusal::Denied));
        assert_eq!(policy.check("::ffff:10.9.9.9".parse().unwrap()), Err(Refusal::Denied));
        assert_eq!(policy.check("fd12::9".parse().unwrap()), Err(Refusal::Denied));
        assert_eq!(policy.check("11.0.0.1".parse().unwrap()), Ok(()));
    }

    #[test]
    fn a_network_is_an_address_and_a_prefix_that_fits() {
        assert!("0.0.0.0/0".parse::<Network>().unwrap().contains("9.9.9.9".parse().unwrap()));
        for text in ["", "10.0.0.0/33", "example.com", "10.0.0.0/x", "::/129"] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }
}
