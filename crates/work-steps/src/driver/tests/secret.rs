//! Secrets reach steps, and nothing else.

use core_expr::{Answer, Request};
use serde_json::json;

use super::world::{World, step_with};
use crate::driver::Passed;

const TOKEN: &str = "t0k3n-of-some-length";

fn world() -> World {
    let world = World::new([
        step_with("echo", json!({"as": "get", "config": {"t": "Bearer ${{ secret('s').token }}"}})),
        step_with("poll", json!({"as": "wait", "config": {"times": 1}})),
        step_with("echo", json!({"as": "use", "config": {"again": "${{ outputs.get.t }}"}})),
        step_with("say", json!({"as": "say", "config": {"line": format!("found {TOKEN}")}})),
    ]);
    let data = [("token".to_owned(), TOKEN.as_bytes().to_vec())].into();
    let answer = Answer::Secret { labels: [].into(), data };
    world.control_plane.answers.lock().insert(Request::Secret("s".into()), answer);
    world
}

#[tokio::test]
async fn a_secret_output_is_blank_in_the_journal_and_whole_for_later_steps_after_a_restart() {
    let mut world = world();
    assert!(matches!(world.run().await, Passed::Waiting(_)));
    assert_eq!(json!(world.journal.last().progress.state["get"]), json!({"t": "***"}));
    // Every pass opens the Promotion anew from the journal.
    assert!(matches!(world.run().await, Passed::Ended(_)));
    let configs = world.configs();
    assert!(configs.contains(&json!({"again": format!("Bearer {TOKEN}")})), "{configs:?}");
    assert_eq!(json!(world.journal.last().progress.state["use"]), json!({"again": "***"}));
}

#[tokio::test]
async fn no_secret_is_told_anywhere() {
    let mut world = world();
    while let Passed::Waiting(_) = world.run().await {}
    let told = format!("{:?} {:?}", world.journal.entries(), world.seen());
    assert!(!told.contains(TOKEN), "{told}");
    assert!(told.contains("said found ***"), "{told}");
    let logs = world.open(world.journal.last().progress.clone()).directory().logs();
    assert_eq!(logs, [("003-say.log".to_owned(), "found ***\n".to_owned())]);
}
