//! Promotion windows that can never be active, or apply to nothing.

use api_kinds::window::PromotionWindow;

use super::selector::warn_policy;

/// Which configuration holds the windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Project,
    Cluster,
}

/// What is wrong with windows. Upstream ignores them all, so nothing is refused.
pub(super) fn warn(windows: &[PromotionWindow], place: Place) -> Vec<String> {
    windows.iter().enumerate().flat_map(|(index, window)| warn_one(window, index, place)).collect()
}

fn warn_one(window: &PromotionWindow, index: usize, place: Place) -> Vec<String> {
    let path = format!("spec.promotionWindows[{index}]");
    let mut warnings = Vec::new();
    if window.dtstart.is_empty() || window.dtend.is_empty() {
        warnings.push(format!("{path}: both dtstart and dtend are needed; it is never active"));
    }
    if let Some(selector) = &window.stage_selector {
        warnings.extend(warn_policy(selector, &format!("{path}.stageSelector")));
    }
    match (&window.project_selector, place) {
        (Some(_), Place::Project) => {
            warnings
                .push(format!("{path}.projectSelector: has a meaning in the ClusterConfig only"));
        }
        (Some(selector), Place::Cluster) => {
            warnings.extend(warn_policy(selector, &format!("{path}.projectSelector")));
        }
        (None, _) => {}
    }
    warnings
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Place, warn};

    #[test]
    fn windows_that_cannot_work_are_named() {
        let windows: Vec<_> = serde_json::from_value(json!([
            {"name": "good", "kind": "Allow", "dtstart": "20260102T030405Z", "dtend": "20260102T040405Z"},
            {"name": "endless", "kind": "Deny", "dtstart": "20260102T030405Z"},
            {"name": "bad", "kind": "Deny", "dtstart": "20260102T030405Z", "dtend": "20260102T040405Z",
             "stageSelector": {"name": "glob:["}, "projectSelector": {"name": "regex:("}},
        ]))
        .unwrap();
        assert_eq!(warn(&windows, Place::Cluster).len(), 3);
        assert!(warn(&windows, Place::Project)[2].contains("ClusterConfig only"));
    }
}
