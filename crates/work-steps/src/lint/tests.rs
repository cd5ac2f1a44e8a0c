use std::collections::BTreeMap;

use api_kinds::{
    Warehouse,
    step::{ExpressionVariable, PromotionStep},
};
use core_rules::promotion::Task;
use serde_json::{Value, json};

use super::{Known, Process, Scope, lint};

fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn findings_in(scope: Scope, vars: Value, steps: Value) -> Vec<String> {
    let (vars, steps): (Vec<ExpressionVariable>, Vec<PromotionStep>) = (read(vars), read(steps));
    let task = json!({"steps": [{"uses": "compose-output", "as": "inner"}]});
    let tasks = BTreeMap::from([(Task::Project("known".to_owned()), read(task))]);
    let subscriptions = json!([{"git": {"repoURL": "https://git.example/repo.git"}}]);
    let warehouse: Warehouse = read(json!({"spec": {"subscriptions": subscriptions}}));
    let subscriptions: Vec<_> = warehouse.spec.subscriptions.iter().collect();
    let known = Known { tasks: Some(&tasks), subscriptions: Some(&subscriptions) };
    let process =
        Process { path: "spec", steps: &steps, vars: &vars, outer_vars: &[], scope, known };
    lint(&process).iter().map(ToString::to_string).collect()
}

fn findings(vars: Value, steps: Value) -> Vec<String> {
    findings_in(Scope::Stage, vars, steps)
}

#[test]
fn a_sound_process_gives_no_finding() {
    let vars = json!([{"name": "repo", "value": "https://git.example/repo"}, {"name": "url", "value": "${{ vars.repo }}.git"}]);
    let steps = json!([
        {"task": {"name": "known"}, "as": "t"},
        {"uses": "compose-output", "as": "x", "config": {"a": "${{ commitFrom('https://git.example/repo').ID }}", "b": "${{ outputs['t::inner'].z + outputs.t.z }}"}},
        {"uses": "fail", "if": "${{ failure() && status('x') == 'Failed' }}", "config": {"message": "${{ vars.url }} ${{ vars.own }}"}, "vars": [{"name": "own", "value": "1"}]},
    ]);
    assert_eq!(findings(vars, steps), Vec::<String>::new());
}

#[test]
fn kinds_and_tasks_must_exist() {
    let steps = json!([{"uses": "compose-outputs"}, {"uses": "brew-coffee"}, {"task": {"name": "unknown"}}]);
    assert_eq!(
        findings(json!([]), steps),
        [
            r#"spec.steps[0].uses: there is no step "compose-outputs"; did you mean "compose-output"?"#,
            r#"spec.steps[1].uses: there is no step "brew-coffee""#,
            r#"spec.steps[2].task.name: there is no PromotionTask "unknown" here"#,
        ]
    );
}

#[test]
fn configurations_are_held_to_their_schema_as_far_as_they_are_known() {
    let steps = json!([
        {"uses": "fail", "config": {"mesage": "x"}},
        {"uses": "set-freight-alias", "config": {"name": "${{ ctx.targetFreight.name }}"}},
        {"uses": "fail", "config": {"message": "${{ 1 }}"}},
        {"uses": "compose-output"},
    ]);
    assert_eq!(
        findings(json!([]), steps),
        [
            r#"spec.steps[0].config: step "step-1" will be refused by fail: mesage: unknown field"#,
            r#"spec.steps[1].config: step "step-2" will be refused by set-freight-alias: alias: is required"#,
            r#"spec.steps[3].config: step "step-4" will be refused by compose-output: must have at least one member"#,
        ]
    );
}

#[test]
fn names_in_expressions_must_lead_somewhere() {
    let vars =
        json!([{"name": "a", "value": "${{ vars.later }}"}, {"name": "later", "value": "x"}]);
    let steps = json!([
        {"uses": "compose-output", "as": "one", "config": {"a": "${{ outputs.two.x }}", "b": "${{ outputs.none.x }}"}},
        {"uses": "compose-output", "as": "two", "config": {"a": "${{ vars.latr }}", "b": ["${{ imageFrom('nginx').Tag }}"]}},
        {"uses": "fail", "if": "${{ status('ome') == 'Failed' }}"},
    ]);
    assert_eq!(
        findings(vars, steps),
        [
            "spec.vars[0].value: vars.later is not defined before this place",
            r#"spec.steps[0].config.a: step "two" has not run at this place: it comes later"#,
            r#"spec.steps[0].config.b: there is no step "none" before this place"#,
            "spec.steps[1].config.a: vars.latr is not defined before this place; did you mean vars.later?",
            r#"spec.steps[1].config.b[0]: imageFrom("nginx"): no Warehouse of this Stage subscribes to it"#,
            r#"spec.steps[2].if: there is no step "ome" before this place; did you mean "one"?"#,
        ]
    );
}

#[test]
fn expressions_must_be_readable_and_conditions_expressions() {
    let steps = json!([
        {"uses": "fail", "if": "true", "config": {"message": "${{ 1 + }}"}},
        {"uses": "fail", "if": "${{ true", "config": {"message": "x"}},
    ]);
    let findings = findings(json!([]), steps);
    assert_eq!(findings.len(), 3, "{findings:?}");
    assert!(
        findings[0]
            .starts_with(r#"spec.steps[0].if: "true" is not an expression and cannot decide"#),
        "{findings:?}"
    );
    assert!(findings[1].starts_with("spec.steps[0].config.message: "), "{findings:?}");
    assert!(findings[2].starts_with("spec.steps[1].if: unclosed expression"), "{findings:?}");
}

#[test]
fn a_task_may_use_what_its_stages_bring_but_only_its_own_steps() {
    let steps = json!([
        {"uses": "compose-output", "as": "one", "config": {"a": "${{ vars.fromStage + outputs.elsewhere.x }}"}},
        {"uses": "compose-output", "config": {"a": "${{ task.outputs.one.a + task.outputs.two.a }}"}},
    ]);
    assert_eq!(
        findings_in(Scope::Task, json!([]), steps),
        [r#"spec.steps[1].config.a: there is no step "two" before this place"#,]
    );
}
