//! Everything secret that `up` makes once and keeps: the authority, the token key, the administrator's token.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use core_clock::{Clock, Entropy};
use emb_auth::TokenKeys;
use io_http::Authority;

use crate::{
    directory::Directory,
    exit::{Exit, Failure},
};

/// The secrets of a control plane.
pub(crate) struct Keys {
    pub(crate) authority: Authority,
    pub(crate) tokens: TokenKeys,
    pub(crate) admin_token: String,
}

impl Keys {
    /// Reads them from the data directory, and makes those that are missing.
    pub(crate) fn load(
        directory: &Directory,
        clock: &dyn Clock,
        entropy: &dyn Entropy,
    ) -> Result<Self, Failure> {
        Ok(Self {
            authority: authority(directory, clock)?,
            tokens: token_keys(directory, entropy)?,
            admin_token: directory
                .read_or_write::<Failure>("admin.token", || Ok(random_token(entropy)))?,
        })
    }
}

fn authority(directory: &Directory, clock: &dyn Clock) -> Result<Authority, Failure> {
    let failed = |error| damaged(directory, "pki/ca.key", error);
    if let (Some(certificate), Some(key)) =
        (directory.read("pki/ca.crt")?, directory.read("pki/ca.key")?)
    {
        return Authority::from_pem(&certificate, &key).map_err(failed);
    }
    let authority = Authority::generate(clock.now()).map_err(failed)?;
    directory.write("pki/ca.key", &authority.key_pem())?;
    // Last: the pair counts only when both are there.
    directory.write("pki/ca.crt", authority.certificate_pem())?;
    Ok(authority)
}

fn token_keys(directory: &Directory, entropy: &dyn Entropy) -> Result<TokenKeys, Failure> {
    let failed = |error| damaged(directory, "tokens.key", error);
    let pem = directory.read_or_write::<Failure>("tokens.key", || {
        TokenKeys::generate(entropy).to_pem().map_err(failed)
    })?;
    TokenKeys::from_pem(&pem, &[]).map_err(failed)
}

fn damaged(
    directory: &Directory,
    file: &str,
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> Failure {
    Failure::new(Exit::Damaged, error).hint(format!(
        "move {} away; a new one is made at the next start",
        directory.file(file).display()
    ))
}

/// 256 random bits, in letters that need no quoting anywhere.
fn random_token(entropy: &dyn Entropy) -> String {
    let mut bytes = [0u8; 32];
    entropy.fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}
