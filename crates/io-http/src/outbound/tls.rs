//! Whom to trust: the machine's certificates, a certificate of the subscription, or, where told so, anyone.

use std::sync::Arc;

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};

use super::{
    Settings,
    verifier::{TrustAnyone, TrustName},
};

/// The most certificates that one PEM text may add.
const MAX_CERTIFICATES: usize = 1_000;

/// How far to trust one server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tls {
    /// Accept any certificate. The connection is still encrypted, but perhaps with the wrong server.
    pub insecure_skip_verify: bool,
    /// Certificates (PEM) to trust beside the machine's.
    pub ca_pem: Option<Arc<str>>,
    /// Trust nothing beside `ca_pem`, where it is given.
    pub exclusive: bool,
    /// The name in the server's certificate, where it is not the host of the address.
    pub server_name: Option<Arc<str>>,
}

impl Tls {
    /// Accepts any certificate when `skip` is set.
    pub fn skip_verify(skip: bool) -> Self {
        Self { insecure_skip_verify: skip, ..Self::default() }
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
        let roots = roots(machine, tls)?;
        match &tls.server_name {
            Some(name) => {
                let named = Arc::new(TrustName::new(roots, provider, name)?);
                builder.dangerous().with_custom_certificate_verifier(named).with_no_client_auth()
            }
            None => builder.with_root_certificates(roots).with_no_client_auth(),
        }
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn roots(machine: &RootCertStore, tls: &Tls) -> Result<RootCertStore, TlsError> {
    let Some(pem) = &tls.ca_pem else { return Ok(machine.clone()) };
    let mut roots = if tls.exclusive { RootCertStore::empty() } else { machine.clone() };
    add_certificates(&mut roots, pem)?;
    Ok(roots)
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
