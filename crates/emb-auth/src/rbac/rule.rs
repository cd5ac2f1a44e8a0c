//! One rule of a Role, and whether it covers a request.

use serde::Deserialize;

use crate::Target;

/// A `PolicyRule` as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rule {
    /// Verbs, or `*`.
    pub verbs: Vec<String>,
    /// API groups, or `*`.
    pub api_groups: Vec<String>,
    /// Resources as `res`, `res/sub`, `*/sub` or `*`.
    pub resources: Vec<String>,
    /// Object names; empty means all.
    pub resource_names: Vec<String>,
    /// Non-resource paths; a trailing `*` matches the rest.
    #[serde(rename = "nonResourceURLs")]
    pub non_resource_urls: Vec<String>,
}

impl Rule {
    /// Whether the rule grants `verb` on `target`.
    pub fn allows(&self, verb: &str, target: &Target<'_>) -> bool {
        has_or_any(&self.verbs, verb)
            && match *target {
                Target::NonResource { path } => self.covers_path(path),
                Target::Resource { group, resource, subresource, name, .. } => {
                    has_or_any(&self.api_groups, group)
                        && self.covers_resource(resource, subresource)
                        && (self.resource_names.is_empty()
                            || self.resource_names.iter().any(|allowed| allowed == name))
                }
            }
    }

    fn covers_resource(&self, resource: &str, subresource: &str) -> bool {
        self.resources.iter().any(|entry| match entry.split_once('/') {
            _ if entry == "*" => true,
            None => subresource.is_empty() && entry == resource,
            Some((of, sub)) => {
                !subresource.is_empty() && sub == subresource && (of == "*" || of == resource)
            }
        })
    }

    fn covers_path(&self, path: &str) -> bool {
        self.non_resource_urls.iter().any(|entry| match entry.strip_suffix('*') {
            Some(prefix) => path.starts_with(prefix),
            None => entry == path,
        })
    }
}

fn has_or_any(list: &[String], wanted: &str) -> bool {
    list.iter().any(|entry| entry == "*" || entry == wanted)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule(value: serde_json::Value) -> Rule {
        serde_json::from_value(value).unwrap()
    }

    fn resource<'a>(resource: &'a str, subresource: &'a str, name: &'a str) -> Target<'a> {
        Target::Resource { group: "g", version: "v1", resource, subresource, namespace: "ns", name }
    }

    #[test]
    fn a_resource_does_not_cover_its_subresources() {
        let plain = rule(json!({"verbs": ["get"], "apiGroups": ["g"], "resources": ["widgets"]}));
        assert!(plain.allows("get", &resource("widgets", "", "x")));
        assert!(!plain.allows("get", &resource("widgets", "status", "x")));
        assert!(!plain.allows("list", &resource("widgets", "", "")));
        let statuses = rule(json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*/status"]}));
        assert!(statuses.allows("patch", &resource("widgets", "status", "x")));
        assert!(!statuses.allows("patch", &resource("widgets", "", "x")));
        let all = rule(json!({"verbs": ["*"], "apiGroups": ["g"], "resources": ["*"]}));
        assert!(all.allows("promote", &resource("widgets", "status", "x")));
    }

    #[test]
    fn resource_names_need_the_exact_name() {
        let named = rule(json!({
            "verbs": ["get", "list"], "apiGroups": ["g"], "resources": ["widgets"], "resourceNames": ["a"]
        }));
        assert!(named.allows("get", &resource("widgets", "", "a")));
        assert!(!named.allows("get", &resource("widgets", "", "b")));
        assert!(!named.allows("list", &resource("widgets", "", "")));
    }

    #[test]
    fn paths_match_exactly_or_by_prefix() {
        let paths = rule(json!({"verbs": ["get"], "nonResourceURLs": ["/healthz", "/api/*"]}));
        for (path, want) in
            [("/healthz", true), ("/healthz/x", false), ("/api/v1", true), ("/apis", false)]
        {
            assert_eq!(paths.allows("get", &Target::NonResource { path }), want, "{path}");
        }
    }
}
