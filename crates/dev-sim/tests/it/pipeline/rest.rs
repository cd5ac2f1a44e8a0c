//! What must hold when nobody does anything any more and nothing goes wrong.

use std::collections::BTreeSet;

use api_kinds::{Freight, Promotion, Stage, promotion::PromotionPhase};
use core_rules::{
    auto_promotion::{Pass, effective_holds, is_enabled, plan},
    stage::{current_collection, includes_freight, is_control_flow},
};
use dev_sim::View;

use super::{
    INSTALLATION,
    ground::Ground,
    picture::Picture,
    rules::{current, name, uid},
    steps,
};

type Checked = Result<(), String>;

/// Every Promotion came to an end, and its Stage knows.
pub(super) fn promotions_ended(picture: &Picture) -> Checked {
    for promotion in picture.promotions.values() {
        if !promotion.status.phase.is_terminal() {
            return Err(format!("{} is still {:?}", name(promotion), promotion.status.phase));
        }
    }
    for (stage_name, stage) in &picture.stages {
        if let Some(current) = current(stage) {
            return Err(format!("{stage_name} is still at {current}"));
        }
        let none = Vec::new();
        let successes = picture.memory.successes.get(uid(stage)).unwrap_or(&none);
        let recorded = picture.memory.recorded.get(uid(stage)).copied().unwrap_or(0);
        let newest = current_collection(&stage.status).map(|held| &held.id);
        if newest != successes.last() || recorded > successes.len() {
            return Err(format!("{stage_name} holds {newest:?} after {successes:?}"));
        }
    }
    Ok(())
}

/// Nothing is left to do in any Stage, and each says what is the matter with it.
pub(super) fn stages_settled(picture: &Picture) -> Checked {
    let freight: Vec<&Freight> = picture.freight.values().collect();
    for (name, stage) in &picture.stages {
        if stage.metadata.deletion_timestamp.is_some() {
            return Err(format!("{name} still waits to be deleted"));
        }
        if stage.metadata.generation != Some(stage.status.observed_generation) {
            return Err(format!("{name} was changed and nobody looked"));
        }
        if !stage.status.conditions.iter().any(|condition| condition.r#type == "Ready") {
            return Err(format!("{name} does not say how it is"));
        }
        if is_control_flow(stage) {
            settled_passing(picture, name, stage)?;
        } else {
            settled(picture, name, stage, &freight)?;
        }
    }
    Ok(())
}

fn settled(picture: &Picture, name: &str, stage: &Stage, freight: &[&Freight]) -> Checked {
    let promotions: Vec<&Promotion> =
        picture.promotions.values().filter(|promotion| promotion.spec.stage == name).collect();
    let is_enabled =
        is_enabled(picture.config.as_ref(), stage).map_err(|error| error.to_string())?;
    let pass = Pass {
        stage,
        is_enabled,
        freight,
        promotions: &promotions,
        holds: &effective_holds(stage, is_enabled, &promotions),
        window: None,
        passing_stages: &picture.passing_stages(),
        now: picture.now,
    };
    let waiting = plan(&pass).into_iter().find_map(|decision| decision.promotes());
    match waiting.and_then(|freight| freight.metadata.name.as_ref()) {
        Some(freight) => Err(format!("{freight} waits in front of {name} for no reason")),
        None => Ok(()),
    }
}

fn settled_passing(picture: &Picture, name: &str, stage: &Stage) -> Checked {
    let waiting = picture.freight.iter().find(|(_, freight)| {
        !freight.status.verified_in.contains_key(name) && picture.is_available(freight, stage)
    });
    match waiting {
        Some((freight, _)) => Err(format!("{name} does not pass {freight} on")),
        None => Ok(()),
    }
}

/// Freight says that it is where Stages say that they hold it.
pub(super) fn freight_is_where_stages_say(picture: &Picture) -> Checked {
    for (name, freight) in &picture.freight {
        let says: BTreeSet<&String> = freight.status.currently_in.keys().collect();
        let holds = |stage: &Stage| {
            current_collection(&stage.status).is_some_and(|held| includes_freight(held, name))
        };
        let held: BTreeSet<&String> =
            picture.stages.iter().filter(|(_, stage)| holds(stage)).map(|(name, _)| name).collect();
        if says != held {
            return Err(format!("{name} says that it is in {says:?}, and is in {held:?}"));
        }
    }
    Ok(())
}

/// Whatever a successful Promotion was to do outside has happened.
pub(super) fn effects_happened(picture: &Picture, ground: &Ground) -> Checked {
    let outside = ground.outside.lock();
    for promotion in picture.promotions.values() {
        if promotion.status.phase != PromotionPhase::Succeeded {
            continue;
        }
        for (position, step) in promotion.spec.steps.iter().enumerate() {
            let alias = format!("step-{}", position + 1);
            let reaches_out = step.uses == steps::PUSH || step.uses == steps::POST;
            if reaches_out && !outside.has(name(promotion), &alias) {
                return Err(format!("{} succeeded without {alias}", name(promotion)));
            }
        }
    }
    Ok(())
}

/// The leader has no work directory any more. Another that led before finds its own when it leads again.
pub(super) fn directories_are_gone(view: &View<'_>, ground: &Ground) -> Checked {
    let lease = "kargo-controller-unnamed-leader";
    let lease = view.get("coordination.k8s.io", "leases", INSTALLATION, lease);
    let holder = lease.map(|lease| lease["spec"]["holderIdentity"].clone()).unwrap_or_default();
    let directories = ground.directories.lock();
    let Some(directory) = holder.as_str().and_then(|holder| directories.get(holder)) else {
        return Err(format!("{holder} leads in the end"));
    };
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let left: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("promotion-"))
        .collect();
    if left.is_empty() { Ok(()) } else { Err(format!("{left:?} are left")) }
}
