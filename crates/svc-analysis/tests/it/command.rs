//! Metrics of programs.

use serde_json::{Value, json};

use crate::world::{World, verdict};

const PATH: (&str, &str) = ("PATH", "/usr/bin:/bin");

fn spec(command: Value, condition: &str) -> Value {
    json!({"metrics": [{
        "name": "m", "successCondition": condition, "consecutiveErrorLimit": 0,
        "provider": {"plugin": {"kargo.akuity.io/command": command}},
    }]})
}

#[tokio::test]
async fn what_a_program_prints_is_the_result() {
    let world = World::start(&[PATH]).await;
    let script = "printf '{\"ok\": %s}' \"$ANSWER\"";
    let command = json!({"command": "sh", "args": ["-c", script], "env": {"ANSWER": "true"}});
    world.create("r", spec(command, "result.ok")).await;
    let run = world.ended("r").await;
    assert_eq!(verdict(&run), ("Successful", ""));
    assert_eq!(run.status.metric_results[0].measurements[0].value, r#"{"ok":true}"#);
}

#[tokio::test]
async fn a_program_that_fails_is_a_bad_measurement() {
    let world = World::start(&[PATH]).await;
    let command = json!({"command": "sh", "args": ["-c", "echo disk is full >&2; exit 3"]});
    world.create("r", spec(command, "")).await;
    let run = world.ended("r").await;
    let why = "Metric \"m\" assessed Failed due to failed (1) > failureLimit (0): \
               \"Error Message: disk is full\"";
    assert_eq!(verdict(&run), ("Failed", why));
    assert_eq!(run.status.metric_results[0].measurements[0].value, "exit status: 3");
}

#[tokio::test]
async fn a_program_that_cannot_run_is_an_error() {
    let world = World::start(&[PATH]).await;
    let rows = [
        (json!({"command": "no-such-program"}), "no-such-program could not be started"),
        (
            json!({"command": "sleep", "args": ["60"], "timeout": "200ms"}),
            "sleep was ended because it took longer",
        ),
    ];
    for (index, (command, expected)) in rows.into_iter().enumerate() {
        let name = format!("r{index}");
        world.create(&name, spec(command, "")).await;
        let run = world.ended(&name).await;
        assert_eq!(run.status.phase.as_str(), "Error");
        assert!(run.status.message.contains(expected), "{}", run.status.message);
    }
}

#[tokio::test]
async fn programs_run_only_where_the_operator_lets_them() {
    let world = World::start(&[PATH, ("ANALYSIS_COMMANDS_ENABLED", "false")]).await;
    world.create("r", spec(json!({"command": "true"}), "")).await;
    let run = world.ended("r").await;
    assert_eq!(run.status.phase.as_str(), "Error");
    assert!(
        run.status.message.contains("ANALYSIS_COMMANDS_ENABLED=true"),
        "{}",
        run.status.message
    );
}
