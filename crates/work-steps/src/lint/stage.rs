//! What is wrong with a Stage beside its promotion process: its variables, and the arguments of its verification.

use api_kinds::stage::StageSpec;

use super::{Finding, Known, expression::Expressions};

/// Everything that is wrong with the variables of a Stage and the arguments of its verification.
pub fn lint_stage(stage: &StageSpec, known: Known<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, variable) in stage.vars.iter().enumerate() {
        let before = stage.vars.get(..index).unwrap_or_default();
        let field = format!("spec.vars[{index}].value");
        Expressions::of_stage(before, known).check(&field, &variable.value, &mut findings);
    }
    let arguments = stage.verification.iter().flat_map(|verification| &verification.args);
    for (index, argument) in arguments.enumerate() {
        let field = format!("spec.verification.args[{index}].value");
        Expressions::of_stage(&stage.vars, known).check(&field, &argument.value, &mut findings);
    }
    findings
}

#[cfg(test)]
mod tests {
    use api_kinds::{Stage, Warehouse};
    use serde_json::{Value, json};

    use super::*;

    fn findings(spec: Value) -> Vec<String> {
        let stage: Stage = serde_json::from_value(json!({ "spec": spec })).unwrap();
        let subscriptions = json!([{ "image": { "repoURL": "example.com/app" } }]);
        let warehouse = json!({ "spec": { "subscriptions": subscriptions } });
        let warehouse: Warehouse = serde_json::from_value(warehouse).unwrap();
        let subscriptions: Vec<_> = warehouse.spec.subscriptions.iter().collect();
        let known = Known { tasks: None, subscriptions: Some(&subscriptions) };
        lint_stage(&stage.spec, known).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_sound_stage_gives_no_finding() {
        let spec = json!({
            "vars": [
                { "name": "host", "value": "${{ ctx.stage }}.example.com" },
                { "name": "url", "value": "https://${{ vars.host }}" },
            ],
            "verification": { "args": [
                { "name": "url", "value": "${{ vars.url }}/${{ imageFrom('example.com/app').Tag }}" },
                { "name": "literal", "value": "1" },
            ] },
        });
        assert_eq!(findings(spec), Vec::<String>::new());
    }

    #[test]
    fn names_that_lead_nowhere_and_unreadable_expressions_are_found() {
        let spec = json!({
            "vars": [
                { "name": "url", "value": "${{ vars.host }}" },
                { "name": "host", "value": "x" },
            ],
            "verification": { "args": [
                { "name": "a", "value": "${{ vars.hots }}" },
                { "name": "b", "value": "${{ outputs.deploy.x }}" },
                { "name": "c", "value": "${{ imageFrom('example.com/other').Tag }}" },
                { "name": "d", "value": "${{ 1" },
            ] },
        });
        assert_eq!(
            findings(spec),
            [
                "spec.vars[0].value: vars.host is not defined before this place",
                "spec.verification.args[0].value: vars.hots is not defined before this place; did you mean vars.host?",
                "spec.verification.args[1].value: there is no step \"deploy\" before this place",
                "spec.verification.args[2].value: imageFrom(\"example.com/other\"): no Warehouse of this Stage subscribes to it",
                "spec.verification.args[3].value: unclosed expression: expected \"}}\" but reached end of template",
            ]
        );
    }
}
