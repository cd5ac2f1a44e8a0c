//! Remembers members that were given twice, at no cost for bodies that have none.
//!
//! A node does not know its own path while it is being read. It records the last step only; each enclosing object or
//! list then puts its own step in front of what its children recorded.

/// More than this many are not reported: the reply lists them all.
const LIMIT: usize = 100;

#[derive(Debug, Default)]
pub(crate) struct Duplicates {
    /// Steps as `.member` or `[index]`, joined.
    paths: Vec<String>,
}

impl Duplicates {
    /// A position to hand to [`Self::repeated`] and [`Self::prefix`]: what is recorded after it lies below the caller.
    pub(crate) fn mark(&self) -> usize {
        self.paths.len()
    }

    /// The object being read has `key` a second time.
    pub(crate) fn repeated(&mut self, mark: usize, key: &str) {
        let path = format!(".{key}");
        let known = self.paths.iter().skip(mark).any(|known| *known == path);
        if !known && self.paths.len() < LIMIT {
            self.paths.push(path);
        }
    }

    /// Whether anything was recorded since `mark`.
    pub(crate) fn grew(&self, mark: usize) -> bool {
        self.paths.len() > mark
    }

    /// Puts `step` in front of everything recorded since `mark`.
    pub(crate) fn prefix(&mut self, mark: usize, step: &str) {
        for path in self.paths.iter_mut().skip(mark) {
            path.insert_str(0, step);
        }
    }

    /// The paths without their leading dot, each once, in the order they were met.
    pub(crate) fn into_paths(self) -> Vec<String> {
        let mut unique: Vec<String> = Vec::with_capacity(self.paths.len());
        for path in self.paths {
            let shown = path.strip_prefix('.').unwrap_or(&path);
            if !unique.iter().any(|known| known == shown) {
                unique.push(shown.to_owned());
            }
        }
        unique
    }
}
