//! The summary of a day, kept in the benchmarks document.

use std::{fs, path::Path};

use anyhow::{Context, Result};

const TITLE: &str = "## Soak: churn";

/// Puts `line` into our section of the document at `path`, in the place of what it said before.
pub(crate) fn write(path: &Path, line: &str) -> Result<()> {
    let old = fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    fs::write(path, with_section(&old, line)).with_context(|| format!("write {}", path.display()))
}

fn with_section(document: &str, line: &str) -> String {
    let (before, rest) = document.split_once(TITLE).unwrap_or((document, ""));
    let after = rest.find("\n## ").and_then(|at| rest.get(at..)).unwrap_or_default();
    let before = before.trim_end();
    format!("{before}\n\n{TITLE}\n\n`make soak` writes this line.\n\n- {line}\n{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_last_day_is_kept_and_nothing_else_changes() {
        let once = with_section("# Benchmarks\n\n## Soak: crashes\n\n- kill\n", "churn: 1");
        assert!(once.ends_with(
            "- kill\n\n## Soak: churn\n\n`make soak` writes this line.\n\n- churn: 1\n"
        ));
        let twice = with_section(&format!("{once}\n## Other\n"), "churn: 2");
        assert!(twice.ends_with("- churn: 2\n\n## Other\n"), "{twice}");
        assert_eq!(with_section(&twice, "churn: 2"), twice);
    }
}
