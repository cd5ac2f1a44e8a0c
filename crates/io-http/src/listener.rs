//! The port we listen on.

use std::{
    io::ErrorKind,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
};

use tokio::net::TcpListener;

use crate::BindAddress;

/// The port cannot be listened on.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Another process has it.
    #[error("{0} is in use by another process; stop it or choose another port")]
    InUse(SocketAddr),
    /// We are not allowed to.
    #[error("no permission to listen on {0}; ports below 1024 need privileges")]
    Denied(SocketAddr),
    /// Anything else.
    #[error("cannot listen on {address}")]
    Other {
        /// Where.
        address: SocketAddr,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// A bound port, not serving yet.
#[derive(Debug)]
pub struct Listener {
    pub(crate) inner: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Binds `address`; port 0 picks a free one.
    pub async fn bind(address: SocketAddr) -> Result<Self, BindError> {
        let failed = |source: std::io::Error| match source.kind() {
            ErrorKind::AddrInUse => BindError::InUse(address),
            ErrorKind::PermissionDenied => BindError::Denied(address),
            _ => BindError::Other { address, source },
        };
        let inner = TcpListener::bind(address).await.map_err(failed)?;
        let bound = inner.local_addr().map_err(failed)?;
        Ok(Self { inner, address: bound })
    }

    /// Binds an address that may be every one of the machine.
    pub async fn open(address: BindAddress) -> Result<Self, BindError> {
        let BindAddress { host, port } = address;
        if let Some(host) = host {
            return Self::bind(SocketAddr::new(host, port)).await;
        }
        // One socket hears both families, except where the machine has no IPv6.
        match Self::bind((Ipv6Addr::UNSPECIFIED, port).into()).await {
            Err(BindError::Other { .. }) => Self::bind((Ipv4Addr::UNSPECIFIED, port).into()).await,
            bound => bound,
        }
    }

    /// Where we listen, with the real port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local() -> SocketAddr {
        (Ipv4Addr::LOCALHOST, 0).into()
    }

    #[tokio::test]
    async fn a_taken_port_is_named() {
        let first = Listener::bind(local()).await.unwrap();
        let second = Listener::bind(first.address()).await.unwrap_err();
        assert!(
            matches!(second, BindError::InUse(address) if address == first.address()),
            "{second}"
        );
    }

    #[tokio::test]
    async fn everywhere_is_reached_by_the_old_protocol_too() {
        let listener = Listener::open(BindAddress::everywhere(0)).await.unwrap();
        let address = (Ipv4Addr::LOCALHOST, listener.address().port());
        tokio::net::TcpStream::connect(address).await.unwrap();
    }
}
