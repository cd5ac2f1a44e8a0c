//! The certificate that a listener shows, and how it changes while the listener runs.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    sync::{Arc, RwLock},
};

use core_clock::Time;
use rustls::{
    CipherSuite, ServerConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};

/// A certificate cannot be read or used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The text is not a certificate or key in PEM form.
    #[error("not in PEM form")]
    Pem(#[from] rustls::pki_types::pem::Error),
    /// The TLS library refuses certificate and key, for example because they do not belong together.
    #[error("TLS configuration")]
    Tls(#[from] rustls::Error),
}

/// A certificate for a listener. It can be replaced while the listener runs; connections that are open keep the old one.
#[derive(Clone)]
pub struct ServerCertificate {
    current: Arc<Current>,
    config: Arc<ServerConfig>,
}

impl ServerCertificate {
    pub(crate) fn new(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Self, CertificateError> {
        let provider = Arc::new(provider());
        let current = Arc::new(Current(RwLock::new(certified(chain, key, &provider)?)));
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(current.clone());
        config.ignore_client_order = true;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self { current, config: Arc::new(config) })
    }

    /// A certificate with its chain, and its key, in PEM form.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, CertificateError> {
        let chain = CertificateDer::pem_slice_iter(chain).collect::<Result<Vec<_>, _>>()?;
        Self::new(chain, PrivateKeyDer::from_pem_slice(key)?)
    }

    /// From now on new connections see `other`.
    pub fn replace_with(&self, other: &Self) {
        if let (Ok(mut current), Ok(other)) = (self.current.0.write(), other.current.0.read()) {
            *current = other.clone();
        }
    }

    /// When the certificate that new connections see runs out.
    pub fn expires(&self) -> Option<Time> {
        let current = self.current.0.read().ok()?.clone();
        let (_, certificate) = x509_parser::parse_x509_certificate(current.cert.first()?).ok()?;
        Some(Time::from_seconds(certificate.validity().not_after.timestamp()))
    }

    pub(crate) fn acceptor(&self) -> tokio_rustls::TlsAcceptor {
        tokio_rustls::TlsAcceptor::from(self.config.clone())
    }
}

/// A certificate and its key as files, which others may replace at any time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
}

impl CertificateFiles {
    /// The two files of a mounted Secret of type `kubernetes.io/tls`.
    pub fn in_directory(directory: &Path) -> Self {
        Self { certificate: directory.join("tls.crt"), key: directory.join("tls.key") }
    }

    /// Two files anywhere.
    pub fn new(certificate: PathBuf, key: PathBuf) -> Self {
        Self { certificate, key }
    }

    /// What the files hold now.
    pub fn read(&self) -> Result<ServerCertificate, CertificateError> {
        let read = |path: &PathBuf| {
            fs::read(path).map_err(|source| CertificateError::File { path: path.clone(), source })
        };
        ServerCertificate::from_pem(&read(&self.certificate)?, &read(&self.key)?)
    }
}

/// What the next connection is shown.
struct Current(RwLock<Arc<CertifiedKey>>);

impl fmt::Debug for Current {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Current")
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.read().ok().map(|current| current.clone())
    }
}

/// Our ciphers in our order: AES with the short key first, as kube-apiserver has it. It is as safe and takes less time.
fn provider() -> CryptoProvider {
    let mut provider = ring::default_provider();
    provider
        .cipher_suites
        .sort_by_key(|suite| suite.suite() != CipherSuite::TLS13_AES_128_GCM_SHA256);
    provider
}

fn certified(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    provider: &CryptoProvider,
) -> Result<Arc<CertifiedKey>, CertificateError> {
    Ok(Arc::new(CertifiedKey::from_der(chain, key, provider)?))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::{CertificateError, CertificateFiles, ServerCertificate};

    fn write(directory: &Path) -> Vec<u8> {
        let key = rcgen::KeyPair::generate().unwrap();
        let params = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
        let certificate = params.self_signed(&key).unwrap();
        fs::write(directory.join("tls.crt"), certificate.pem()).unwrap();
        fs::write(directory.join("tls.key"), key.serialize_pem()).unwrap();
        certificate.der().to_vec()
    }

    fn shown(certificate: &ServerCertificate) -> Vec<u8> {
        certificate.current.0.read().unwrap().cert[0].to_vec()
    }

    #[test]
    fn a_replaced_certificate_is_shown_from_then_on() {
        let directory = tempfile::tempdir().unwrap();
        let files = CertificateFiles::in_directory(directory.path());
        assert!(matches!(files.read(), Err(CertificateError::File { .. })));
        let first = write(directory.path());
        let certificate = files.read().unwrap();
        assert_eq!(shown(&certificate), first);
        assert_eq!(certificate.expires(), Some("4096-01-01T00:00:00Z".parse().unwrap()));
        let second = write(directory.path());
        certificate.replace_with(&files.read().unwrap());
        assert_eq!(shown(&certificate), second);
    }

    #[test]
    fn text_that_is_no_certificate_and_foreign_keys_are_refused() {
        assert!(ServerCertificate::from_pem(b"x", b"y").is_err());
        let directory = tempfile::tempdir().unwrap();
        write(directory.path());
        let chain = fs::read(directory.path().join("tls.crt")).unwrap();
        write(directory.path());
        let key = fs::read(directory.path().join("tls.key")).unwrap();
        assert!(ServerCertificate::from_pem(&chain, &key).is_err());
    }
}
