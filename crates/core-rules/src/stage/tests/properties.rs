//! What holds of passes whatever happens between them.

use std::collections::BTreeSet;

use api_kinds::health::HealthState;
use api_kinds::promotion::PromotionPhase;
use proptest::prelude::*;
use serde_json::json;

use super::bench::Bench;
use crate::health::HealthFinding;
use crate::stage::{RunView, includes_freight};

/// Something that happens around a Stage.
#[derive(Clone, Debug)]
enum Happening {
    NewFreight {
        is_second: bool,
    },
    Promote {
        index: usize,
        intent: u8,
    },
    Begin {
        index: usize,
    },
    End {
        index: usize,
        phase: PromotionPhase,
    },
    Abort {
        index: usize,
    },
    Delete {
        index: usize,
    },
    Health(HealthState),
    Analysis {
        phase: &'static str,
    },
    Policy(bool),
    DeleteFreight {
        index: usize,
    },
    Request {
        is_abort: bool,
    },
    Time(u64),
    Pass,
    /// A pass whose process ends in the middle.
    Crash {
        has_status: bool,
    },
}

fn happening() -> impl Strategy<Value = Happening> {
    let phase = prop_oneof![
        4 => Just(PromotionPhase::Succeeded),
        1 => Just(PromotionPhase::Failed),
        1 => Just(PromotionPhase::Errored),
    ];
    let health = prop_oneof![
        Just(HealthState::Healthy),
        Just(HealthState::Progressing),
        Just(HealthState::Unhealthy),
    ];
    let run = prop_oneof![Just("Running"), Just("Successful"), Just("Failed"), Just("Error")];
    prop_oneof![
        3 => any::<bool>().prop_map(|is_second| Happening::NewFreight { is_second }),
        3 => (any::<usize>(), 0..4_u8).prop_map(|(index, intent)| Happening::Promote { index, intent }),
        2 => any::<usize>().prop_map(|index| Happening::Begin { index }),
        4 => (any::<usize>(), phase).prop_map(|(index, phase)| Happening::End { index, phase }),
        1 => any::<usize>().prop_map(|index| Happening::Abort { index }),
        1 => any::<usize>().prop_map(|index| Happening::Delete { index }),
        2 => health.prop_map(Happening::Health),
        3 => run.prop_map(|phase| Happening::Analysis { phase }),
        1 => any::<bool>().prop_map(Happening::Policy),
        1 => any::<usize>().prop_map(|index| Happening::DeleteFreight { index }),
        1 => any::<bool>().prop_map(|is_abort| Happening::Request { is_abort }),
        3 => (1..400_u64).prop_map(Happening::Time),
        6 => Just(Happening::Pass),
        2 => any::<bool>().prop_map(|has_status| Happening::Crash { has_status }),
    ]
}

/// The Promotion at an index among those that a condition selects.
fn choose(
    bench: &Bench,
    index: usize,
    which: impl Fn(&api_kinds::Promotion) -> bool,
) -> Option<String> {
    let names: Vec<String> = bench
        .promotions
        .iter()
        .filter(|promotion| which(promotion))
        .filter_map(|promotion| promotion.metadata.name.clone())
        .collect();
    names.get(index.checked_rem(names.len())?).cloned()
}

/// Somebody promotes Freight, with an intent or without.
fn promote(bench: &mut Bench, index: usize, intent: u8) {
    let Some(at) = index.checked_rem(bench.freight.len()) else { return };
    let freight = bench.freight[at].clone();
    let key = match intent {
        0 => "kargo.akuity.io/auto-promotion-hold",
        1 => "kargo.akuity.io/auto-promotion-resume",
        _ => "example.com/other",
    };
    let name = freight.metadata.name.clone().unwrap();
    bench.promote(&name, json!({key: freight.origin.to_string()}));
}

