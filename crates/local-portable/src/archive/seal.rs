//! Secrets that only the holder of a key can read.

use std::io::Write;

use age::{DecryptError, Encryptor, Identity, Recipient, scrypt, secrecy::SecretString, x25519};

use crate::Error;

/// Work that a passphrase may ask for, as a power of two; more would be an attack on the reader.
const MAX_WORK: u8 = 22;

/// What Secrets are sealed with.
pub enum Seal {
    /// Whoever knows the passphrase opens them.
    Passphrase(SecretString),
    /// Whoever has one of the identities behind these recipients opens them.
    Recipients(Vec<x25519::Recipient>),
}

/// What opens sealed Secrets.
pub enum Key {
    /// The passphrase.
    Passphrase(SecretString),
    /// Identities, of which one is enough.
    Identities(Vec<x25519::Identity>),
}

impl Seal {
    /// A passphrase as it stands in a file or variable.
    pub fn passphrase(text: &str) -> Result<Self, Error> {
        passphrase(text).map(Self::Passphrase)
    }

    /// Recipients as `age-keygen` prints them, `age1…`.
    pub fn recipients<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, Error> {
        let parse = |text: &str| {
            text.trim()
                .parse()
                .map_err(|why| Error::Key(format!("{text:?} is no age recipient: {why}")))
        };
        texts.into_iter().map(parse).collect::<Result<_, _>>().map(Self::Recipients)
    }

    pub(super) fn close(&self, plain: &[u8]) -> Result<Vec<u8>, Error> {
        let failed =
            |error: &dyn std::fmt::Display| Error::Key(format!("cannot seal Secrets: {error}"));
        let by_passphrase;
        let recipients: Vec<&dyn Recipient> = match self {
            Self::Passphrase(text) => {
                by_passphrase = scrypt::Recipient::new(text.clone());
                vec![&by_passphrase]
            }
            Self::Recipients(recipients) => {
                recipients.iter().map(|one| one as &dyn Recipient).collect()
            }
        };
        let encryptor =
            Encryptor::with_recipients(recipients.into_iter()).map_err(|error| failed(&error))?;
        let mut sealed = Vec::with_capacity(plain.len() + 1024);
        let mut writer = encryptor.wrap_output(&mut sealed).map_err(|error| failed(&error))?;
        writer.write_all(plain).map_err(|error| failed(&error))?;
        writer.finish().map_err(|error| failed(&error))?;
        Ok(sealed)
    }
}

impl Key {
    /// A passphrase as it stands in a file or variable.
    pub fn passphrase(text: &str) -> Result<Self, Error> {
        passphrase(text).map(Self::Passphrase)
    }

    /// The identities in a file of `age-keygen`.
    pub fn identities(file: &str) -> Result<Self, Error> {
        let lines =
            file.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        // The text is a secret: it is not repeated.
        let parse = |line: &str| {
            line.parse().map_err(|why| Error::Key(format!("a line is no age identity: {why}")))
        };
        let identities: Vec<x25519::Identity> = lines.map(parse).collect::<Result<_, _>>()?;
        if identities.is_empty() {
            return Err(Error::Key("the file has no age identity".to_owned()));
        }
        Ok(Self::Identities(identities))
    }

    /// What was sealed, or why it stays so.
    pub(super) fn open(&self, sealed: &[u8]) -> Result<Vec<u8>, String> {
        let by_passphrase;
        let identities: Vec<&dyn Identity> = match self {
            Self::Passphrase(text) => {
                let mut identity = scrypt::Identity::new(text.clone());
                identity.set_max_work_factor(MAX_WORK);
                by_passphrase = identity;
                vec![&by_passphrase]
            }
            Self::Identities(identities) => {
                identities.iter().map(|one| one as &dyn Identity).collect()
            }
        };
        let decryptor = age::Decryptor::new(sealed).map_err(|error| explain(&error))?;
        let mut reader =
            decryptor.decrypt(identities.into_iter()).map_err(|error| explain(&error))?;
        let mut plain = Vec::new();
        std::io::copy(&mut reader, &mut plain).map_err(|error| error.to_string())?;
        Ok(plain)
    }
}

fn passphrase(text: &str) -> Result<SecretString, Error> {
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(Error::Key("the passphrase is empty".to_owned())),
        text => Ok(SecretString::from(text.to_owned())),
    }
}

fn explain(error: &DecryptError) -> String {
    match error {
        DecryptError::DecryptionFailed => "the passphrase is wrong".to_owned(),
        DecryptError::NoMatchingKeys => "this key does not open them".to_owned(),
        error => error.to_string(),
    }
}
