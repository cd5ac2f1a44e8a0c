//! Whom to trust: the machine's certificates, a certificate of the subscription, or, where told so, anyone.

use std::sync::Arc;

use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
};

use super::Settings;

/// The most certificates that one PEM text may add.
const MAX_CERTIFICATES: usize = 1_000;

/// How far to trust one server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tls {
    /// Accept any certificate. The connection is still encrypted, but perhaps with the wrong server.
    pub insecure_skip_verify: bool,
    /// Certificates (PEM) to trust beside the machine's.
    pub ca_pem: Option<Arc<str>>,
}

impl Tls {
    /// Accepts any certificate when `skip` is set.
    pub fn skip_verify(skip: bool) -> Self {
        Self { insecure_skip_verify: skip, ca_pem: None }
    }
}

/// TLS settings that no client can be made from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    #[error("the certificate authority given for this server is not a list of PEM certificates")]
    Certificates,
    #[error("the client could not be set up: {0}")]
    Setup(String),
}

/// The certificates this machine trusts: those the settings name, else the system's.
pub(super) fn machine_roots(settings: &Settings) -> RootCertStore {
    let named = (settings.certificate_file.as_deref(), settings.certificate_directory.as_deref());
    let loaded = match named {
        (None, None) => rustls_native_certs::load_native_certs(),
        (file, directory) => rustls_native_certs::load_certs_from_paths(file, directory),
    };
    for error in &loaded.errors {
        tracing::warn!(%error, "trusted certificates could not all be read");
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(loaded.certs);
    roots
}

/// The TLS side of a client.
pub(super) fn client_config(machine: &RootCertStore, tls: &Tls) -> Result<ClientConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::Setup(error.to_string()))?;
    let mut config = if tls.insecure_skip_verify {
        let anyone = Arc::new(TrustAnyone { provider });
        builder.dangerous().with_custom_certificate_verifier(anyone).with_no_client_auth()
    } else {
        let mut roots = machine.clone();
        if let Some(pem) = &tls.ca_pem {
            add_certificates(&mut roots, pem)?;
        }
        builder.with_root_certificates(roots).with_no_client_auth()
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn add_certificates(roots: &mut RootCertStore, pem: &str) -> Result<(), TlsError> {
    let mut added = 0;
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()).take(MAX_CERTIFICATES) {
        let certificate = certificate.map_err(|_| TlsError::Certificates)?;
        roots.add(certificate).map_err(|_| TlsError::Certificates)?;
        added += 1;
    }
    if added == 0 { Err(TlsError::Certificates) } else { Ok(()) }
}

/// Accepts every certificate, but only from a peer that holds its key.
#[derive(Debug)]
struct TrustAnyone {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for TrustAnyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authority_that_is_no_certificate_is_refused() {
        for pem in ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            let tls = Tls { ca_pem: Some(pem.into()), ..Tls::default() };
            let result = client_config(&RootCertStore::empty(), &tls);
            assert_eq!(result.err(), Some(TlsError::Certificates), "{pem:?}");
        }
    }
}
