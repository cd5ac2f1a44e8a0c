//! Promotion windows: when Promotions may start.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{omit::is_zero, pattern, selector::PromotionPolicySelector, string_enum::string_enum};

/// A span of time, once or recurring, in which Promotions are allowed or denied.
///
/// Promotions may start when no matching Deny window is active and, if any Allow window matches,
/// at least one of those is active.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionWindow {
    /// End of the first occurrence, as an iCalendar date-time such as `20260102T170000Z`; a
    /// `TZID=Europe/Berlin:` prefix names the time zone.
    #[serde(skip_serializing_if = "is_zero")]
    pub dtend: String,
    /// Start of the first occurrence, in the same form as dtend.
    #[serde(skip_serializing_if = "is_zero")]
    pub dtstart: String,
    /// Whether the window allows or denies Promotions while it is active.
    pub kind: PromotionWindowKind,
    /// Name of the window, unique within the list. Shown when a Promotion is turned away.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::NAME))]
    pub name: String,
    /// The Projects the window applies to; all of them when absent. Only meaningful in the
    /// ClusterConfig.
    #[serde(skip_serializing_if = "is_zero")]
    pub project_selector: Option<PromotionPolicySelector>,
    /// How the window recurs, as an iCalendar recurrence rule such as
    /// `FREQ=WEEKLY;BYDAY=MO,TU`. Absent means once.
    #[serde(skip_serializing_if = "is_zero")]
    pub rrule: String,
    /// The Stages the window applies to; all of them when absent.
    #[serde(skip_serializing_if = "is_zero")]
    pub stage_selector: Option<PromotionPolicySelector>,
}

string_enum! {
    /// Effect of a promotion window while it is active.
    listed PromotionWindowKind {
        /// Promotions may start.
        Allow = "Allow",
        /// Promotions may not start.
        Deny = "Deny",
    }
}

/// What the promotion windows mean for a Stage right now. For information only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionWindowStatus {
    /// Whether new Promotions are being turned away.
    pub closed: bool,
    /// When Promotions will next be turned away. Only given while open.
    #[serde(skip_serializing_if = "is_zero")]
    pub next_close: Option<Time>,
    /// Why Promotions will be turned away then.
    #[serde(skip_serializing_if = "is_zero")]
    pub next_close_reason: String,
    /// When Promotions will next be allowed, if that is known.
    #[serde(skip_serializing_if = "is_zero")]
    pub next_open: Option<Time>,
    /// Why Promotions are being turned away, naming the window.
    #[serde(skip_serializing_if = "is_zero")]
    pub reason: String,
}
