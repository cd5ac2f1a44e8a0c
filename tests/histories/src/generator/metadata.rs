//! Options that writes have in common.

use super::Generator;

impl Generator {
    /// The query parameters of a write: none, mostly.
    pub(super) fn options(&self) -> Vec<(&'static str, String)> {
        let choices: [(usize, &[(&'static str, &str)]); 9] = [
            (66, &[]),
            (7, &[("dryRun", "All")]),
            (8, &[("fieldValidation", "Strict")]),
            (4, &[("fieldValidation", "Ignore")]),
            (2, &[("fieldValidation", "Strict"), ("dryRun", "All")]),
            (10, &[("fieldManager", "editor")]),
            (1, &[("dryRun", "Some")]),
            (1, &[("fieldValidation", "Maybe")]),
            (1, &[("force", "true")]),
        ];
        let chosen = self.dice.weighted(&choices).unwrap_or_default();
        chosen.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
    }
}
