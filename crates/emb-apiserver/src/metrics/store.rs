//! What the store says about itself.

use emb_store::{Store, Writes};

use super::text::{heading, sample, single};

pub(super) fn print(store: &Store, out: &mut String) {
    let figures = store.figures();
    let health = store.health();
    let objects = "apiserver_storage_objects";
    heading(out, objects, "gauge", "Stored objects by resource.");
    for resource in figures.resources.iter().filter(|resource| resource.objects > 0) {
        let labels = format!("resource=\"{}\"", resource.resource);
        sample(out, objects, &labels, resource.objects);
    }
    let objects = "apiserver_resource_objects";
    heading(out, objects, "gauge", "Stored objects by group and resource.");
    for resource in figures.resources.iter().filter(|resource| resource.objects > 0) {
        let name = &resource.resource;
        let labels = format!("group=\"{}\",resource=\"{}\"", name.group, name.resource);
        sample(out, objects, &labels, resource.objects);
    }
    let gauges: [(&str, &str, u64); 8] = [
        (
            "apiserver_storage_writable",
            "Whether the store takes writes.",
            u64::from(health.writes == Writes::Accepted),
        ),
        (
            "apiserver_storage_quarantined_objects",
            "Damaged rows that were set aside.",
            health.quarantined as u64,
        ),
        ("apiserver_storage_revision", "The last revision.", store.revision()),
        ("apiserver_storage_compacted_revision", "History up to here is gone.", store.compacted()),
        ("apiserver_storage_size_bytes", "The size of the database file.", figures.log.database),
        (
            "apiserver_storage_write_ahead_bytes",
            "The size of the write-ahead log.",
            figures.log.write_ahead,
        ),
        (
            "apiserver_storage_ring_bytes",
            "Memory that recent events hold.",
            figures.ring_bytes as u64,
        ),
        (
            "apiserver_storage_watchers",
            "Open watches.",
            figures.resources.iter().map(|resource| resource.watchers as u64).sum(),
        ),
    ];
    for (name, help, number) in gauges {
        single(out, name, "gauge", help, number);
    }
    print_watchers(&figures.resources, out);
}

/// How far watchers are behind, and how far back they can go without a look at the disk.
fn print_watchers(resources: &[emb_store::ResourceFigures], out: &mut String) {
    let watched = || resources.iter().filter(|resource| resource.watchers > 0);
    let (floor, lag) = ("apiserver_storage_ring_floor", "apiserver_storage_watcher_lag_events");
    heading(out, floor, "gauge", "Events above this revision are in memory.");
    for resource in watched() {
        let labels = format!("resource=\"{}\"", resource.resource);
        sample(out, floor, &labels, resource.history_floor);
    }
    heading(out, lag, "gauge", "Events that the slowest watcher has yet to take.");
    for resource in watched() {
        let labels = format!("resource=\"{}\"", resource.resource);
        sample(out, lag, &labels, resource.most_behind);
    }
}
