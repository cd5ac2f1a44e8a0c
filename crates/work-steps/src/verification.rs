//! What the arguments of a verification say.
//!
//! They see the Project, the Stage, its variables, the Freight that is verified, and the objects
//! that promotion steps may look at too. What they make is text, as arguments of AnalysisRuns are.

use api_kinds::{
    Stage,
    collection::{FreightCollection, FreightReference},
    verification::{AnalysisRunArgument, Verification},
};
use core_clock::Time;
use core_expr::{
    Answers, Error, ErrorKind, Failure, Host, Library, Promotion, PromotionContext, Scope,
    Template, Value, Variables,
};
use core_rules::verification::EvaluatedArgument;
use jiff::Timestamp;

use crate::{
    evaluation::{RenderError, answered, as_map},
    port::ControlPlane,
};

/// Why the arguments of a verification have no values. Neither text holds a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// They never will.
    #[error("{0}")]
    Invalid(String),
    /// An object that they ask for could not be looked at; it may be later.
    #[error("{0}")]
    Unanswered(String),
}

impl From<RenderError> for ArgumentError {
    fn from(error: RenderError) -> Self {
        match error {
            RenderError::Invalid(message) => Self::Invalid(message),
            RenderError::Unanswered(message) => Self::Unanswered(message),
        }
    }
}

/// The arguments that the verification of a Stage gives, in its order, for what the Stage holds.
/// One with an empty value gives none.
pub async fn evaluate_arguments(
    control_plane: &dyn ControlPlane,
    stage: &Stage,
    collection: &FreightCollection,
    now: Time,
) -> Result<Vec<EvaluatedArgument>, ArgumentError> {
    let given = stage.spec.verification.as_ref().map_or(&[][..], |it: &Verification| &it.args);
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let arguments = Arguments {
        project: stage.metadata.namespace.as_deref().unwrap_or_default(),
        stage,
        freight: collection.freight.values().cloned().collect(),
        now: Timestamp::from_microsecond(now.as_micros()).unwrap_or_default(),
    };
    let rendered = answered(control_plane, arguments.project, |answers, _| {
        let variables = arguments.variables(answers)?;
        let given = given.iter().filter(|argument| !argument.value.is_empty());
        given.map(|argument| arguments.evaluate(argument, &variables, answers)).collect()
    });
    Ok(rendered.await?.value)
}

/// What the arguments of one verification see.
struct Arguments<'a> {
    project: &'a str,
    stage: &'a Stage,
    freight: Vec<FreightReference>,
    now: Timestamp,
}

impl Arguments<'_> {
    fn evaluate(
        &self,
        argument: &AnalysisRunArgument,
        variables: &Variables,
        answers: &Answers,
    ) -> Result<EvaluatedArgument, Failure> {
        let AnalysisRunArgument { name, value } = argument;
        let is_about = |failure| about("argument", name, failure);
        let template = Template::parse(value).map_err(|error| is_about(error.into()))?;
        let evaluated = self
            .within(variables, answers, |scope| template.evaluate_text(Library::VARIABLES, scope))
            .map_err(is_about)?;
        let Some(text) = evaluated.as_text() else {
            let message = format!("evaluated argument {name:?} value is not a string but <nil>");
            return Err(Error { kind: ErrorKind::Run, range: 0..value.len(), message }.into());
        };
        Ok(EvaluatedArgument {
            name: name.clone(),
            value: text.to_str().into_owned(),
            is_secret: evaluated.is_tainted(),
        })
    }

    /// The Stage's own variables; each sees those before it.
    fn variables(&self, answers: &Answers) -> Result<Variables, Failure> {
        let mut vars: Vec<(&str, Value)> = Vec::new();
        for variable in &self.stage.spec.vars {
            let name = &variable.name;
            let is_about = |failure| about("variable", name, failure);
            let template = Template::parse(&variable.value).map_err(|it| is_about(it.into()))?;
            let value = self
                .within(&self.seen(&vars), answers, |scope| {
                    template.evaluate(Library::VARIABLES, scope)
                })
                .map_err(is_about)?;
            vars.push((name, value));
        }
        Ok(self.seen(&vars))
    }

    fn seen(&self, vars: &[(&str, Value)]) -> Variables {
        let stage = self.stage.metadata.name.as_deref().unwrap_or_default();
        PromotionContext::verification_variables(self.project, stage, as_map(vars))
    }

    fn within<T>(
        &self,
        variables: &Variables,
        answers: &Answers,
        evaluate: impl FnOnce(&Scope<'_>) -> T,
    ) -> T {
        let promotion = Promotion {
            requests: &self.stage.spec.requested_freight,
            freight: &self.freight,
            step: "",
            steps: &[],
            answers,
        };
        evaluate(&Scope::new(variables, self.now).with_host(Host::Promotion(&promotion)))
    }
}

