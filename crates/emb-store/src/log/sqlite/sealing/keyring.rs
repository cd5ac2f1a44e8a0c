//! Keys that seal the bodies of rows, so that a copy of the file tells nothing about them.
//!
//! Every body gets a data key of its own, derived from a key of the ring and a random salt, and is sealed with AES-256-GCM.
//! What the row is called and its revision are authenticated with it: a body that is put into another row does not open.

use std::{collections::BTreeSet, fmt, sync::Arc};

use base64::{Engine, engine::general_purpose::STANDARD};
use core_clock::Entropy;
use emb_meta::GroupResource;
use ring::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    digest, hkdf,
};
use thiserror::Error;

/// What a sealed body starts with; a JSON object starts with a brace.
const SEALED: u8 = 1;
const KEY_BYTES: usize = 32;
const SALT_BYTES: usize = 16;
/// More keys than anyone rotates through.
const MAX_KEYS: usize = 64;
const DATA_KEY: &[u8] = b"kargo store: data key of a row";
const KEY_NAME: &[u8] = b"kargo store: name of a key";

/// The name of a key, which says nothing about the key itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub(crate) [u8; 8]);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl KeyId {
    pub(super) fn parse(text: &str) -> Option<Self> {
        u64::from_str_radix(text, 16).ok().map(|number| Self(number.to_be_bytes()))
    }
}

/// Why a text holds no keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// A line is no key.
    #[error("line {0} is no key: 32 random bytes in base64 are")]
    Malformed(usize),
    /// The same key stands there twice.
    #[error("line {0} repeats a key")]
    Repeated(usize),
    /// There is none, or there are far too many.
    #[error("there must be one key at least and {MAX_KEYS} at most")]
    Count,
}

/// The keys of a store. The first one seals; all of them open what they have sealed.
pub struct Keyring {
    keys: Vec<SealingKey>,
    first: KeyId,
    resources: BTreeSet<GroupResource>,
    entropy: Arc<dyn Entropy>,
}

struct SealingKey {
    id: KeyId,
    secret: [u8; KEY_BYTES],
}

/// What a body belongs to.
#[derive(Clone, Copy)]
pub(in crate::log::sqlite) struct Place<'a> {
    pub(in crate::log::sqlite) resource: &'a GroupResource,
    pub(in crate::log::sqlite) namespace: &'a str,
    pub(in crate::log::sqlite) name: &'a str,
    pub(in crate::log::sqlite) rev: i64,
}

impl Keyring {
    /// Reads keys, one per line in base64; empty lines and lines with `#` do not count. Objects of `resources` are sealed,
    /// with salts from `entropy`.
    pub fn parse(
        text: &str,
        resources: impl IntoIterator<Item = GroupResource>,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, KeyError> {
        let mut keys: Vec<SealingKey> = Vec::new();
        for (at, line) in (1..).zip(text.lines().map(str::trim)) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let key = SealingKey::parse(line).ok_or(KeyError::Malformed(at))?;
            if keys.iter().any(|known| known.id == key.id) {
                return Err(KeyError::Repeated(at));
            }
            if keys.len() == MAX_KEYS {
                return Err(KeyError::Count);
            }
            keys.push(key);
        }
        let first = keys.first().ok_or(KeyError::Count)?.id;
        Ok(Self { keys, first, resources: resources.into_iter().collect(), entropy })
    }

    /// The key that seals.
    pub fn first(&self) -> KeyId {
        self.first
    }

    pub(in crate::log::sqlite) fn has(&self, id: KeyId) -> bool {
        self.keys.iter().any(|key| key.id == id)
    }

    pub(in crate::log::sqlite) fn seals(&self, resource: &GroupResource) -> bool {
        self.resources.contains(resource)
    }

    /// The sealed form of `body`; `None` when it is too long for the cipher.
    pub(in crate::log::sqlite) fn seal(&self, place: Place<'_>, body: &[u8]) -> Option<Vec<u8>> {
        let key = self.keys.first()?;
        let mut random = [0; SALT_BYTES + NONCE_LEN];
        self.entropy.fill(&mut random);
        let (salt, nonce) = random.split_first_chunk::<SALT_BYTES>()?;
        let mut inner = body.to_vec();
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let data_key = key.data_key(salt)?;
        data_key.seal_in_place_append_tag(nonce, place.authenticated(), &mut inner).ok()?;
        Some([&[SEALED], &key.id.0[..], &random, &inner].concat())
    }

    /// The body that was sealed; `None` when it is another row's, was changed, or its key is not here.
    pub(in crate::log::sqlite) fn open(&self, place: Place<'_>, sealed: &[u8]) -> Option<Vec<u8>> {
        let key = self.keys.iter().find(|key| Some(key.id) == key_of(sealed))?;
        let (salt, rest) =
            sealed.get(1 + size_of::<KeyId>()..)?.split_first_chunk::<SALT_BYTES>()?;
        let (nonce, inner) = rest.split_first_chunk::<NONCE_LEN>()?;
        let mut inner = inner.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let body = key.data_key(salt)?.open_in_place(nonce, place.authenticated(), &mut inner);
        let length = body.ok()?.len();
        inner.truncate(length);
        Some(inner)
    }
}

