//! TLS in front of a plain server, with a certificate that nobody trusts by default.

use std::{net::SocketAddr, sync::Arc};

use anyhow::Result;
use rustls::{ServerConfig, crypto::ring, pki_types::PrivateKeyDer};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;

/// Listens on the loopback interface and hands the bytes on; it ends when this is dropped.
pub struct TlsFront {
    address: SocketAddr,
    certificate: String,
    task: JoinHandle<()>,
}

impl TlsFront {
    /// Starts in front of `behind`.
    pub async fn start(behind: SocketAddr) -> Result<Self> {
        Self::start_as(behind, &[]).await
    }

    /// Starts in front of `behind`, with a certificate that has further names.
    pub async fn start_as(behind: SocketAddr, names: &[&str]) -> Result<Self> {
        let names = ["127.0.0.1", "localhost"].into_iter().chain(names.iter().copied());
        let names: Vec<String> = names.map(str::to_owned).collect();
        let made = rcgen::generate_simple_self_signed(names)?;
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der())
            .map_err(anyhow::Error::msg)?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(accept(listener, TlsAcceptor::from(Arc::new(config)), behind));
        Ok(Self { address, certificate: made.cert.pem(), task })
    }

    /// Host and port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The certificate to trust, in PEM form.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }
}

impl Drop for TlsFront {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, behind: SocketAddr) {
    while let Ok((stream, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            // A client that does not trust us goes away, which is what some tests want.
            let Ok(mut outside) = acceptor.accept(stream).await else { return };
            let Ok(mut inside) = TcpStream::connect(behind).await else { return };
            let _ = copy_bidirectional(&mut outside, &mut inside).await;
        });
    }
}
