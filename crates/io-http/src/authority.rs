//! Our own certificate authority: TLS with nothing to install.
//!
//! The authority lives as two PEM files in the data directory; server certificates are short-lived and made at every start.

use std::time::Duration;

use core_clock::Time;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose,
};
use rustls::pki_types::PrivatePkcs8KeyDer;
use time::OffsetDateTime;

use crate::{ServerCertificate, certificate::CertificateError};

const AUTHORITY_LIFE: Duration = Duration::from_hours(10 * 365 * 24);
const SERVER_LIFE: Duration = Duration::from_hours(397 * 24);
/// Clocks of clients may be behind ours.
const SKEW: Duration = Duration::from_hours(1);

/// A certificate or key cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum AuthorityError {
    /// Making or reading failed.
    #[error("certificate authority")]
    Certificate(#[from] rcgen::Error),
    /// The TLS library refuses what we made.
    #[error(transparent)]
    Tls(#[from] CertificateError),
}

/// A certificate authority of our own.
pub struct Authority {
    certificate_pem: String,
    key: KeyPair,
}

impl Authority {
    /// A new authority, valid for ten years.
    pub fn generate(now: Time) -> Result<Self, AuthorityError> {
        let key = KeyPair::generate()?;
        let mut params = authority_params();
        set_life(&mut params, now, AUTHORITY_LIFE);
        let certificate_pem = params.self_signed(&key)?.pem();
        Ok(Self { certificate_pem, key })
    }

    /// The authority that an earlier start has written.
    pub fn from_pem(certificate_pem: &str, key_pem: &str) -> Result<Self, AuthorityError> {
        Ok(Self { certificate_pem: certificate_pem.to_owned(), key: KeyPair::from_pem(key_pem)? })
    }

    /// The public certificate, for clients to trust.
    pub fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    /// The private key, to be kept 0600.
    pub fn key_pem(&self) -> String {
        self.key.serialize_pem()
    }

    /// A server certificate for `names` (host names or IP addresses).
    pub fn issue(&self, names: &[String], now: Time) -> Result<ServerCertificate, AuthorityError> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name = common_name("kargo");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        set_life(&mut params, now, SERVER_LIFE);
        let issuer = Issuer::new(authority_params(), &self.key);
        let certificate = params.signed_by(&key, &issuer)?;
        let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        Ok(ServerCertificate::new(vec![certificate.der().clone()], key)?)
    }
}

/// The same for every start, so that a loaded key signs under the name that its certificate carries.
fn authority_params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = common_name("kargo embedded authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn common_name(name: &str) -> DistinguishedName {
    let mut subject = DistinguishedName::new();
    subject.push(DnType::CommonName, name);
    subject
}

fn set_life(params: &mut CertificateParams, now: Time, life: Duration) {
    let at = |time: Time| {
        OffsetDateTime::from_unix_timestamp(time.as_seconds()).unwrap_or(OffsetDateTime::UNIX_EPOCH)
    };
    params.not_before = at(now - SKEW);
    params.not_after = at(now + life);
}
