//! Where the cluster reaches this process.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use io_http::{BindError, Listener};

use super::ClusterArgs;
use crate::{
    exit::{Exit, Failure},
    up::bind_failure,
};

const FLAG: &str = "--webhook-port";

/// A bound port and the name it is reached by.
pub(super) struct Door {
    pub(super) listener: Listener,
    pub(super) host: String,
}

impl Door {
    /// Opens the port of the webhooks: on the address that is named, or on all when the name is not an address of ours.
    pub(super) async fn open(args: &ClusterArgs, cluster: &http::Uri) -> Result<Self, Failure> {
        let host = match &args.webhook_host {
            Some(host) => checked(host)?,
            None => own_address(cluster)?.to_string(),
        };
        let listener = listen(&host, args.webhook_port).await?;
        Ok(Self { listener, host })
    }

    /// The URL without a path.
    pub(super) fn url(&self) -> String {
        let port = self.listener.address().port();
        match self.host.parse() {
            Ok(IpAddr::V6(address)) => format!("https://[{address}]:{port}"),
            _ => format!("https://{}:{port}", self.host),
        }
    }
}

async fn listen(host: &str, port: u16) -> Result<Listener, Failure> {
    let named: Option<IpAddr> = host.parse().ok();
    if let Some(address) = named {
        match Listener::bind(SocketAddr::new(address, port)).await {
            // It is the address of something in front of us.
            Err(BindError::Other { source, .. })
                if source.kind() == std::io::ErrorKind::AddrNotAvailable => {}
            bound => return bound.map_err(|error| bind_failure(error, FLAG)),
        }
    }
    let all: IpAddr = match named {
        Some(IpAddr::V6(_)) => Ipv6Addr::UNSPECIFIED.into(),
        _ => Ipv4Addr::UNSPECIFIED.into(),
    };
    crate::up::bind(SocketAddr::new(all, port), FLAG).await
}

/// The address from which packets to the cluster would leave. Nothing is sent.
fn own_address(cluster: &http::Uri) -> Result<IpAddr, Failure> {
    let unknown = |error: std::io::Error| {
        Failure::new(Exit::ClusterUnreachable, error)
            .hint("pass --webhook-host: no address of this machine leads to the cluster")
    };
    let host = cluster.host().unwrap_or_default().trim_matches(['[', ']']);
    let port = cluster.port_u16().unwrap_or(443);
    let find = |from: IpAddr| {
        let socket = UdpSocket::bind(SocketAddr::new(from, 0))?;
        socket.connect((host, port))?;
        Ok(socket.local_addr()?.ip())
    };
    find(Ipv4Addr::UNSPECIFIED.into())
        .or_else(|_: std::io::Error| find(Ipv6Addr::UNSPECIFIED.into()))
        .map_err(unknown)
}

/// A host and nothing else.
fn checked(host: &str) -> Result<String, Failure> {
    let is_name = |host: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        !host.is_empty() && host.len() <= 253 && host.chars().all(is_plain)
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if host.parse::<IpAddr>().is_ok() || is_name(host) {
        return Ok(host.to_owned());
    }
    Err(Failure::usage(format!("--webhook-host: {host:?} is not a host name or an address"))
        .hint("name the host alone; the port has its own flag, --webhook-port"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_address_is_the_one_that_leads_to_the_cluster() {
        let found = |uri: &str| own_address(&uri.parse().unwrap()).unwrap().to_string();
        assert_eq!(found("https://127.0.0.1:6443"), "127.0.0.1");
    }

    #[test]
    fn a_host_is_a_name_or_an_address_and_nothing_else() {
        for host in ["laptop.example.com", "10.0.0.7", "::1", "[fd00::1]"] {
            assert!(checked(host).is_ok(), "{host}");
        }
        for host in ["", "https://laptop", "laptop:9443", "a b", "laptop/path"] {
            assert!(checked(host).is_err(), "{host}");
        }
    }

    #[tokio::test]
    async fn a_url_has_the_real_port_and_brackets_where_they_belong() {
        let door = |host: &str| {
            let host = host.to_owned();
            async move { Door { listener: listen("127.0.0.1", 0).await.unwrap(), host } }
        };
        let named = door("laptop").await;
        assert_eq!(named.url(), format!("https://laptop:{}", named.listener.address().port()));
        assert!(door("fd00::1").await.url().starts_with("https://[fd00::1]:"));
    }
}
