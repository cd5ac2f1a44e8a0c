//! The summary of a large run, kept in the benchmarks document.

use std::{fs, path::Path};

use anyhow::{Context, Result};

const TITLE: &str = "## Soak: crashes";

/// Replaces our section of the document at `path`, or appends it.
pub(crate) fn write(path: &Path, lines: &[String]) -> Result<()> {
    let old = fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    fs::write(path, with_section(&old, lines)).with_context(|| format!("write {}", path.display()))
}

fn with_section(document: &str, lines: &[String]) -> String {
    let section = format!("{TITLE}\n\n`make soak` writes this list.\n\n- {}\n", lines.join("\n- "));
    match document.split_once(TITLE) {
        None => format!("{}\n\n{section}", document.trim_end()),
        Some((before, rest)) => {
            let after = rest.find("\n## ").and_then(|at| rest.get(at..)).unwrap_or_default();
            format!("{before}{section}{after}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_is_appended_once_and_replaced_after() {
        let once = with_section("# Benchmarks\n", &["a".into()]);
        assert!(once.ends_with("- a\n"), "{once}");
        let twice = with_section(&format!("{once}\n## Other\n"), &["b".into()]);
        assert!(
            !twice.contains("- a") && twice.contains("- b\n") && twice.ends_with("## Other\n"),
            "{twice}"
        );
    }
}
