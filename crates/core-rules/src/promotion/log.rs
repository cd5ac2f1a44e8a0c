//! Where what the steps told is kept after the work directory is gone.

use std::collections::BTreeMap;

use api_kinds::Promotion;

/// What tells the ConfigMap from the Promotion it belongs to.
const SUFFIX: &str = ".log";
/// The longest name of an object.
const MAX_NAME: usize = 253;
/// A ConfigMap holds a mebibyte, and others share the store.
const MAX_BYTES: usize = 512 << 10;
/// What stands where the rest would be.
const CUT: &str = "… the rest was cut: a promotion keeps 512 kB of logs\n";

/// The name of the ConfigMap with the logs of a Promotion.
pub fn log_name(promotion: &str) -> String {
    let prefix = promotion.get(..MAX_NAME - SUFFIX.len()).unwrap_or(promotion);
    format!("{}{SUFFIX}", prefix.trim_end_matches(['.', '-']))
}

/// What the ConfigMap holds, by the name of the log; `None` when no step told anything. The first steps that do
/// not fit are cut, and those after them left out.
pub fn log_data(logs: Vec<(String, String)>) -> Option<BTreeMap<String, String>> {
    let mut data = BTreeMap::new();
    let mut left = MAX_BYTES;
    for (name, mut text) in logs.into_iter().filter(|(_, text)| !text.is_empty()) {
        if left == 0 {
            break;
        }
        if text.len() > left {
            text.truncate(text.floor_char_boundary(left.saturating_sub(CUT.len())));
            text.push_str(CUT);
            left = 0;
        } else {
            left -= text.len();
        }
        data.insert(name, text);
    }
    (!data.is_empty()).then_some(data)
}

/// The log of a step among those that were kept. A step is named by its position or by its alias.
pub fn find_log<'a>(
    data: &'a BTreeMap<String, String>,
    promotion: &Promotion,
    step: &str,
) -> Option<&'a str> {
    let position = step.parse().ok().or_else(|| {
        promotion.spec.steps.iter().position(|one| !step.is_empty() && one.r#as == step)
    })?;
    let prefix = format!("{position:03}-");
    data.iter().find(|(name, _)| name.starts_with(&prefix)).map(|(_, text)| text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_log_fits_a_name() {
        assert_eq!(log_name("dev.01h.abc"), "dev.01h.abc.log");
        let long = log_name(&"a-".repeat(126));
        assert!(long.len() <= MAX_NAME && long.ends_with("a.log"), "{long}");
    }

    #[test]
    fn a_log_is_found_by_the_place_or_the_name_of_its_step() {
        let data = log_data(vec![("001-push.log".to_owned(), "pushed".to_owned())]).unwrap();
        let promotion: Promotion = serde_json::from_value(serde_json::json!({"spec": {"steps": [
            {"uses": "git-clone"}, {"uses": "git-push", "as": "push"}]}}))
        .unwrap();
        for (step, found) in
            [("1", Some("pushed")), ("push", Some("pushed")), ("0", None), ("x", None), ("", None)]
        {
            assert_eq!(find_log(&data, &promotion, step), found, "{step}");
        }
    }

    #[test]
    fn logs_are_kept_up_to_a_limit_and_none_is_none() {
        let log = |name: &str, bytes: usize| (name.to_owned(), "é".repeat(bytes / 2));
        assert_eq!(log_data(vec![]), None);
        assert_eq!(log_data(vec![log("a", 0)]), None);
        let data = log_data(vec![log("a", 300 << 10), log("b", 300 << 10), log("c", 10)]).unwrap();
        assert_eq!(data.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert!(data["b"].ends_with(CUT));
        assert!(data.values().map(String::len).sum::<usize>() <= MAX_BYTES);
    }
}
