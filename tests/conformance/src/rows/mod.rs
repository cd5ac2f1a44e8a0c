//! The table: every row of the specification's conformance plan (E22), by number.

mod http;

use std::pin::Pin;

use anyhow::Result;

use crate::world::World;

/// A check: passes, fails, or says by [`crate::runner::Skip`] that it cannot run here.
pub(crate) type Run =
    for<'a> fn(&'a World<'a>) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;

/// One row.
pub(crate) struct Row {
    pub(crate) number: u16,
    pub(crate) title: &'static str,
    /// The rank of the need that it covers.
    pub(crate) rank: u8,
    pub(crate) check: Check,
}

/// What stands behind a row.
#[derive(Clone, Copy)]
pub(crate) enum Check {
    Runs(Pace, Run),
    /// A need of a later rank, with what is missing.
    Later(&'static str),
    /// Another test covers it, with where.
    Elsewhere(&'static str),
}

/// How a row runs beside the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// A few at once.
    Quick,
    /// Waits for time to pass: all such rows start at once.
    Slow,
    /// Disturbs others: runs by itself at the end.
    Alone,
}

impl Row {
    pub(crate) fn pace(&self) -> Pace {
        match self.check {
            Check::Runs(pace, _) => pace,
            Check::Later(_) | Check::Elsewhere(_) => Pace::Quick,
        }
    }
}

const fn row(number: u16, title: &'static str, rank: u8, check: Check) -> Row {
    Row { number, title, rank, check }
}

macro_rules! runs {
    ($check:path) => {
        Check::Runs(Pace::Quick, |world| Box::pin($check(world)))
    };
}

#[expect(unused_macros, reason = "placeholder")]
macro_rules! slow {
    ($check:path) => {
        Check::Runs(Pace::Slow, |world| Box::pin($check(world)))
    };
}

const LATER_APPLY: Check = Check::Later("server-side apply and managedFields");

/// Every row of the plan.
#[rustfmt::skip]
pub(crate) static ROWS: &[Row] = &[
    row(1, "GET /version anonymous", 7, runs!(http::version)),
    row(2, "GET /readyz, /livez, /healthz anonymous; ?verbose", 7, runs!(http::health)),
    row(3, "HEAD /livez/ping", 7, runs!(http::head_livez_ping)),
    row(4, "GET /api anonymous", 7, runs!(http::discovery_as_anonymous)),
    row(5, "GET /apis aggregated; If-None-Match", 7, runs!(http::aggregated_discovery)),
    row(6, "aggregated discovery of Widget", 7, runs!(http::aggregated_widget)),
    row(7, "GET /apis legacy; /apis/g; /apis/g/v", 7, runs!(http::legacy_discovery)),
    row(8, "/openapi/v3 root and group", 9, runs!(http::open_api)),
    row(9, "unknown group, plural, path", 7, runs!(http::unknown_paths)),
    row(10, "unknown core plural", 7, runs!(http::unknown_core_plural)),
    row(11, "trailing slash, encoded colon in name", 7, runs!(http::path_forms)),
    row(64, "apply create / same / change", 13, LATER_APPLY),
    row(65, "apply without fieldManager", 13, LATER_APPLY),
    row(66, "apply conflict; force", 13, LATER_APPLY),
    row(67, "apply map-list and set merge by two managers", 13, LATER_APPLY),
    row(68, "apply dropping a sole-owned field", 13, LATER_APPLY),
    row(69, "apply after Update manager", 13, LATER_APPLY),
    row(70, "apply status subresource; on missing object", 13, LATER_APPLY),
    row(71, "apply with managedFields, wrong RV", 13, LATER_APPLY),
    row(72, "managedFields `[{}]` reset then apply", 13, LATER_APPLY),
    row(73, "force on merge patch", 13, LATER_APPLY),
    row(121, "TokenRequest defaults, bounds, bound Secret, use, wrong audience", 15, Check::Later("TokenRequest")),
    row(124, "SelfSubjectReview, impersonation user/group/extra", 15, Check::Later("impersonation")),
    row(126, "escalation on Role and RoleBinding, bind, escalate", 18, Check::Later("escalation checks")),
    row(128, "aggregated ClusterRole follows labels", 18, Check::Later("aggregated ClusterRoles")),
    row(129, "webhooks: order, denial, failure policy, selectors", 14, Check::Later("admission webhooks over HTTP")),
    row(130, "webhook configuration validation and defaults", 14, Check::Later("admission webhooks over HTTP")),
    row(138, "kill -9 again and again", 11, Check::Elsewhere("make crash (tests/crash), which needs its own processes")),
    row(140, "10k objects: list, watch-list, memory, start", 11, Check::Elsewhere("make bench (tests/bench), which measures")),
];
