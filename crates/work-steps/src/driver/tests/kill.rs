//! A kill between any two writes of the journal changes nothing of what comes out.

use api_kinds::promotion::PromotionStepStatus;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{World, step, step_with};
use crate::driver::Passed;

/// A Promotion with every kind of step that a kill could disturb.
fn promotion(polls: &[u8]) -> World {
    let polling = polls.iter().map(|times| step_with("poll", json!({"config": {"times": times}})));
    let mut steps = vec![step("write")];
    steps.extend(polling);
    steps.push(step_with("echo", json!({"config": {"w": "${{ outputs['step-1'].file }}"}})));
    steps.push(step_with("refuse", json!({"continueOnError": true})));
    steps.push(step("write"));
    World::new(steps)
}

/// State and statuses at the end, and the files.
async fn outcome(world: &mut World) -> (Value, Vec<PromotionStepStatus>, Vec<String>) {
    for _ in 0..1_000 {
        if let Ok(Passed::Ended(_)) = world.try_run().await {
            let progress = world.journal.last().progress.clone();
            let records = progress.step_execution_metadata.iter();
            let statuses = records.map(|record| record.status.clone()).collect();
            return (json!(progress.state), statuses, world.files());
        }
    }
    panic!("the promotion does not end");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_promotion_that_is_killed_often_ends_like_one_that_is_not(
        polls in prop::collection::vec(0_u8..3, 0..3),
        kills in prop::collection::vec(0_usize..4, 0..6),
        leaves_out in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let want = outcome(&mut promotion(&polls)).await;
            let mut world = promotion(&polls);
            if leaves_out {
                world.journal.leave_out();
            }
            let mut runs_at_most = world.order.steps.len() + polls.iter().map(|it| usize::from(*it)).sum::<usize>();
            for writes in kills {
                world.journal.fail_after(writes);
                let _ = world.try_run().await;
                runs_at_most += 1;
            }
            world.journal.fail_never();
            prop_assert_eq!(outcome(&mut world).await, want);
            // Each kill repeats the step it hit, and no other.
            prop_assert!(world.runs().len() <= runs_at_most, "{:?}", world.runs());
            Ok(())
        })?;
    }
}
