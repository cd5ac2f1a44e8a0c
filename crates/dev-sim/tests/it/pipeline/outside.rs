//! The world outside: what steps did to it, as it would remember.

use std::collections::{BTreeMap, BTreeSet};

/// Something that a step did outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Effect {
    /// Name of the Promotion.
    pub(super) promotion: String,
    /// Alias of the step.
    pub(super) alias: String,
    /// The process that did it.
    pub(super) life: u64,
    /// When the Promotion started, as the step was told.
    pub(super) started_at: jiff::Timestamp,
    /// What was done. The same again makes no difference outside, where the step takes care of that.
    pub(super) content: String,
    /// Whether the step takes care that doing it again makes no difference.
    pub(super) is_idempotent: bool,
}

/// What happened outside.
#[derive(Default)]
pub(super) struct Outside {
    unseen: Vec<Effect>,
    contents: BTreeMap<(String, String), String>,
    /// Effects whose step was told that they happened.
    answered: BTreeSet<(String, String, u64)>,
    troubles: Vec<String>,
}

impl Outside {
    /// Lets it happen.
    pub(super) fn happen(&mut self, effect: Effect) {
        let place = (effect.promotion.clone(), effect.alias.clone());
        let (promotion, alias) = &place;
        if self.answered.contains(&(promotion.clone(), alias.clone(), effect.life)) {
            self.troubles.push(format!("{promotion}: {alias} is done twice by one process"));
        }
        let known = self.contents.get(&place);
        if effect.is_idempotent && known.is_some_and(|known| *known != effect.content) {
            self.troubles.push(format!(
                "{promotion}: {alias} is done as {:?} and as {:?}",
                self.contents[&place], effect.content
            ));
        }
        self.contents.insert(place, effect.content.clone());
        self.unseen.push(effect);
    }

    /// Its step knows that it happened.
    pub(super) fn answer(&mut self, promotion: &str, alias: &str, life: u64) {
        self.answered.insert((promotion.to_owned(), alias.to_owned(), life));
    }

    /// Something is not as it must be.
    pub(super) fn complain(&mut self, trouble: String) {
        self.troubles.push(trouble);
    }

    /// Whether the step of the Promotion has done anything.
    pub(super) fn has(&self, promotion: &str, alias: &str) -> bool {
        self.contents.contains_key(&(promotion.to_owned(), alias.to_owned()))
    }

    /// What happened since the last look; the error says what should not have.
    pub(super) fn look(&mut self) -> Result<Vec<Effect>, String> {
        match self.troubles.pop() {
            Some(trouble) => Err(trouble),
            None => Ok(std::mem::take(&mut self.unseen)),
        }
    }
}