impl SealingKey {
    fn parse(line: &str) -> Option<Self> {
        let secret: [u8; KEY_BYTES] = STANDARD.decode(line).ok()?.try_into().ok()?;
        let named = digest::digest(&digest::SHA256, &[KEY_NAME, &secret].concat());
        Some(Self { id: KeyId(*named.as_ref().first_chunk()?), secret })
    }

    fn data_key(&self, salt: &[u8]) -> Option<LessSafeKey> {
        let derived = hkdf::Salt::new(hkdf::HKDF_SHA256, salt).extract(&self.secret);
        let key = derived.expand(&[DATA_KEY], &AES_256_GCM).ok().map(UnboundKey::from)?;
        Some(LessSafeKey::new(key))
    }
}

impl Place<'_> {
    fn authenticated(&self) -> Aad<Vec<u8>> {
        let mut bytes = self.rev.to_le_bytes().to_vec();
        let Self { resource, namespace, name, .. } = self;
        for part in [&*resource.group, &*resource.resource, namespace, name] {
            bytes.extend_from_slice(&part.len().to_le_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        Aad::from(bytes)
    }
}

/// The key that a body is sealed with; `None` when it is not sealed.
pub(in crate::log::sqlite) fn key_of(body: &[u8]) -> Option<KeyId> {
    let (&SEALED, rest) = body.split_first()? else { return None };
    rest.first_chunk().copied().map(KeyId)
}

/// How every body starts that is sealed with this key.
pub(super) fn prefix(id: KeyId) -> Vec<u8> {
    [&[SEALED], &id.0[..]].concat()
}

#[cfg(test)]
mod tests {
    use core_clock::SeededEntropy;
    use proptest::prelude::*;

    use super::*;

    fn secrets() -> GroupResource {
        GroupResource::new("", "secrets")
    }

    fn entropy() -> Arc<dyn Entropy> {
        Arc::new(SeededEntropy::new(1))
    }

    fn line(byte: u8) -> String {
        STANDARD.encode([byte; KEY_BYTES])
    }

    fn ring(lines: &[u8]) -> Keyring {
        let text: Vec<String> = lines.iter().map(|byte| line(*byte)).collect();
        Keyring::parse(&text.join("\n"), [secrets()], entropy()).unwrap()
    }

    fn place<'a>(resource: &'a GroupResource, name: &'a str, rev: i64) -> Place<'a> {
        Place { resource, namespace: "ns", name, rev }
    }

    #[test]
    fn the_first_key_seals_and_every_key_opens() {
        let secrets = secrets();
        let at = place(&secrets, "a", 7);
        let old = ring(&[1]).seal(at, b"{\"v\":1}").unwrap();
        let both = ring(&[2, 1]);
        assert_eq!(both.open(at, &old).unwrap(), b"{\"v\":1}");
        let new = both.seal(at, b"{}").unwrap();
        assert_eq!((key_of(&new), key_of(&old)), (Some(both.first()), Some(ring(&[1]).first())));
        assert!(ring(&[1]).open(at, &new).is_none());
        assert!(both.has(key_of(&old).unwrap()) && key_of(b"{}").is_none());
    }

    #[test]
    fn a_body_opens_only_where_it_was_put() {
        let (secrets, maps) = (secrets(), GroupResource::new("", "configmaps"));
        let ring = ring(&[1]);
        let sealed = ring.seal(place(&secrets, "a", 7), b"{}").unwrap();
        for other in [place(&secrets, "b", 7), place(&secrets, "a", 8), place(&maps, "a", 7)] {
            assert!(ring.open(other, &sealed).is_none());
        }
    }

    #[test]
    fn the_same_body_is_never_sealed_alike() {
        let (secrets, ring) = (secrets(), ring(&[1]));
        let at = place(&secrets, "a", 7);
        assert_ne!(ring.seal(at, b"{}"), ring.seal(at, b"{}"));
    }

    #[test]
    fn a_text_without_sound_keys_is_refused() {
        let parse = |text: &str| Keyring::parse(text, [secrets()], entropy()).map(drop);
        assert_eq!(parse("\n# none\n"), Err(KeyError::Count));
        assert_eq!(parse("c2hvcnQ="), Err(KeyError::Malformed(1)));
        assert_eq!(parse(&format!("# old\n{}\n{}", line(1), line(1))), Err(KeyError::Repeated(3)));
        let many: Vec<String> = (0..=64).map(line).collect();
        assert_eq!(parse(&many.join("\n")), Err(KeyError::Count));
    }

    proptest! {
        #[test]
        fn what_was_changed_does_not_open(
            body in proptest::collection::vec(any::<u8>(), 0..200),
            at in any::<prop::sample::Index>(),
            flip in 1u8..,
        ) {
            let (secrets, ring) = (secrets(), ring(&[1]));
            let place = place(&secrets, "a", 7);
            let mut sealed = ring.seal(place, &body).unwrap();
            prop_assert_eq!(ring.open(place, &sealed), Some(body));
            let at = at.index(sealed.len());
            sealed[at] ^= flip;
            prop_assert_eq!(ring.open(place, &sealed), None);
        }

        #[test]
        fn any_bytes_and_any_text_are_taken_without_a_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..80),
            text in "\\PC{0,200}",
        ) {
            let secrets = secrets();
            let sealed = [&prefix(ring(&[1]).first()), &bytes[..]].concat();
            prop_assert!(ring(&[1]).open(place(&secrets, "a", 1), &sealed).is_none());
            let _ = Keyring::parse(&text, [secrets], entropy());
        }
    }
}
