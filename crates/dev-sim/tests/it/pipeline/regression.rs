//! Failures that users of the reference met, as small stories that must end well here.

use std::{sync::Arc, time::Duration};

use api_kinds::{Promotion, annotations, promotion::PromotionPhase};
use dev_sim::{Fault, ProcessCx, Rates, Sim, View};
use kube::{
    Api,
    api::{Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

use super::{
    PROJECT,
    control::control,
    control_plane,
    ground::Ground,
    layout::{around, direct, these_steps, verified, with_steps},
    people::{found, in_project, promotion, publish},
    steps, with_rules,
};

/// In how many orders each story is played.
const SEEDS: u64 = 8;

/// Plays a story with one replica of the controller.
#[track_caller]
fn tell<F: Future<Output = ()> + Send + 'static>(
    name: &str,
    rates: &Rates,
    story: fn(ProcessCx) -> F,
    outcome: fn(&View<'_>) -> Result<(), String>,
) {
    let build = || {
        let ground = Arc::new(Ground::default());
        let own = ground.clone();
        let scenario = control_plane(0)
            .faults(rates.clone())
            .component("controller", 1, move |cx| control(cx, own.clone()))
            .actor("story", story)
            .finally("it ends well", outcome);
        with_rules(scenario, &ground)
    };
    let outcome = Sim::seeds(0..SEEDS).scenario(name, build).run();
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Upstream #7032: with Promotions in the queue the next one started before the last was verified, and Freight in
/// between was never verified.
#[test]
fn no_promotion_of_a_pipeline_overtakes_the_verification_of_the_one_before() {
    async fn story(cx: ProcessCx) {
        let stage = with_steps("dev", vec![direct("app")], these_steps(&[steps::KEEP]));
        found(&cx, around(vec![verified(stage)], &[])).await;
        for number in 0..3 {
            let freight = publish(&cx, "app", number).await.unwrap();
            promote(&cx, "dev", &freight).await;
        }
    }
    tell("overtaken_verification", &Rates::none(), story, |view| {
        for freight in view.list("kargo.akuity.io", "freights") {
            if freight["status"]["verifiedIn"]["dev"].is_null() {
                return Err(format!("{} is not verified", freight["metadata"]["name"]));
            }
        }
        ended(view, &[("Succeeded", 3)])
    });
}

/// Upstream #6810: a Promotion aborted in the queue took the Freight of the other origin with it.
#[test]
fn an_aborted_promotion_in_a_pipeline_keeps_the_freight_of_other_origins() {
    async fn story(cx: ProcessCx) {
        let requests = vec![direct("app"), direct("infra")];
        let stage = with_steps("both", requests, these_steps(&[steps::PONDER]));
        found(&cx, around(vec![stage], &[])).await;
        let infra = publish(&cx, "infra", 0).await.unwrap();
        finish(&cx, &promote(&cx, "both", &infra).await).await;
        let app = publish(&cx, "app", 1).await.unwrap();
        let running = promote(&cx, "both", &app).await;
        let newer = publish(&cx, "app", 2).await.unwrap();
        let queued = promote(&cx, "both", &newer).await;
        abort(&cx, &queued).await;
        finish(&cx, &queued).await;
        finish(&cx, &running).await;
        promote(&cx, "both", &newer).await;
    }
    tell("aborted_in_the_queue", &Rates::none(), story, |view| {
        let stage = view.get("kargo.akuity.io", "stages", PROJECT, "both").unwrap_or_default();
        let history = stage["status"]["freightHistory"].as_array().cloned().unwrap_or_default();
        let pieces = |held: &Value| held["items"].as_object().map_or(0, serde_json::Map::len);
        let pieces: Vec<usize> = history.iter().map(pieces).collect();
        if pieces != [2, 2, 1] {
            return Err(format!("the collections have {pieces:?} pieces"));
        }
        ended(view, &[("Aborted", 1), ("Succeeded", 3)])
    });
}

/// Upstream PR #5934: a refresh between two writes of the status made steps run again, off a cache that lagged.
#[test]
fn a_refresh_in_a_pipeline_between_two_writes_repeats_no_step() {
    async fn story(cx: ProcessCx) {
        let kinds = [steps::KEEP, steps::POST, steps::AWAIT, steps::POST, steps::RECALL];
        let stage = with_steps("dev", vec![direct("app")], these_steps(&kinds));
        found(&cx, around(vec![stage], &[])).await;
        let freight = publish(&cx, "app", 0).await.unwrap();
        let name = promote(&cx, "dev", &freight).await;
        for token in 0_u32.. {
            if is_over(&cx, &name).await {
                return;
            }
            annotate(&cx, &name, annotations::REFRESH, &token.to_string()).await;
            cx.pause(Duration::from_secs(2)).await;
        }
    }
    let rates = Rates::none()
        .with(Fault::WatchDelayed, 600)
        .with(Fault::WatchRepeated, 300)
        .with(Fault::SlowReply, 200)
        .with(Fault::Conflict, 100);
    tell("refresh_between_writes", &rates, story, |view| ended(view, &[]));
}

/// Spec 03 §19.1: when the last of three Promotions was aborted in the queue, the success of the one before it went
/// unnoticed.
#[test]
fn a_success_in_a_pipeline_counts_although_a_later_promotion_ended_before_it() {
    async fn story(cx: ProcessCx) {
        let stage = with_steps("dev", vec![direct("app")], these_steps(&[steps::PONDER]));
        found(&cx, around(vec![stage], &[])).await;
        let mut names = Vec::new();
        for number in 0..3 {
            let freight = publish(&cx, "app", number).await.unwrap();
            names.push(promote(&cx, "dev", &freight).await);
        }
        abort(&cx, &names[2]).await;
    }
    tell("out_of_order", &Rates::none(), story, |view| {
        let stage = view.get("kargo.akuity.io", "stages", PROJECT, "dev").unwrap_or_default();
        let history = stage["status"]["freightHistory"].as_array().map_or(0, Vec::len);
        if history != 2 {
            return Err(format!("{history} successes are in the history"));
        }
        ended(view, &[("Aborted", 1), ("Succeeded", 2)])
    });
}

/// Creates a Promotion; returns its name.
async fn promote(cx: &ProcessCx, stage: &str, freight: &str) -> String {
    let promotions: Api<Promotion> = in_project(&cx.client());
    loop {
        let made = promotions.create(&PostParams::default(), &promotion(stage, freight)).await;
        match made.ok().and_then(|made| made.metadata.name) {
            Some(name) => return name,
            None => cx.pause(Duration::from_secs(5)).await,
        }
    }
}

async fn abort(cx: &ProcessCx, name: &str) {
    annotate(cx, name, annotations::ABORT, annotations::ABORT_ACTION_TERMINATE).await;
}

async fn annotate(cx: &ProcessCx, name: &str, key: &str, value: &str) {
    let promotions: Api<Promotion> = in_project(&cx.client());
    let change = json!({"metadata": {"annotations": {key: value}}});
    while promotions.patch(name, &PatchParams::default(), &Patch::Merge(&change)).await.is_err() {
        cx.pause(Duration::from_secs(2)).await;
    }
}

/// Waits until a Promotion is over.
async fn finish(cx: &ProcessCx, name: &str) {
    while !is_over(cx, name).await {
        cx.pause(Duration::from_secs(5)).await;
    }
}

async fn is_over(cx: &ProcessCx, name: &str) -> bool {
    let promotions: Api<Promotion> = in_project(&cx.client());
    promotions.get(name).await.is_ok_and(|promotion| promotion.status.phase.is_terminal())
}

/// So many Promotions ended in these phases; without any, all are over.
fn ended(view: &View<'_>, expected: &[(&str, usize)]) -> Result<(), String> {
    let promotions = view.list("kargo.akuity.io", "promotions");
    let phases: Vec<&str> =
        promotions.iter().map(|it| it["status"]["phase"].as_str().unwrap_or_default()).collect();
    let count = |phase: &str| phases.iter().filter(|known| **known == phase).count();
    if phases.iter().any(|phase| !PromotionPhase::from(*phase).is_terminal())
        || expected.iter().any(|(phase, number)| count(phase) != *number)
    {
        return Err(format!("the Promotions are {phases:?}"));
    }
    Ok(())
}
