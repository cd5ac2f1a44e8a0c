//! The children of this process.

use std::fs;

use anyhow::Result;

/// Children by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Children {
    pub(super) running: usize,
    /// Ended, and nobody has asked how.
    pub(super) zombies: usize,
}

/// Counts them now.
pub(super) fn count() -> Result<Children> {
    let own = std::process::id().to_string();
    let mut children = Children::default();
    for entry in fs::read_dir("/proc")?.flatten() {
        // Processes come and go while the list is read.
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((_, fields)) = stat.rsplit_once(')') else { continue };
        let mut fields = fields.split_whitespace();
        match (fields.next(), fields.next()) {
            (Some("Z"), Some(parent)) if parent == own => children.zombies += 1,
            (Some(_), Some(parent)) if parent == own => children.running += 1,
            _ => {}
        }
    }
    Ok(children)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_child_that_nobody_waits_for_becomes_a_zombie() {
        let mut child = Command::new("true").spawn().unwrap();
        while count().unwrap() != (Children { running: 0, zombies: 1 }) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert_eq!(count().unwrap(), Children::default());
    }
}
