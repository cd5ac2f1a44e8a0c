//! What operators want everybody to know. Each is a ConfigMap with a label, in the namespace of system resources, which
//! only operators may write.
//!
//! The message is all that is needed. What else cannot be read does not count: an operator with a slip of the pen is
//! heard all the same.

use std::{collections::BTreeMap, str::FromStr};

use api_rest::body::{Announcement, AnnouncementsResponse, Severity};
use core_clock::Time;
use k8s_openapi::api::core::v1::ConfigMap;

use crate::link::is_web_address;

/// The announcements that hold now, the most severe first, then by name.
pub fn announcements<'a>(
    config_maps: impl IntoIterator<Item = &'a ConfigMap>,
    now: Time,
) -> AnnouncementsResponse {
    let mut items: Vec<Announcement> =
        config_maps.into_iter().filter_map(|config_map| announcement(config_map, now)).collect();
    items.sort_by(|a, b| (a.severity, &a.name).cmp(&(b.severity, &b.name)));
    AnnouncementsResponse { items }
}

/// What a ConfigMap says; `None` when that is nothing, not yet or no more.
fn announcement(config_map: &ConfigMap, now: Time) -> Option<Announcement> {
    let data = config_map.data.as_ref()?;
    let message = text(data, "message")?;
    let time = |key| text(data, key).and_then(|text| Time::from_str(text).ok());
    let (from, until) = (time("from"), time("until"));
    let is_now = from.is_none_or(|from| from <= now) && until.is_none_or(|until| now < until);
    is_now.then(|| Announcement {
        name: config_map.metadata.name.clone().unwrap_or_default(),
        severity: severity(text(data, "severity").unwrap_or_default()),
        message: message.to_owned(),
        link: text(data, "link").filter(|link| is_web_address(link)).map(str::to_owned),
        from: from.map(|time| time.to_string()),
        until: until.map(|time| time.to_string()),
    })
}

fn text<'a>(data: &'a BTreeMap<String, String>, key: &str) -> Option<&'a str> {
    data.get(key).map(|text| text.trim()).filter(|text| !text.is_empty())
}

fn severity(text: &str) -> Severity {
    match text.to_ascii_lowercase().as_str() {
        "critical" => Severity::Critical,
        "warning" => Severity::Warning,
        _ => Severity::Info,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn told(data: &[(&str, Value)]) -> Vec<Announcement> {
        let config_maps: Vec<ConfigMap> = data
            .iter()
            .map(|(name, data)| {
                serde_json::from_value(json!({"metadata": {"name": name}, "data": data})).unwrap()
            })
            .collect();
        announcements(&config_maps, "2026-01-02T03:04:05Z".parse().unwrap()).items
    }

    fn names(data: &[(&str, Value)]) -> Vec<String> {
        told(data).into_iter().map(|one| one.name).collect()
    }

    #[test]
    fn the_most_severe_comes_first_then_names_count() {
        let all = [
            ("c", json!({"message": "m"})),
            ("b", json!({"message": "m", "severity": "warning"})),
            ("d", json!({"message": "m", "severity": "Critical"})),
            ("a", json!({"message": "m", "severity": "loud"})),
        ];
        assert_eq!(names(&all), ["d", "b", "a", "c"]);
    }

    #[test]
    fn nothing_is_told_before_or_after_its_time() {
        let all = [
            ("early", json!({"message": "m", "from": "2026-01-02T03:04:06Z"})),
            ("now", json!({"message": "m", "from": "2026-01-02T03:04:05Z"})),
            ("over", json!({"message": "m", "until": "2026-01-02T03:04:05Z"})),
            ("still", json!({"message": "m", "until": "2026-01-02T05:04:06+02:00"})),
            ("unread", json!({"message": "m", "from": "tomorrow", "until": ""})),
            ("silent", json!({"message": " "})),
            ("empty", Value::Null),
        ];
        assert_eq!(names(&all), ["now", "still", "unread"]);
    }

    #[test]
    fn only_addresses_of_the_web_are_links() {
        let with = |link: &str| told(&[("a", json!({"message": "m", "link": link}))]);
        assert_eq!(
            with(" https://status.example.com ")[0].link.as_deref(),
            Some("https://status.example.com")
        );
        assert_eq!(with("javascript:alert(1)")[0].link, None);
    }
}