fn happen(bench: &mut Bench, happening: Happening, made: &mut usize) {
    let current = bench.current().map(str::to_owned);
    let has_turn =
        |p: &api_kinds::Promotion| p.metadata.name == current && !p.status.phase.is_terminal();
    match happening {
        Happening::NewFreight { is_second } => {
            *made += 1;
            let (name, warehouse) = if is_second { ("b", "w2") } else { ("a", "w1") };
            bench.add_freight(&format!("{name}{made}"), warehouse);
        }
        Happening::Promote { index, intent } => promote(bench, index, intent),
        Happening::Begin { index } => {
            if let Some(name) = choose(bench, index, has_turn) {
                bench.run(&name);
            }
        }
        Happening::End { index, phase } => {
            let name = choose(bench, index, has_turn);
            let is_known = |name: &String| {
                let promotion =
                    bench.promotions.iter().find(|p| p.metadata.name.as_ref() == Some(name));
                let freight = &promotion.unwrap().spec.freight;
                bench.freight.iter().any(|f| f.metadata.name.as_ref() == Some(freight))
            };
            if let Some(name) = name.filter(is_known) {
                bench.finish(&name, phase);
            }
        }
        Happening::Abort { index } => {
            let waits = |p: &api_kinds::Promotion| p.status.phase == PromotionPhase::Unset;
            if let Some(name) = choose(bench, index, waits) {
                bench.abort(&name);
            }
        }
        Happening::Delete { index } => {
            if let Some(name) = choose(bench, index, |_| true) {
                bench.promotions.retain(|p| p.metadata.name.as_ref() != Some(&name));
            }
        }
        Happening::Health(status) => {
            let finding = HealthFinding { status, ..HealthFinding::default() };
            bench.findings.0.insert("probe".to_owned(), finding);
        }
        Happening::Analysis { phase } => {
            if let Some(run) = bench.runs.as_mut().and_then(|runs| runs.runs.values_mut().last()) {
                *run = RunView { phase: phase.to_owned(), ..RunView::default() };
            }
        }
        Happening::Policy(is_enabled) => bench.policy = Ok(is_enabled),
        Happening::DeleteFreight { index } => {
            if let Some(at) = index.checked_rem(bench.freight.len()) {
                bench.freight.remove(at);
            }
        }
        Happening::Request { is_abort } => {
            let held = bench.stage.status.freight_history.first();
            let newest = held.and_then(|held| held.verification_history.first());
            if let Some(id) = newest.map(|newest| newest.id.clone()) {
                let key = if is_abort { "abort" } else { "reverify" };
                bench.annotate(&format!("kargo.akuity.io/{key}"), &id);
            }
        }
        Happening::Time(seconds) => bench.later(seconds),
        Happening::Pass => {
            bench.pass();
        }
        Happening::Crash { has_status: true } => {
            bench.pass_until_freight();
        }
        Happening::Crash { has_status: false } => {
            bench.pass_until_status();
        }
    }
}

fn bench(is_verifying: bool, has_checks: bool) -> Bench {
    let mut bench = Bench::new(&["w1", "w2"]).promoting_by_itself();
    if is_verifying {
        bench = bench.verifying();
    }
    bench.has_checks = has_checks;
    bench
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Each plan on the way is checked by the bench. In the end nothing is left to do, and doing it
    /// again changes nothing.
    #[test]
    fn passes_hold_their_promises_and_come_to_rest(
        is_verifying in any::<bool>(),
        has_checks in any::<bool>(),
        happenings in proptest::collection::vec(happening(), 1..60),
    ) {
        let mut bench = bench(is_verifying, has_checks);
        let mut made = 0;
        for happening in happenings {
            happen(&mut bench, happening, &mut made);
        }
        let mut plan = bench.settle();
        prop_assert!(plan.effects.is_empty());
        plan = bench.plan();
        prop_assert_eq!(&plan.status, &bench.stage.status);
        let held = bench.stage.status.freight_history.first();
        for freight in &bench.freight {
            let name = freight.metadata.name.as_deref().unwrap_or_default();
            let is_held = held.is_some_and(|held| includes_freight(held, name));
            prop_assert_eq!(freight.status.currently_in.contains_key("prod"), is_held);
        }
        let automatic = bench.promotions.iter().filter(|p| p.metadata.annotations.is_none());
        let mut waiting = BTreeSet::new();
        for promotion in automatic.filter(|p| !p.status.phase.is_terminal()) {
            prop_assert!(waiting.insert(promotion.spec.freight.clone()), "promoted twice");
        }
    }

    /// Every success of a Promotion that had the turn is in the history, in the order of successes.
    #[test]
    fn the_history_is_the_order_of_successes(
        happenings in proptest::collection::vec(happening(), 1..60),
    ) {
        let mut bench = bench(false, false);
        let (mut made, mut expected) = (0, Vec::new());
        for happening in happenings {
            if matches!(happening, Happening::Delete { .. }) {
                continue;
            }
            let before = successes(&bench);
            happen(&mut bench, happening, &mut made);
            expected.extend(successes(&bench).into_iter().filter(|name| !before.contains(name)));
            bench.later(1);
            bench.pass();
        }
        expected.reverse();
        expected.truncate(10);
        let history: Vec<String> = bench.stage.status.freight_history.iter().map(|c| c.id.clone()).collect();
        let collections: Vec<String> = expected.iter().map(|name| collection(&bench, name)).collect();
        prop_assert_eq!(history, collections);
    }
}

fn successes(bench: &Bench) -> Vec<String> {
    let ended = bench.promotions.iter().filter(|p| p.status.phase == PromotionPhase::Succeeded);
    ended.filter_map(|promotion| promotion.metadata.name.clone()).collect()
}

fn collection(bench: &Bench, name: &str) -> String {
    let promotion =
        bench.promotions.iter().find(|p| p.metadata.name.as_deref() == Some(name)).unwrap();
    promotion.status.freight_collection.as_ref().unwrap().id.clone()
}
