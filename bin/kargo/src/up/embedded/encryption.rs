//! The keys that Secrets are encrypted with in the database.

use std::{
    fs,
    io::Read,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use core_clock::Entropy;
use emb_meta::GroupResource;
use emb_store::Keyring;

use crate::exit::Failure;

/// More than a file of keys ever has.
const MAX_BYTES: u64 = 64 * 1024;

/// How Secrets are stored.
#[derive(clap::Args, Debug)]
pub(crate) struct EncryptionArgs {
    /// File with keys that Secrets are encrypted with in the database: 32 random bytes in base64 on each line. The first
    /// key encrypts, the others read what they have encrypted; put a new key first to change it
    #[arg(long, value_name = "FILE", conflicts_with = "in_memory")]
    encryption_key_file: Option<PathBuf>,
}

impl EncryptionArgs {
    /// Reads the keys, if there are any.
    pub(super) fn keyring(
        &self,
        entropy: &Arc<dyn Entropy>,
    ) -> Result<Option<Arc<Keyring>>, Failure> {
        let Some(path) = &self.encryption_key_file else { return Ok(None) };
        let text = read_private(path)?;
        let secrets = GroupResource::new("", "secrets");
        let keyring = Keyring::parse(&text, [secrets], entropy.clone()).map_err(|error| {
            Failure::usage(format!("--encryption-key-file {}: {error}", path.display()))
                .hint("make one with `(umask 077; head -c 32 /dev/urandom | base64 > FILE)`")
        })?;
        Ok(Some(Arc::new(keyring)))
    }
}

/// The text of a file that nobody but its owner may read.
fn read_private(path: &Path) -> Result<String, Failure> {
    let failed = |error: std::io::Error| {
        Failure::usage(format!("--encryption-key-file {}: {error}", path.display()))
    };
    let file = fs::File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.mode() & 0o077 != 0 {
        let text = format!("--encryption-key-file {}: others can read it", path.display());
        return Err(Failure::usage(text).hint(format!("chmod 600 {}", path.display())));
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use core_clock::SeededEntropy;

    use super::*;

    #[test]
    fn a_key_file_that_others_can_read_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keys");
        let entropy: Arc<dyn Entropy> = Arc::new(SeededEntropy::new(1));
        let args = EncryptionArgs { encryption_key_file: Some(path.clone()) };
        let told = || args.keyring(&entropy).map(|keys| keys.is_some()).map_err(|e| e.to_string());
        assert!(told().unwrap_err().contains("No such file"));
        fs::write(&path, format!("# now\n{}=\n", "A".repeat(43))).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(told().unwrap_err().ends_with("others can read it"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(told(), Ok(true));
        fs::write(&path, "secret").unwrap();
        assert!(told().unwrap_err().contains("line 1 is no key"));
    }
}
