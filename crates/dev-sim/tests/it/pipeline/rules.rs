//! What must hold whenever something is committed, written without the decisions of the product.
//!
//! Controllers see things late: an event is held up, a process stands still, a clock is wrong. What they decide by what
//! they see may therefore be out of date by `LATE`, but not by more.

use std::time::Duration;

use api_kinds::{
    Freight, Promotion, Stage, annotations::CREATE_ACTOR, health::HealthState,
    promotion::PromotionPhase,
};
use core_clock::Time;
use core_rules::stage::{current_collection, has_verification_under_way, is_control_flow};

use super::{control::GRACE, ground::Ground, outside::Effect, picture::Picture};

/// How far behind the truth a controller may be.
const LATE: Duration = Duration::from_secs(200);
/// How many collections a Stage keeps.
const HISTORY: usize = 10;

type Checked = Result<(), String>;

impl Picture {
    pub(super) fn promotion_changed(&mut self, name: &str, new: Option<Promotion>) -> Checked {
        let old = self.promotions.remove(name);
        let Some(new) = new else { return Ok(()) };
        match &old {
            None => self.judge_creation(&new)?,
            Some(old) => judge_progress(old, &new)?,
        }
        let was = old.map_or(PromotionPhase::Unset, |old| old.status.phase);
        if is_waiting(&was) && has_begun(&new.status.phase) {
            self.judge_start(&new)?;
        }
        let is_success = new.status.phase == PromotionPhase::Succeeded;
        if is_success && was != PromotionPhase::Succeeded {
            let collection = new.status.freight_collection.clone().unwrap_or_default();
            self.memory.successes.entry(owner(&new).to_owned()).or_default().push(collection.id);
        }
        let owner = owner(&new).to_owned();
        self.promotions.insert(name.to_owned(), new);
        self.judge_running(&owner)
    }

    pub(super) fn stage_changed(&mut self, name: &str, new: Option<Stage>) -> Checked {
        self.remember_stage(name);
        let old = self.stages.remove(name);
        let Some(new) = new else {
            self.memory.verified.retain(|(stage, _)| stage != name);
            self.memory.held_since.retain(|(stage, _), _| stage != name);
            return Ok(());
        };
        self.judge_current(old.as_ref(), &new)?;
        self.judge_history(&new)?;
        self.remember_status(name, &new);
        self.stages.insert(name.to_owned(), new);
        self.remember_policies();
        Ok(())
    }

    pub(super) fn freight_changed(&mut self, name: &str, new: Option<Freight>) -> Checked {
        self.remember_freight(name);
        let old = self.freight.remove(name);
        let Some(new) = new else { return Ok(()) };
        let was = old.map(|old| old.status.verified_in).unwrap_or_default();
        let added = new.status.verified_in.keys().filter(|stage| !was.contains_key(*stage));
        added.clone().try_for_each(|stage| self.judge_verified(&new, name, stage))?;
        self.freight.insert(name.to_owned(), new);
        Ok(())
    }

    /// No Promotion of Freight that the gate refuses; none by the controller of what is held or switched off.
    fn judge_creation(&self, promotion: &Promotion) -> Checked {
        let (stage, freight) = (&promotion.spec.stage, &promotion.spec.freight);
        if !self.was_available_since(freight, stage, self.earlier()) {
            return Err(format!("{} is made, but its Freight is not available", name(promotion)));
        }
        let annotations = promotion.metadata.annotations.as_ref();
        let actor = annotations.and_then(|all| all.get(CREATE_ACTOR)).map_or("", String::as_str);
        let Some(freight) = self.freight.get(freight) else { return Ok(()) };
        if !actor.starts_with("controller:") {
            return Ok(());
        }
        let since = self.memory.held_since.get(&(stage.clone(), freight.origin.to_string()));
        if since.is_some_and(|since| *since < self.earlier()) {
            return Err(format!("{} is made although its origin is on hold", name(promotion)));
        }
        let since = self.memory.disabled_since.get(stage);
        if since.is_some_and(|since| *since < self.earlier()) {
            return Err(format!("{} is made although nobody asked for it", name(promotion)));
        }
        Ok(())
    }

    /// It is its turn, and the gate has not closed meanwhile.
    fn judge_start(&self, promotion: &Promotion) -> Checked {
        let (name, stage) = (name(promotion), &promotion.spec.stage);
        if !self.was_available_since(&promotion.spec.freight, stage, self.earlier()) {
            return Err(format!("{name} starts, but its Freight is not available"));
        }
        let Some(stage) = self.stages.get(stage).filter(|stage| uid(stage) == owner(promotion))
        else {
            return Ok(());
        };
        match current(stage) {
            Some(current) if current == name => Ok(()),
            other => Err(format!("{name} starts while the Stage is at {other:?}")),
        }
    }

    fn judge_running(&self, owner_uid: &str) -> Checked {
        let running = self.promotions.values().filter(|promotion| {
            promotion.status.phase == PromotionPhase::Running && owner(promotion) == owner_uid
        });
        let running: Vec<&str> = running.map(name).collect();
        if running.len() > 1 { Err(format!("{running:?} run at once")) } else { Ok(()) }
    }

    /// A Stage goes on to the next Promotion when the last one ended and what it brought is verified.
    fn judge_current(&self, old: Option<&Stage>, new: &Stage) -> Checked {
        let (was, is) = (old.and_then(current), current(new));
        if was == is {
            return Ok(());
        }
        let left = was.and_then(|was| self.promotions.get(was));
        if let Some(left) = left.filter(|left| !left.status.phase.is_terminal()) {
            return Err(format!("{} is not over and the Stage goes on to {is:?}", name(left)));
        }
        let (Some(is), Some(held)) = (is, current_collection(&new.status)) else { return Ok(()) };
        if has_verification_under_way(held) {
            return Err(format!("{is} overtakes the verification of {}", held.id));
        }
        if !held.verification_history.is_empty() || self.may_skip_verification(old, new) {
            return Ok(());
        }
        Err(format!("{is} is next, but {} is not verified", held.id))
    }

