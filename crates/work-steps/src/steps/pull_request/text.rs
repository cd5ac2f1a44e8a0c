//! Title and description of a pull request, taken from the commit where the user gives none.

/// Title and description.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) title: String,
    pub(crate) description: String,
}

/// What the user gave, completed by the message of the commit that is proposed.
pub(crate) fn text(title: Option<&str>, description: Option<&str>, message: &str) -> Text {
    let message = message.trim_end();
    let (first, rest) = message.split_once('\n').unwrap_or((message, ""));
    let told = if title.is_some() { message } else { rest.trim_start_matches(['\n', '\r']) };
    Text {
        title: title.unwrap_or(first.trim_end()).to_owned(),
        description: description.unwrap_or(told).to_owned(),
    }
}

/// The link that leads people from the pull request to the Stage; nothing without a user interface.
pub(crate) fn footer(ui_base_url: &str, project: &str, stage: &str) -> String {
    let base = ui_base_url.trim_end_matches('/');
    if base.is_empty() {
        return String::new();
    }
    format!("\n\n[View in Kargo UI]({base}/project/{project}/stage/{stage})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_does_not_give_comes_from_the_commit() {
        let message = "Use v2\n\nBecause of the fix.\nSee there.\n";
        for (title, description, expected) in [
            (None, None, ("Use v2", "Because of the fix.\nSee there.")),
            (Some("T"), None, ("T", "Use v2\n\nBecause of the fix.\nSee there.")),
            (None, Some("D"), ("Use v2", "D")),
            (Some("T"), Some("D"), ("T", "D")),
        ] {
            let found = text(title, description, message);
            assert_eq!((found.title.as_str(), found.description.as_str()), expected);
        }
        let short = text(None, None, "Use v2\n");
        assert_eq!((short.title.as_str(), short.description.as_str()), ("Use v2", ""));
    }

    #[test]
    fn the_link_needs_a_user_interface() {
        assert_eq!(footer("", "demo", "prod"), "");
        assert_eq!(
            footer("https://kargo.example.com/", "demo", "prod"),
            "\n\n[View in Kargo UI](https://kargo.example.com/project/demo/stage/prod)"
        );
    }
}
