//! The summary of a large run, kept in the benchmarks document.

use std::{fs, path::Path};

use anyhow::{Context, Result};

const TITLE: &str = "## Soak: crashes";

/// Puts `lines` into our section of the document at `path`, in the place of what they said before.
pub(crate) fn write(path: &Path, lines: &[String]) -> Result<()> {
    let old = fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    fs::write(path, with_section(&old, lines)).with_context(|| format!("write {}", path.display()))
}

fn with_section(document: &str, lines: &[String]) -> String {
    let (before, rest) = document.split_once(TITLE).unwrap_or((document, ""));
    let (old, after) = rest.split_at(rest.find("\n## ").unwrap_or(rest.len()));
    let subject = |line: &str| line.split(':').next().map(str::to_owned);
    let mut list: Vec<&str> = old.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    for line in lines {
        match list.iter_mut().find(|old| subject(old) == subject(line)) {
            Some(old) => *old = line,
            None => list.push(line),
        }
    }
    let before = before.trim_end();
    let section = format!("{TITLE}\n\n`make soak` writes this list.\n\n- {}\n", list.join("\n- "));
    format!("{before}\n\n{section}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_tried_again_is_replaced_and_the_rest_is_kept() {
        let once = with_section("# Benchmarks\n", &["kill: 1".into(), "cut: 2".into()]);
        assert!(once.ends_with("- kill: 1\n- cut: 2\n"), "{once}");
        let twice = with_section(&format!("{once}\n## Other\n"), &["cut: 3".into()]);
        assert!(twice.ends_with("- kill: 1\n- cut: 3\n\n## Other\n"), "{twice}");
        assert_eq!(with_section(&twice, &["cut: 3".into()]), twice);
    }
}