    /// Whether what the Stage holds is too ill to be verified, or was not healthy for long enough.
    fn may_skip_verification(&self, old: Option<&Stage>, new: &Stage) -> bool {
        let health = old.and_then(|old| old.status.health.as_ref()).map(|health| &health.status);
        match health {
            None | Some(HealthState::Healthy) => false,
            Some(HealthState::Unhealthy) => true,
            _ => {
                let last = new.status.last_promotion.as_ref();
                let finished = last.and_then(|last| last.finished_at.as_ref());
                let finished = finished.map(|time| Time::from_micros(time.0.as_microsecond()));
                finished.is_none_or(|finished| finished + GRACE <= self.now + LATE)
            }
        }
    }

    /// The history of a Stage is that of its successes, in their order, without gaps.
    fn judge_history(&mut self, stage: &Stage) -> Checked {
        let uid = uid(stage);
        let none = Vec::new();
        let successes = self.memory.successes.get(uid).unwrap_or(&none);
        let recorded = self.memory.recorded.get(uid).copied().unwrap_or(0);
        let history: Vec<&String> = stage.status.freight_history.iter().map(|it| &it.id).collect();
        let is_at = |count: &usize| {
            successes[..*count].iter().rev().take(HISTORY).eq(history.iter().copied())
        };
        let Some(count) = (recorded..=successes.len()).find(is_at) else {
            return Err(format!(
                "the history {history:?} of {:?} is not that of its successes {successes:?}",
                stage.metadata.name
            ));
        };
        self.memory.recorded.insert(uid.to_owned(), count);
        Ok(())
    }

    /// Freight counts as verified where a verification says so, or where it is only passed on.
    fn judge_verified(&self, freight: &Freight, name: &str, stage: &str) -> Checked {
        let is_passed_on =
            self.stages.get(stage).filter(|it| is_control_flow(it)).is_some_and(|it| {
                // The clock by which the time of soaking is measured may be wrong.
                let later = self.now + LATE;
                self.is_available_at(freight, it, later)
                    || self.was_available_since(name, stage, self.earlier())
            });
        let place = (stage.to_owned(), name.to_owned());
        if is_passed_on || self.memory.verified.contains(&place) {
            return Ok(());
        }
        Err(format!("{name} counts as verified in {stage}, where nobody verified it"))
    }

    /// What a step does outside it does for a Promotion that runs, and that is known to run.
    pub(super) fn judge_effect(&self, effect: &Effect, ground: &Ground) -> Checked {
        let Some(promotion) = self.promotions.get(&effect.promotion) else { return Ok(()) };
        if !ground.is_leader(effect.life) {
            // It stood still while another took over; what it had begun it cannot take back.
            return Ok(());
        }
        let (name, status) = (name(promotion), &promotion.status);
        let started_at = status.started_at.as_ref().map(|time| time.0);
        if status.phase != PromotionPhase::Running || started_at != Some(effect.started_at) {
            return Err(format!(
                "{} of {name} reaches out as of {}, but it is {} since {started_at:?}",
                effect.alias, effect.started_at, status.phase
            ));
        }
        let stage = self.stages.get(&promotion.spec.stage);
        match stage.filter(|stage| uid(stage) == owner(promotion)).map(current) {
            Some(current) if current != Some(name) => {
                Err(format!("{} of {name} reaches out, the Stage is at {current:?}", effect.alias))
            }
            _ => Ok(()),
        }
    }

    fn earlier(&self) -> Time {
        self.now - LATE
    }
}

/// What is over stays as it is, and nothing starts twice.
fn judge_progress(old: &Promotion, new: &Promotion) -> Checked {
    let (was, is) = (&old.status, &new.status);
    if was.phase.is_terminal()
        && (was.phase != is.phase || was.finished_at != is.finished_at || was.state != is.state)
    {
        return Err(format!("{} ended {} and goes on as {}", name(new), was.phase, is.phase));
    }
    if was.started_at.is_some() && was.started_at != is.started_at {
        return Err(format!("{} starts again", name(new)));
    }
    if has_begun(&was.phase) && was.freight_collection != is.freight_collection {
        return Err(format!("{} changes what it brings", name(new)));
    }
    Ok(())
}

fn is_waiting(phase: &PromotionPhase) -> bool {
    matches!(phase, PromotionPhase::Unset | PromotionPhase::Pending)
}

/// Whether steps have run. One that ends in another way may never have started.
fn has_begun(phase: &PromotionPhase) -> bool {
    use PromotionPhase::{Failed, Running, Succeeded};
    matches!(phase, Running | Succeeded | Failed)
}

pub(super) fn current(stage: &Stage) -> Option<&str> {
    stage.status.current_promotion.as_ref().map(|current| current.name.as_str())
}

pub(super) fn name(promotion: &Promotion) -> &str {
    promotion.metadata.name.as_deref().unwrap_or_default()
}

pub(super) fn uid(stage: &Stage) -> &str {
    stage.metadata.uid.as_deref().unwrap_or_default()
}

/// The uid of the Stage that the Promotion belongs to.
fn owner(promotion: &Promotion) -> &str {
    let owners = promotion.metadata.owner_references.as_deref().unwrap_or_default();
    owners.first().map_or("", |owner| owner.uid.as_str())
}
