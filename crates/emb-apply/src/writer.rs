//! Who writes.

use core_clock::Time;

/// How long the name of a manager may be, in bytes.
const MAX_NAME: usize = 128;

/// Who writes an object, when, and through which endpoint.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// The field manager: see [`manager_name`].
    pub manager: &'a str,
    /// `apiVersion` of the request.
    pub api_version: &'a str,
    /// The subresource the write goes through; empty for the object itself.
    pub subresource: &'a str,
    /// The time of the write.
    pub time: Time,
    /// Members of the object that this endpoint does not change, whatever the request says about them: `status` at the
    /// main endpoint, everything else at the one for status.
    pub ignored: &'a [&'a str],
}

/// The manager of a request: the one it names, else the program that its user agent names.
pub fn manager_name(field_manager: &str, user_agent: &str) -> String {
    if !field_manager.is_empty() {
        return field_manager.to_owned();
    }
    let program = user_agent.split('/').next().unwrap_or_default();
    let mut name = String::new();
    for letter in program.chars().filter(|letter| !letter.is_control()) {
        if name.len() + letter.len_utf8() > MAX_NAME {
            break;
        }
        name.push(letter);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manager_is_named_or_taken_from_the_user_agent() {
        for (given, agent, expected) in [
            ("mine", "kubectl/v1.36", "mine"),
            ("", "kubectl/v1.36 (linux)", "kubectl"),
            ("", "curl", "curl"),
            ("", "a\u{7}b c/1", "ab c"),
            ("", "", ""),
        ] {
            assert_eq!(manager_name(given, agent), expected);
        }
        assert_eq!(manager_name("", &"é".repeat(100)).len(), MAX_NAME);
    }
}
