//! The port we listen on.

use std::net::SocketAddr;

use tokio::net::TcpListener;

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
            std::io::ErrorKind::AddrInUse => BindError::InUse(address),
            std::io::ErrorKind::PermissionDenied => BindError::Denied(address),
            _ => BindError::Other { address, source },
        };
        let inner = TcpListener::bind(address).await.map_err(failed)?;
        let bound = inner.local_addr().map_err(failed)?;
        Ok(Self { inner, address: bound })
    }

    /// Where we listen, with the real port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_taken_port_is_named() {
        let first = Listener::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let second = Listener::bind(first.address()).await.unwrap_err();
        assert!(
            matches!(second, BindError::InUse(address) if address == first.address()),
            "{second}"
        );
    }
}
