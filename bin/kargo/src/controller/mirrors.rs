//! What the mirrors of repositories take and give, as metrics.

use std::collections::BTreeMap;

use core_clock::Time;
use io_git::{MirrorUsage, Usage};
use io_kube::{Family, FamilyKind, Sample};

/// One repository: mirrors for different log-ins are told together.
#[derive(Default)]
struct Repository {
    bytes: u64,
    fetches: u64,
    hits: u64,
    rebuilds: u64,
    last_fetch: Option<Time>,
}

/// A figure of each repository, where it is known.
struct Figure {
    name: &'static str,
    help: &'static str,
    kind: FamilyKind,
    value: fn(&Repository) -> Option<f64>,
}

const FIGURES: [Figure; 5] = [
    Figure {
        name: "kargo_git_mirror_bytes",
        help: "What the mirror of a repository takes.",
        kind: FamilyKind::Gauge,
        value: |repository| Some(float(repository.bytes)),
    },
    Figure {
        name: "kargo_git_mirror_fetches_total",
        help: "How often something was fetched into a mirror.",
        kind: FamilyKind::Counter,
        value: |repository| Some(float(repository.fetches)),
    },
    Figure {
        name: "kargo_git_mirror_hits_total",
        help: "How often a mirror had everything already.",
        kind: FamilyKind::Counter,
        value: |repository| Some(float(repository.hits)),
    },
    Figure {
        name: "kargo_git_mirror_rebuilds_total",
        help: "How often a mirror was damaged and built again.",
        kind: FamilyKind::Counter,
        value: |repository| Some(float(repository.rebuilds)),
    },
    Figure {
        name: "kargo_git_mirror_last_fetch_timestamp_seconds",
        help: "When something was last fetched into a mirror.",
        kind: FamilyKind::Gauge,
        value: |repository| repository.last_fetch.map(seconds),
    },
];

pub(super) fn families(usage: &Usage) -> Vec<Family> {
    let mut repositories: BTreeMap<&str, Repository> = BTreeMap::new();
    for mirror in &usage.mirrors {
        repositories.entry(&mirror.address).or_default().add(mirror);
    }
    let figures = FIGURES.iter().map(|figure| figure.family(&repositories));
    figures.chain(totals(usage)).collect()
}

fn totals(usage: &Usage) -> [Family; 3] {
    let total = |name, help, kind, value: u64| {
        let samples = vec![Sample { suffix: "", labels: Vec::new(), value: float(value) }];
        Family { name, help, kind, samples }
    };
    let gauge = FamilyKind::Gauge;
    [
        total("kargo_git_store_bytes", "What all mirrors take.", gauge, usage.bytes),
        total("kargo_git_store_quota_bytes", "What they may take.", gauge, usage.quota_bytes),
        total(
            "kargo_git_store_evictions_total",
            "How many mirrors were removed to make room.",
            FamilyKind::Counter,
            usage.evictions,
        ),
    ]
}

impl Figure {
    fn family(&self, repositories: &BTreeMap<&str, Repository>) -> Family {
        let samples = repositories.iter().filter_map(|(address, repository)| {
            let labels = vec![("repository", (*address).to_owned())];
            Some(Sample { suffix: "", labels, value: (self.value)(repository)? })
        });
        Family { name: self.name, help: self.help, kind: self.kind, samples: samples.collect() }
    }
}

impl Repository {
    fn add(&mut self, mirror: &MirrorUsage) {
        self.bytes += mirror.bytes;
        self.fetches += mirror.fetches;
        self.hits += mirror.hits;
        self.rebuilds += mirror.rebuilds;
        self.last_fetch = self.last_fetch.max(mirror.last_fetch);
    }
}

#[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
fn float(count: u64) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "Prometheus numbers are floats")]
fn seconds(time: Time) -> f64 {
    time.as_seconds() as f64
}

#[cfg(test)]
mod tests {
    use io_kube::prometheus_text;

    use super::*;

    #[test]
    fn mirrors_of_one_repository_are_told_together() {
        let mirror = |address: &str, bytes, last_fetch| MirrorUsage {
            address: address.to_owned(),
            bytes,
            fetches: 1,
            hits: 2,
            rebuilds: 0,
            last_fetch,
            last_used: Time::from_seconds(0),
            activity: None,
        };
        let at = Time::from_seconds(1_700_000_000);
        let usage = Usage {
            mirrors: vec![
                mirror("https://a.b/c", 10, None),
                mirror("https://a.b/c", 5, Some(at)),
                mirror("https://a.b/d", 1, None),
            ],
            bytes: 16,
            quota_bytes: 100,
            evictions: 3,
        };
        insta::assert_snapshot!(prometheus_text(families(&usage)), @r#"
        # HELP kargo_git_mirror_bytes What the mirror of a repository takes.
        # TYPE kargo_git_mirror_bytes gauge
        kargo_git_mirror_bytes{repository="https://a.b/c"} 15
        kargo_git_mirror_bytes{repository="https://a.b/d"} 1
        # HELP kargo_git_mirror_fetches_total How often something was fetched into a mirror.
        # TYPE kargo_git_mirror_fetches_total counter
        kargo_git_mirror_fetches_total{repository="https://a.b/c"} 2
        kargo_git_mirror_fetches_total{repository="https://a.b/d"} 1
        # HELP kargo_git_mirror_hits_total How often a mirror had everything already.
        # TYPE kargo_git_mirror_hits_total counter
        kargo_git_mirror_hits_total{repository="https://a.b/c"} 4
        kargo_git_mirror_hits_total{repository="https://a.b/d"} 2
        # HELP kargo_git_mirror_last_fetch_timestamp_seconds When something was last fetched into a mirror.
        # TYPE kargo_git_mirror_last_fetch_timestamp_seconds gauge
        kargo_git_mirror_last_fetch_timestamp_seconds{repository="https://a.b/c"} 1700000000
        # HELP kargo_git_mirror_rebuilds_total How often a mirror was damaged and built again.
        # TYPE kargo_git_mirror_rebuilds_total counter
        kargo_git_mirror_rebuilds_total{repository="https://a.b/c"} 0
        kargo_git_mirror_rebuilds_total{repository="https://a.b/d"} 0
        # HELP kargo_git_store_bytes What all mirrors take.
        # TYPE kargo_git_store_bytes gauge
        kargo_git_store_bytes 16
        # HELP kargo_git_store_evictions_total How many mirrors were removed to make room.
        # TYPE kargo_git_store_evictions_total counter
        kargo_git_store_evictions_total 3
        # HELP kargo_git_store_quota_bytes What they may take.
        # TYPE kargo_git_store_quota_bytes gauge
        kargo_git_store_quota_bytes 100
        "#);
    }
}
