//! Tokens of cloud services, kept until shortly before they expire.
//!
//! Kept in memory only. The key is a digest of what the token depends on, so that no secret stands
//! in a key. Failures are not kept.

use std::{collections::BTreeMap, fmt, future::Future, sync::Arc, time::Duration};

use core_clock::Time;
use io_kube::Ports;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use crate::{
    flight::{Flights, Lost},
    provider::ProviderError,
};

/// A token is given up this long before it expires, so that what starts with it can end with it.
const MARGIN: Duration = Duration::from_mins(5);
/// More than one token per Project and repository of a large installation.
const MAX_KEPT: usize = 10_000;

/// What a token depends on, as a digest.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key([u8; 32]);

impl Key {
    /// A key from the name of the provider and everything that decides the token.
    pub(crate) fn of(provider: &str, parts: &[&str]) -> Self {
        let mut digest = Sha256::new();
        for part in std::iter::once(&provider).chain(parts) {
            // With the length, `a` + `bc` and `ab` + `c` differ.
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part.as_bytes());
        }
        Self(digest.finalize().into())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// What a load brought, and how long it may be kept.
#[derive(Clone, Debug)]
pub(crate) struct Loaded<T> {
    pub(crate) value: T,
    pub(crate) keep: Keep,
}

/// How long something may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Not at all.
    No,
    /// As long as the provider says by default, because the service says nothing.
    Default,
    /// Until [`MARGIN`] before this.
    Until(Time),
    /// As [`Keep::Until`], but no longer than this from now.
    UntilAtMost(Time, Duration),
    /// For this long.
    For(Duration),
}

impl Keep {
    /// From now on; `None` when not at all.
    fn duration(self, now: Time, default: Duration) -> Option<Duration> {
        let left = |expiry: Time| expiry.since(now).saturating_sub(MARGIN);
        let duration = match self {
            Self::No => Duration::ZERO,
            Self::Default => default,
            Self::Until(expiry) => left(expiry),
            Self::UntilAtMost(expiry, limit) => left(expiry).min(limit),
            Self::For(duration) => duration,
        };
        Some(duration).filter(|duration| !duration.is_zero())
    }
}

/// How a provider's tokens are loaded and kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// For [`Keep::Default`].
    pub(crate) ttl: Duration,
    /// How long one load may take.
    pub(crate) load_timeout: Duration,
}

/// Values of one sort, loaded when they are first asked for and when they have expired.
pub(crate) struct Tokens<T> {
    kept: Arc<Shelf<T>>,
    flights: Flights<Key, Result<T, ProviderError>>,
    ports: Ports,
    terms: Terms,
}

/// Values with the time they are given up at, on the monotonic clock.
type Shelf<T> = Mutex<BTreeMap<Key, (T, Duration)>>;

impl<T: Clone + Send + Sync + 'static> Tokens<T> {
    pub(crate) fn new(terms: Terms, ports: &Ports) -> Self {
        Self { kept: Arc::default(), flights: Flights::new(ports), ports: ports.clone(), terms }
    }

    /// The value under `key`. Of many who ask for a missing one, the first loads it for all.
    ///
    /// Cancel safety: a load goes on when its caller gives up.
    pub(crate) async fn get<F>(
        &self,
        key: &Key,
        load: impl FnOnce() -> F,
    ) -> Result<T, ProviderError>
    where
        F: Future<Output = Result<Loaded<T>, ProviderError>> + Send + 'static,
    {
        if let Some(value) = current(&self.kept.lock(), key, self.ports.clock.monotonic()) {
            return Ok(value);
        }
        let landed = self.flights.join(key, self.terms.load_timeout, || self.load(key, load()));
        landed.await.unwrap_or_else(|lost: Lost| Err(lost.into()))
    }

    /// Gives up the value under `key`, if it is the one that is meant.
    pub(crate) fn forget(&self, key: &Key, is_meant: impl FnOnce(&T) -> bool) {
        let mut kept = self.kept.lock();
        if kept.get(key).is_some_and(|(value, _)| is_meant(value)) {
            kept.remove(key);
        }
    }

    /// Loads and keeps, in this order and before anybody else can start the same load.
    fn load(
        &self,
        key: &Key,
        load: impl Future<Output = Result<Loaded<T>, ProviderError>> + Send + 'static,
    ) -> impl Future<Output = Result<T, ProviderError>> + Send + 'static {
        let (kept, key, terms) = (self.kept.clone(), key.clone(), self.terms);
        let clock = self.ports.clock.clone();
        async move {
            if let Some(value) = current(&kept.lock(), &key, clock.monotonic()) {
                // It arrived between the caller's look and its start.
                return Ok(value);
            }
            let loaded = load.await?;
            if let Some(duration) = loaded.keep.duration(clock.now(), terms.ttl) {
                let now = clock.monotonic();
                keep(&mut kept.lock(), key, (loaded.value.clone(), now + duration), now);
            }
            Ok(loaded.value)
        }
    }
}

