//! Kinds of `coordination.k8s.io`.

use super::{
    Kind::{Int, Message, MicroTime, Text},
    Table, filled, kept, meta, object,
};

/// The kinds that are read.
pub(super) static KINDS: &[(&str, &Table)] = &[("Lease", &LEASE)];

static LEASE_SPEC: Table = object(&[
    kept(1, "holderIdentity", Text),
    kept(2, "leaseDurationSeconds", Int),
    kept(3, "acquireTime", MicroTime),
    kept(4, "renewTime", MicroTime),
    kept(5, "leaseTransitions", Int),
    kept(6, "strategy", Text),
    kept(7, "preferredHolder", Text),
]);

static LEASE: Table = object(&[
    filled(1, "metadata", Message(&meta::OBJECT_META)),
    filled(2, "spec", Message(&LEASE_SPEC)),
]);