/// Says what an error is about.
fn about(what: &str, name: &str, failure: Failure) -> Failure {
    match failure {
        Failure::Invalid(error) => {
            let message = format!("{what} {name:?}: {}", error.message);
            Failure::Invalid(Error { message, ..error })
        }
        needs @ Failure::Needs(_) => needs,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use core_expr::{Answer, Request};
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::{port::LookupError, testbed::FakeControlPlane};

    const NOW: Time = Time::from_seconds(1_767_323_045);

    fn stage(vars: Json, args: Json) -> Stage {
        serde_json::from_value(json!({
            "metadata": { "name": "dev", "namespace": "demo" },
            "spec": {
                "vars": vars,
                "requestedFreight": [
                    { "origin": { "kind": "Warehouse", "name": "w" }, "sources": { "direct": true } },
                ],
                "verification": { "args": args },
            },
        }))
        .unwrap()
    }

    fn collection() -> FreightCollection {
        serde_json::from_value(json!({ "id": "c", "items": { "Warehouse/w": {
            "name": "f",
            "origin": { "kind": "Warehouse", "name": "w" },
            "images": [{ "repoURL": "example.com/app", "tag": "1.10" }],
        } } }))
        .unwrap()
    }

    fn control_plane() -> FakeControlPlane {
        let control_plane = FakeControlPlane::default();
        let data = BTreeMap::from([("token".to_owned(), b"s3cret".to_vec())]);
        let secret = Answer::Secret { labels: BTreeMap::new(), data };
        control_plane.answers.lock().insert(Request::Secret("s".to_owned()), secret);
        control_plane
    }

    async fn evaluate(vars: Json, args: Json) -> Result<Vec<EvaluatedArgument>, ArgumentError> {
        evaluate_arguments(&control_plane(), &stage(vars, args), &collection(), NOW).await
    }

    async fn value(text: &str) -> Result<String, ArgumentError> {
        let evaluated = evaluate(json!([]), json!([{ "name": "a", "value": text }])).await?;
        Ok(evaluated.into_iter().map(|it| it.value).collect())
    }

    #[tokio::test]
    async fn arguments_see_the_stage_its_variables_and_the_freight() {
        let vars = json!([
            { "name": "host", "value": "${{ ctx.stage }}.${{ ctx.project }}" },
            { "name": "url", "value": "https://${{ vars.host }}" },
        ]);
        let args = json!([
            { "name": "url", "value": "${{ vars.url }}/healthz" },
            { "name": "unset", "value": "" },
            { "name": "tag", "value": "${{ imageFrom('example.com/app', warehouse('w')).Tag }}" },
            { "name": "token", "value": "${{ secret('s').token }}" },
        ]);
        let evaluated = evaluate(vars, args).await.unwrap();
        let short: Vec<_> =
            evaluated.iter().map(|it| (&*it.name, &*it.value, it.is_secret)).collect();
        assert_eq!(
            short,
            [
                ("url", "https://dev.demo/healthz", false),
                ("tag", "1.10", false),
                ("token", "s3cret", true),
            ]
        );
    }

    #[tokio::test]
    async fn whatever_an_argument_looks_like_it_is_text() {
        for (text, want) in [
            ("42", "42"),
            ("${{ 42 }}", "42"),
            ("${{ 0.5 }}", "0.5"),
            ("${{ 1 == 1 }}", "true"),
            ("${{ '1.10' }}", "1.10"),
            ("${{ quote(42) }}", "42"),
            ("{\"app\": \"${{ ctx.stage }}\"}", "{\"app\": \"dev\"}"),
        ] {
            assert_eq!(value(text).await.as_deref(), Ok(want), "{text}");
        }
    }

    #[tokio::test]
    async fn what_cannot_be_evaluated_is_named_without_secrets() {
        let message = value("${{ nil }}").await.unwrap_err().to_string();
        assert_eq!(message, "evaluated argument \"a\" value is not a string but <nil>");
        let message = value("${{ semverParse(secret('s').token) }}").await.unwrap_err().to_string();
        assert!(message.starts_with("argument \"a\": "), "{message}");
        assert!(!message.contains("s3cret"), "{message}");
        let vars = json!([{ "name": "v", "value": "${{" }]);
        let message = evaluate(vars, json!([{ "name": "a", "value": "x" }])).await.unwrap_err();
        assert!(message.to_string().starts_with("variable \"v\": unclosed"), "{message}");
    }

    #[tokio::test]
    async fn a_silent_control_plane_is_asked_again_later() {
        let control_plane = control_plane();
        let stage = stage(json!([]), json!([{ "name": "a", "value": "${{ secret('s') }}" }]));
        for is_temporary in [true, false] {
            let message = "busy".to_owned();
            *control_plane.failure.lock() = Some(LookupError { message, is_temporary });
            let error = evaluate_arguments(&control_plane, &stage, &collection(), NOW).await;
            let is_unanswered = matches!(error, Err(ArgumentError::Unanswered(_)));
            assert_eq!(is_unanswered, is_temporary, "{error:?}");
        }
    }
}
