//! `tidy`: what a reviewer would otherwise have to repeat. Files stay short, say what they are for, and leave nothing open.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};

/// Lines a source file may have without its tests.
const LIMIT: usize = 600;

/// Marks of work left open; written in two parts so that this file does not find itself.
const OPEN: [&str; 4] = [
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("FIX", "ME"),
    concat!("X", "XX"),
];

/// Fails with one line per untidy place.
pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let mut files = Vec::new();
    for folder in ["bin", "crates", "tests", "xtask"] {
        collect(&root.join(folder), &mut files)?;
    }
    files.sort();
    let mut problems = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).with_context(|| format!("read {}", file.display()))?;
        let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
        problems.extend(check(&shown, &text));
    }
    if !problems.is_empty() {
        bail!("untidy:\n  {}", problems.join("\n  "));
    }
    println!("tidy: {} files", files.len());
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn check(name: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let is_tests = name.ends_with("tests.rs") || name.contains("/tests/");
    let source = text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count();
    if source > LIMIT {
        problems.push(format!("{name}: {source} lines, at most {LIMIT}: split it by concern"));
    }
    if !is_tests && !text.starts_with("//!") {
        problems.push(format!("{name}: begin with a module comment that says what and why"));
    }
    for (number, line) in text.lines().enumerate() {
        for open in OPEN.iter().filter(|open| line.contains(**open)) {
            problems.push(format!("{name}:{}: {open} leaves work open", number + 1));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_file_with_a_purpose_is_tidy() {
        assert!(check("crates/a/src/b.rs", "//! What.\nfn f() {}\n").is_empty());
    }

    #[test]
    fn long_silent_and_unfinished_files_are_not() {
        let long = format!("//! What.\n{}", "fn f() {}\n".repeat(LIMIT));
        assert_eq!(check("a.rs", &long).len(), 1);
        assert_eq!(check("a.rs", "fn f() {}\n").len(), 1);
        assert_eq!(check("a.rs", &format!("//! x\n{})\n", OPEN[0])).len(), 1);
    }
}
