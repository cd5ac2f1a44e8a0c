//! Addresses of hosts and networks.

use std::{fmt, net::IpAddr};

/// Reads an address.
pub(super) fn parse(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr =
        text.parse().map_err(|_| format!("IP Address {text:?} parse error: unable to parse IP"))?;
    match address {
        IpAddr::V6(six) if six.to_ipv4_mapped().is_some() => {
            Err(format!("IPv4-mapped IPv6 address {text:?} is not allowed"))
        }
        address => Ok(address),
    }
}

pub(super) fn is_link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => matches!(four.octets(), [224, 0, 0, _]),
        IpAddr::V6(six) => six.segments().first().is_some_and(|first| first & 0xff0f == 0xff02),
    }
}

pub(super) fn is_link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => four.is_link_local(),
        IpAddr::V6(six) => six.is_unicast_link_local(),
    }
}

pub(super) fn is_global_unicast(address: IpAddr) -> bool {
    let broadcast = matches!(address, IpAddr::V4(four) if four.is_broadcast());
    !broadcast
        && !address.is_unspecified()
        && !address.is_loopback()
        && !address.is_multicast()
        && !is_link_local_unicast(address)
}

/// An address and how many of its bits name the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cel) struct Network {
    pub(super) address: IpAddr,
    pub(super) prefix: u8,
}

impl Network {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let bad = || format!("network address parse error during conversion from string: {text:?}");
        let (address, prefix) = text.rsplit_once('/').ok_or_else(bad)?;
        let address = parse(address)?;
        let digits = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
        let plain = digits && (prefix == "0" || !prefix.starts_with('0'));
        let prefix: u8 = prefix.parse().ok().filter(|_| plain).ok_or_else(bad)?;
        if u32::from(prefix) > width(address) {
            return Err(bad());
        }
        Ok(Self { address, prefix })
    }

    /// Without the bits that do not name the network.
    pub(super) fn masked(&self) -> Self {
        let kept = bits(self.address) & mask(self.address, self.prefix);
        Self { address: like(self.address, kept), prefix: self.prefix }
    }

    pub(super) fn contains(&self, address: IpAddr) -> bool {
        let mask = mask(self.address, self.prefix);
        address.is_ipv4() == self.address.is_ipv4()
            && bits(address) & mask == bits(self.address) & mask
    }

    pub(super) fn contains_network(&self, other: &Self) -> bool {
        self.prefix <= other.prefix && self.contains(other.address)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

fn width(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(four) => u32::from(four).into(),
        IpAddr::V6(six) => six.into(),
    }
}

/// The address of the same family with these bits.
fn like(address: IpAddr, bits: u128) -> IpAddr {
    match address {
        IpAddr::V4(_) => IpAddr::V4(u32::try_from(bits).unwrap_or_default().into()),
        IpAddr::V6(_) => IpAddr::V6(bits.into()),
    }
}

fn mask(address: IpAddr, prefix: u8) -> u128 {
    let width = width(address);
    let all = u128::MAX.checked_shr(128 - width).unwrap_or_default();
    let hosts = all.checked_shr(prefix.into()).filter(|_| u32::from(prefix) < width);
    all & !hosts.unwrap_or_default()
}