fn current<T: Clone>(kept: &BTreeMap<Key, (T, Duration)>, key: &Key, now: Duration) -> Option<T> {
    kept.get(key).filter(|(_, until)| now < *until).map(|(value, _)| value.clone())
}

/// Adds a value, and makes room for it: what has expired goes, and else what expires first.
fn keep<T>(kept: &mut BTreeMap<Key, (T, Duration)>, key: Key, value: (T, Duration), now: Duration) {
    kept.retain(|_, (_, until)| now < *until);
    if kept.len() >= MAX_KEPT
        && let Some(first) = kept.iter().min_by_key(|(_, (_, until))| *until)
    {
        let first = first.0.clone();
        kept.remove(&first);
    }
    kept.insert(key, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    #[test]
    fn a_token_is_kept_until_the_margin_before_its_expiry() {
        let now = Time::from_seconds(1_000_000);
        let minutes = Duration::from_mins;
        let table = [
            (Keep::No, None),
            (Keep::Default, Some(HOUR)),
            (Keep::Until(now + HOUR), Some(minutes(55))),
            (Keep::Until(now + minutes(5)), None),
            (Keep::Until(now + minutes(4)), None),
            (Keep::Until(now - minutes(1)), None),
            (Keep::UntilAtMost(now + HOUR, minutes(7)), Some(minutes(7))),
            (Keep::UntilAtMost(now + minutes(6), minutes(7)), Some(minutes(1))),
            (Keep::UntilAtMost(now, minutes(7)), None),
            (Keep::For(minutes(3)), Some(minutes(3))),
        ];
        for (keep, expected) in table {
            assert_eq!(keep.duration(now, HOUR), expected, "{keep:?}");
        }
    }

    #[test]
    fn keys_differ_by_provider_and_by_where_their_parts_end_and_show_nothing() {
        assert_eq!(Key::of("a", &["b", "c"]), Key::of("a", &["b", "c"]));
        assert_ne!(Key::of("a", &["b", "c"]), Key::of("a", &["bc"]));
        assert_ne!(Key::of("a", &["b", "c"]), Key::of("a", &["bc", ""]));
        assert_ne!(Key::of("a", &["b"]), Key::of("b", &["b"]));
        assert_eq!(format!("{:?}", Key::of("a", &["hunter2"])), "Key");
    }

    #[test]
    fn what_expires_first_makes_room_when_all_places_are_taken() {
        let mut kept = BTreeMap::new();
        for number in 0..MAX_KEPT as u64 {
            let until = Duration::from_secs(10_000 + number);
            keep(&mut kept, Key::of("k", &[&number.to_string()]), (number, until), Duration::ZERO);
        }
        keep(&mut kept, Key::of("k", &["new"]), (0, Duration::from_mins(1)), Duration::ZERO);
        assert_eq!(kept.len(), MAX_KEPT);
        assert!(!kept.contains_key(&Key::of("k", &["0"])));
        assert!(kept.contains_key(&Key::of("k", &["1"])));
        keep(
            &mut kept,
            Key::of("k", &["last"]),
            (0, Duration::from_hours(9)),
            Duration::from_hours(6),
        );
        assert_eq!(kept.len(), 1, "what has expired is gone");
    }
}
