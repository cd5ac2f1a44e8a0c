//! Kinds of `events.k8s.io`.

use super::{
    Kind::{Int, Message, MicroTime, Text, Time},
    Table, core, filled, kept, meta, object,
};

/// The kinds that are read.
pub(super) static KINDS: &[(&str, &Table)] = &[("Event", &EVENT)];

static EVENT_SERIES: Table =
    object(&[kept(1, "count", Int), kept(2, "lastObservedTime", MicroTime)]);

static EVENT: Table = object(&[
    kept(1, "metadata", Message(&meta::OBJECT_META)),
    kept(2, "eventTime", MicroTime),
    kept(3, "series", Message(&EVENT_SERIES)),
    filled(4, "reportingController", Text),
    filled(5, "reportingInstance", Text),
    filled(6, "action", Text),
    filled(7, "reason", Text),
    filled(8, "regarding", Message(&core::OBJECT_REFERENCE)),
    kept(9, "related", Message(&core::OBJECT_REFERENCE)),
    filled(10, "note", Text),
    filled(11, "type", Text),
    filled(12, "deprecatedSource", Message(&core::EVENT_SOURCE)),
    filled(13, "deprecatedFirstTimestamp", Time),
    filled(14, "deprecatedLastTimestamp", Time),
    filled(15, "deprecatedCount", Int),
]);
