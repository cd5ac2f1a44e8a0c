//! Bounds on what the server takes on at a time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use emb_meta::Status;

/// The bounds; the defaults suit a laptop and a small team.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Largest request body.
    pub body_bytes: usize,
    /// Longest path and query.
    pub uri_bytes: usize,
    /// How long a request other than a watch may take.
    pub request_timeout: Duration,
    /// Reads in flight from the network.
    pub network_reads: usize,
    /// Writes in flight from the network.
    pub network_writes: usize,
    /// Reads in flight from components in this process: apart, so that network users cannot starve them.
    pub internal_reads: usize,
    /// Writes in flight from components in this process.
    pub internal_writes: usize,
    /// How long events are kept after their last write.
    pub event_ttl: Duration,
    /// Events kept in a namespace; the oldest go first.
    pub events_per_namespace: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 3 * 1024 * 1024,
            uri_bytes: 16 * 1024,
            request_timeout: Duration::from_mins(1),
            network_reads: 400,
            network_writes: 200,
            internal_reads: 4000,
            internal_writes: 4000,
            event_ttl: Duration::from_hours(1),
            events_per_namespace: 10_000,
        }
    }
}

/// Counts the requests in flight.
#[derive(Default)]
pub(crate) struct InFlight {
    network_reads: Arc<AtomicUsize>,
    network_writes: Arc<AtomicUsize>,
    internal_reads: Arc<AtomicUsize>,
    internal_writes: Arc<AtomicUsize>,
}

/// A place among the requests in flight, given back on drop.
pub(crate) struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl InFlight {
    /// How many reads and how many writes are under way.
    pub(crate) fn counts(&self) -> [usize; 2] {
        let pairs = [
            [&self.network_reads, &self.internal_reads],
            [&self.network_writes, &self.internal_writes],
        ];
        pairs.map(|pair| pair.iter().map(|count| count.load(Ordering::Acquire)).sum())
    }

    /// Takes a place, or says 429.
    pub(crate) fn enter(
        &self,
        limits: &Limits,
        in_process: bool,
        mutating: bool,
    ) -> Result<Place, Status> {
        let (count, limit) = match (in_process, mutating) {
            (false, false) => (&self.network_reads, limits.network_reads),
            (false, true) => (&self.network_writes, limits.network_writes),
            (true, false) => (&self.internal_reads, limits.internal_reads),
            (true, true) => (&self.internal_writes, limits.internal_writes),
        };
        let place = Place(count.clone());
        if count.fetch_add(1, Ordering::AcqRel) >= limit {
            return Err(Status::too_many_requests("Too many requests, please try again later."));
        }
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_holds_and_places_come_back() {
        let limits = Limits { network_reads: 1, ..Limits::default() };
        let in_flight = InFlight::default();
        let first = in_flight.enter(&limits, false, false).unwrap();
        assert_eq!(
            in_flight.enter(&limits, false, false).err().map(|status| status.code),
            Some(429)
        );
        assert!(in_flight.enter(&limits, true, false).is_ok());
        drop(first);
        assert!(in_flight.enter(&limits, false, false).is_ok());
    }
}
