//! Patterns of schemas and of CEL, in the dialect that Go reads.

use core_pattern::{RegexError, UserRegex};

/// Compiles a pattern; the error is the reason in the words of the API.
pub(crate) fn compile(pattern: &str) -> Result<UserRegex, String> {
    UserRegex::parse(pattern).map_err(|error| match &error {
        RegexError::Compile(reason) if reason == "unclosed group" => {
            format!("error parsing regexp: missing closing ): `{pattern}`")
        }
        _ => error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_go_refuses_is_refused_in_one_line() {
        for pattern in [r"(?=a)", r"(?<!a)b", r"\y", "(", "[a", r"(?x) a", r"a\", "a{2000000}"] {
            let error = compile(pattern).unwrap_err();
            assert!(error.starts_with("error parsing regexp: "), "{pattern}: {error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }
}
