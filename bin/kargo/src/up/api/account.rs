//! The administrator of a `kargo up`: a password that is made once, and the key of the tokens.

use std::{path::Path, time::Duration};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use core_clock::Entropy;
use svc_api::AdminSettings;

use crate::{
    directory::Directory,
    exit::{Exit, Failure},
};

const HASH: &str = "api/password.hash";
const KEY: &str = "api/signing.key";
/// Who issues the tokens and whom they are for: this, wherever it listens today.
const NAME: &str = "kargo-up";
const LIFETIME: Duration = Duration::from_hours(24);
/// For passwords that people think of.
const COST: u32 = 10;
/// For passwords that nobody can guess: there is nothing to slow down.
const RANDOM_COST: u32 = 4;
/// The rest of a password would not count.
const MAX_PASSWORD_BYTES: usize = 72;

/// The administrator.
pub(super) struct Account {
    pub(super) settings: AdminSettings,
    /// The password, where it was made just now.
    pub(super) first_password: Option<String>,
}

impl Account {
    /// The account of a directory, with the password in the file `given`, or the one from before, or a new one.
    pub(super) fn load(
        directory: &Directory,
        given: Option<&Path>,
        entropy: &dyn Entropy,
    ) -> Result<Self, Failure> {
        let kept = directory.read(HASH)?;
        let (password_hash, first_password) = match (given, kept) {
            (Some(file), kept) => (hash_of_file(directory, file, kept)?, None),
            (None, Some(kept)) => (kept, None),
            (None, None) => {
                let password = random_text(entropy);
                (keep(directory, &password, RANDOM_COST)?, Some(password))
            }
        };
        let key = directory.read_or_write::<Failure>(KEY, || Ok(random_text(entropy)))?;
        let settings = AdminSettings {
            // With another password, logins by the old one are over.
            signing_key: format!("{key}{password_hash}").into_bytes(),
            password_hash,
            issuer: NAME.to_owned(),
            audience: NAME.to_owned(),
            lifetime: LIFETIME,
        };
        Ok(Self { settings, first_password })
    }
}

/// The hash of the password in a file; the one that is kept, if it still fits.
fn hash_of_file(
    directory: &Directory,
    file: &Path,
    kept: Option<String>,
) -> Result<String, Failure> {
    let refused =
        |why: String| Failure::usage(format!("--admin-password-file: {}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| refused(error.to_string()))?;
    let password = text.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        return Err(refused("there is no password in it".to_owned()));
    }
    if password.len() > MAX_PASSWORD_BYTES {
        return Err(refused(format!("a password has {MAX_PASSWORD_BYTES} bytes at most")));
    }
    match kept.filter(|kept| bcrypt::verify(password, kept).unwrap_or(false)) {
        Some(kept) => Ok(kept),
        None => keep(directory, password, COST),
    }
}

fn keep(directory: &Directory, password: &str, cost: u32) -> Result<String, Failure> {
    let hash = bcrypt::hash(password, cost).map_err(|error| Failure::new(Exit::Error, error))?;
    directory.write(HASH, &hash)?;
    Ok(hash)
}

/// 192 random bits, in letters that need no quoting anywhere.
fn random_text(entropy: &dyn Entropy) -> String {
    let mut bytes = [0u8; 24];
    entropy.fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use core_clock::SeededEntropy;

    use super::*;

    fn opens(account: &Account, password: &str) -> bool {
        bcrypt::verify(password, &account.settings.password_hash).unwrap()
    }

    #[test]
    fn a_password_is_made_once_and_kept_as_its_hash() {
        let temporary = tempfile::tempdir().unwrap();
        let directory = Directory::open(temporary.path()).unwrap();
        let entropy = SeededEntropy::new(1);
        let first = Account::load(&directory, None, &entropy).unwrap();
        let password = first.first_password.clone().unwrap();
        assert!(opens(&first, &password));
        let later = Account::load(&directory, None, &entropy).unwrap();
        assert_eq!(later.first_password, None);
        assert_eq!(later.settings.signing_key, first.settings.signing_key);
        assert!(opens(&later, &password));
        assert!(!directory.read(HASH).unwrap().unwrap().contains(&password));
    }

    #[test]
    fn a_given_password_takes_the_place_of_the_old_one_and_ends_its_logins() {
        let temporary = tempfile::tempdir().unwrap();
        let directory = Directory::open(temporary.path()).unwrap();
        let entropy = SeededEntropy::new(1);
        let made = Account::load(&directory, None, &entropy).unwrap();
        let file = temporary.path().join("password");
        std::fs::write(&file, "correct horse\n").unwrap();
        let given = Account::load(&directory, Some(&file), &entropy).unwrap();
        assert!(given.first_password.is_none() && opens(&given, "correct horse"));
        assert_ne!(given.settings.signing_key, made.settings.signing_key);
        let again = Account::load(&directory, Some(&file), &entropy).unwrap();
        assert_eq!(again.settings.password_hash, given.settings.password_hash);
        // It stays when the file is not named any more.
        let kept = Account::load(&directory, None, &entropy).unwrap();
        assert!(opens(&kept, "correct horse"));
    }

    #[test]
    fn a_file_without_a_usable_password_is_refused() {
        let temporary = tempfile::tempdir().unwrap();
        let directory = Directory::open(temporary.path()).unwrap();
        let file = temporary.path().join("password");
        for text in ["", "\n", &"x".repeat(73)] {
            std::fs::write(&file, text).unwrap();
            let refused = Account::load(&directory, Some(&file), &SeededEntropy::new(1));
            assert_eq!(refused.err().map(|failure| failure.exit()), Some(Exit::Usage), "{text:?}");
        }
        let absent = temporary.path().join("absent");
        assert!(Account::load(&directory, Some(&absent), &SeededEntropy::new(1)).is_err());
    }
}
