//! Which searches are under way, for a person who waits for them.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;
use work_discovery::Progress;

/// Filled while a file is searched. Clones share it.
#[derive(Clone, Default)]
pub struct Searches {
    table: Arc<Mutex<Table>>,
}

#[derive(Default)]
struct Table {
    begun: usize,
    running: BTreeMap<usize, Entry>,
}

struct Entry {
    repository: String,
    progress: Arc<Progress>,
}

/// One search; over when dropped.
pub struct Running {
    /// What it is busy with.
    pub progress: Arc<Progress>,
    number: usize,
    searches: Searches,
}

impl Searches {
    /// Notes that a repository is searched.
    pub fn begin(&self, repository: String) -> Running {
        let progress = Arc::<Progress>::default();
        let mut table = self.table.lock();
        let number = table.begun;
        table.begun += 1;
        table.running.insert(number, Entry { repository, progress: progress.clone() });
        Running { progress, number, searches: self.clone() }
    }

    /// Such as "searching https://example.com/a.git: fetching for 3m, 40 MB received (and 2 more)"; `None` when nothing is.
    pub fn describe(&self) -> Option<String> {
        let table = self.table.lock();
        let telling = table.running.values().find_map(|entry| {
            Some((&entry.repository, format!(": {}", entry.progress.describe()?)))
        });
        let first = || Some((&table.running.values().next()?.repository, String::new()));
        let (repository, activity) = telling.or_else(first)?;
        let more = match table.running.len() {
            1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        Some(format!("searching {repository}{activity}{more}"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.searches.table.lock().running.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_told_while_they_run() {
        let searches = Searches::default();
        assert_eq!(searches.describe(), None);
        let first = searches.begin("https://example.com/a".to_owned());
        assert_eq!(searches.describe().unwrap(), "searching https://example.com/a");
        let _second = searches.begin("https://example.com/b".to_owned());
        assert_eq!(searches.describe().unwrap(), "searching https://example.com/a (and 1 more)");
        drop(first);
        assert_eq!(searches.describe().unwrap(), "searching https://example.com/b");
    }
}
