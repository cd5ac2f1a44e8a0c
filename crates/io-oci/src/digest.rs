//! Content digests: what makes a server's answer checkable and a cache entry true for ever.

use std::{fmt, str::FromStr};

use core_rules::digest::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256, Sha512};

/// `sha256:` or `sha512:` and as many hexadecimal digits as that has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Digest(String);

/// A text that is no digest we can check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a sha256 or sha512 digest")]
pub(crate) struct DigestError;

impl Digest {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The SHA-256 digest of `content`.
    pub(crate) fn of(content: &[u8]) -> Self {
        Self(format!("sha256:{}", hex(&Sha256::digest(content))))
    }

    /// The digest of `content`, by this digest's algorithm.
    pub(crate) fn alike(&self, content: &[u8]) -> Self {
        if self.0.starts_with("sha512:") {
            Self(format!("sha512:{}", hex(&Sha512::digest(content))))
        } else {
            Self::of(content)
        }
    }

    /// What computes a digest by this digest's algorithm, piece by piece.
    pub(crate) fn hasher(&self) -> Hasher {
        if self.0.starts_with("sha512:") {
            Hasher::Sha512(Sha512::new())
        } else {
            Hasher::Sha256(Sha256::new())
        }
    }
}

/// A digest under way.
pub(crate) enum Hasher {
    Sha256(Sha256),
    Sha512(Sha512),
}

impl Hasher {
    pub(crate) fn update(&mut self, piece: &[u8]) {
        match self {
            Self::Sha256(hasher) => hasher.update(piece),
            Self::Sha512(hasher) => hasher.update(piece),
        }
    }

    pub(crate) fn finish(self) -> Digest {
        Digest(match self {
            Self::Sha256(hasher) => format!("sha256:{}", hex(&hasher.finalize())),
            Self::Sha512(hasher) => format!("sha512:{}", hex(&hasher.finalize())),
        })
    }
}

impl FromStr for Digest {
    type Err = DigestError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (algorithm, digits) = text.split_once(':').ok_or(DigestError)?;
        let length = match algorithm {
            "sha256" => 64,
            "sha512" => 128,
            _ => return Err(DigestError),
        };
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if digits.len() == length && digits.bytes().all(is_digit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(DigestError)
        }
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_checked_in_full() {
        let empty = Digest::of(b"");
        let text = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(empty.as_str(), text);
        assert_eq!(text.parse(), Ok(empty));
        for wrong in ["", "sha256:", "md5:00", "sha256:XYZ", &text[..70], &text.to_uppercase()] {
            assert_eq!(wrong.parse::<Digest>(), Err(DigestError), "{wrong}");
        }
    }

    #[test]
    fn the_longer_algorithm_is_checked_with_itself() {
        let digest: Digest = format!("sha512:{}", "0".repeat(128)).parse().unwrap();
        assert!(digest.alike(b"x").as_str().starts_with("sha512:"));
    }

    #[test]
    fn a_digest_of_pieces_is_that_of_the_whole() {
        for known in [Digest::of(b""), format!("sha512:{}", "0".repeat(128)).parse().unwrap()] {
            let mut hasher = known.hasher();
            hasher.update(b"ab");
            hasher.update(b"c");
            assert_eq!(hasher.finish(), known.alike(b"abc"));
        }
    }
}
