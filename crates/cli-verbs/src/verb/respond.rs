//! `kargo respond`: answers a step of a Promotion that asks people.

use cli_client::RespondRequest;
use serde_json::{Map, Value};

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _, Failure},
    scope_args::ProjectArg,
    session::{ConnectionArgs, Session},
};

/// Answer a step of a Promotion that asks people
#[derive(clap::Args, Debug)]
#[command(disable_help_subcommand = true)]
pub struct RespondArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Approve or reject what a step asks, or give the values that it asks for
    #[command(alias = "promotions", alias = "promo", alias = "promos")]
    Promotion(PromotionArgs),
}

#[derive(clap::Args, Debug)]
struct PromotionArgs {
    /// The Promotion
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    project: ProjectArg,
    /// The alias of the step
    #[arg(long, value_name = "ALIAS")]
    step: Option<String>,
    /// Let the Promotion go on
    #[arg(long)]
    approve: bool,
    /// Have the step fail
    #[arg(long)]
    reject: bool,
    /// A value that the step asks for; repeat it for more. What is not text is written as JSON
    #[arg(long, value_name = "KEY=VALUE")]
    input: Vec<String>,
    /// A word to those who read it later
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn respond(env: &Env, args: &RespondArgs) -> CliResult {
    let What::Promotion(args) = &args.what;
    let name = cobra::exactly_one(&args.names, "respond promotion")?;
    let choices =
        [("approve", args.approve), ("reject", args.reject), ("input", !args.input.is_empty())];
    cobra::required(&[("step", args.step.is_some())])?;
    cobra::one_required(&choices)?;
    cobra::exclusive(&choices)?;
    let step = args.step.as_deref().unwrap_or_default();
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    let (action, done) = match (args.approve, args.reject) {
        (true, _) => ("approve", "approved"),
        (_, true) => ("reject", "rejected"),
        _ => ("submit", "answered"),
    };
    let answer = RespondRequest {
        action: action.to_owned(),
        message: args.message.clone().unwrap_or_default(),
        values: args.values(&session, &project, name, step).await?,
    };
    let given = session.client.respond(&project, name, step, &answer).await;
    given.context(format!("respond to step {step} of promotion {name}"))?;
    env.out_line(&format!("step '{step}' of Promotion '{project}/{name}' {done}"))
}

impl PromotionArgs {
    /// The values, each of the type that the step asks for.
    async fn values(
        &self,
        session: &Session,
        project: &str,
        name: &str,
        step: &str,
    ) -> CliResult<Map<String, Value>> {
        if self.input.is_empty() {
            return Ok(Map::new());
        }
        let entries: Vec<(&str, &str)> =
            self.input.iter().map(|text| entry(text)).collect::<CliResult<_>>()?;
        let prompt = session.client.step_prompt(project, name, step).await;
        let prompt = prompt.context(format!("get the prompt of step {step}"))?;
        let schema = prompt.schema.unwrap_or_default();
        let typed = |(key, text): (&str, &str)| (key.to_owned(), value(&schema, key, text));
        Ok(entries.into_iter().map(typed).collect())
    }
}

fn entry(text: &str) -> CliResult<(&str, &str)> {
    let found = text.split_once('=').filter(|(key, _)| !key.is_empty());
    found.ok_or_else(|| Failure::usage(format!("invalid --input {text:?}: expected key=value")))
}

/// Text where text is asked for; otherwise what the text says as JSON, if it is JSON.
fn value(schema: &Value, key: &str, text: &str) -> Value {
    let kind = schema.get("properties").and_then(|all| all.get(key)?.get("type"));
    let is_text = match kind {
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
        _ => false,
    };
    if is_text {
        return text.into();
    }
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_of_the_type_that_is_asked_for() {
        let schema = json!({"properties": {
            "version": {"type": "string"}, "count": {"type": "integer"}, "free": {},
            "either": {"type": ["string", "null"]}, "days": {"type": "array"}}});
        for (key, text, wanted) in [
            ("version", "1.20", json!("1.20")),
            ("count", "3", json!(3)),
            ("count", "many", json!("many")),
            ("free", "true", json!(true)),
            ("free", "night", json!("night")),
            ("either", "5", json!("5")),
            ("days", r#"["mon"]"#, json!(["mon"])),
            ("unknown", "1", json!(1)),
        ] {
            assert_eq!(value(&schema, key, text), wanted, "{key}={text}");
        }
    }

    #[test]
    fn inputs_may_hold_equal_signs() {
        assert_eq!(entry("a=b=c").unwrap(), ("a", "b=c"));
        assert!(entry("a").is_err() && entry("=b").is_err());
    }
}
