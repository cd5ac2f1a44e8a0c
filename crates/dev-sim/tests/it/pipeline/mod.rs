//! A Project with a pipeline on the whole control plane, while people promote, publish and rebuild.

mod analysis;
mod control;
mod ground;
mod layout;
mod memory;
mod outside;
mod people;
mod picture;
mod regression;
mod rest;
mod rules;
mod steps;

use std::{sync::Arc, time::Duration};

use core_rules::access;
use dev_sim::{Rates, Scenario};
use parking_lot::Mutex;

use self::{ground::Ground, picture::Picture};
use crate::support::{
    hold_for, hold_in_replay, note_panics, nothing_panicked, without_descriptions,
};

/// The namespace of the installation.
const INSTALLATION: &str = "kargo";
/// The Project.
const PROJECT: &str = "p";
/// After a while without a change everything has come to rest: longer than soak, grace and what is tried again.
const REST: Duration = Duration::from_mins(6);

/// How many seeds are run, unless the environment says otherwise.
const SEEDS: u64 = 500;
/// How many AnalysisRuns of a thousand fail.
const FAILED_RUNS: u32 = 200;

#[test]
fn pipelines_keep_their_promises() {
    hold_for(SEEDS, "pipelines_keep_their_promises", scenario);
}

#[test]
fn one_seed_gives_one_audit_log_of_a_pipeline() {
    hold_in_replay("pipelines", scenario);
}

fn scenario() -> Scenario {
    let ground = Arc::new(Ground::default());
    let with = || ground.clone();
    let (control, founder, publisher, manager, operator) = (with(), with(), with(), with(), with());
    let scenario = control_plane(FAILED_RUNS)
        .faults(Rates::all())
        .component("controller", 2, move |cx| control::control(cx, control.clone()))
        .actor("founder", move |cx| people::founder(cx, founder.clone()))
        .actor("publisher", move |cx| people::publisher(cx, publisher.clone()))
        .actor("manager", move |cx| people::manager(cx, manager.clone()))
        .actor("operator", move |cx| people::operator(cx, operator.clone()));
    with_rules(scenario, &ground)
}

/// Everything but the controller and people. So many AnalysisRuns of a thousand fail.
fn control_plane(failures: u32) -> Scenario {
    let options = access::Options::default();
    Scenario::new()
        .crds(without_descriptions([api_kinds::crd::crds(), api_analysis::crds()].concat()))
        .objects([access::namespaces(&options), access::objects(&options)].concat())
        .gatekeeper(control::admit)
        .rest(REST)
        .component("management", 1, control::manage)
        .component("rollouts", 1, move |cx| analysis::execute(cx, failures))
}

/// With everything that must hold of a pipeline.
fn with_rules(scenario: Scenario, ground: &Arc<Ground>) -> Scenario {
    note_panics();
    let picture = Arc::new(Mutex::new(Picture::default()));
    let (follower, outside) = (picture.clone(), ground.clone());
    let [ended, settled, places, effects] = [(); 4].map(|()| picture.clone());
    let (happened, gone, searched) = (ground.clone(), ground.clone(), ground.clone());
    scenario
        .always("the rules of pipelines", move |view| follower.lock().follow(view, &outside))
        .always("nothing panics", |_| nothing_panicked())
        .always("nobody searches again and again", move |_| searched.searched_in_vain())
        .finally("every Promotion ends", move |_| rest::promotions_ended(&ended.lock()))
        .finally("every Stage is settled", move |_| rest::stages_settled(&settled.lock()))
        .finally("Freight is where it says", move |_| {
            rest::freight_is_where_stages_say(&places.lock())
        })
        .finally("no effect is lost", move |_| rest::effects_happened(&effects.lock(), &happened))
        .finally("no work directory is left", move |view| rest::directories_are_gone(view, &gone))
}
