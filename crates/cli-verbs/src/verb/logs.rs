//! `kargo logs`: the log of an AnalysisRun as it is written, or what the steps of a Promotion told.

use serde_json::Value;

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _, Exit, Failure},
    scope_args::ProjectArg,
    session::{ConnectionArgs, Session},
};

/// What to do where the server has no logs to offer.
const NOT_OFFERED: &str = "the server finds logs by its setting ANALYSIS_RUN_LOG_URL_TEMPLATE";

/// Show the log of an AnalysisRun or of a Promotion
#[derive(clap::Args, Debug)]
pub struct LogsArgs {
    /// The AnalysisRun
    #[arg(value_name = "ANALYSISRUN")]
    names: Vec<String>,
    #[command(flatten)]
    project: ProjectArg,
    /// The metric, where there are several that run Jobs
    #[arg(long, value_name = "METRIC")]
    metric: Option<String>,
    /// The container, where the Job has several
    #[arg(long, value_name = "CONTAINER")]
    container: Option<String>,
    /// A Promotion, in place of an AnalysisRun
    #[arg(long, value_name = "NAME", conflicts_with_all = ["names", "metric", "container"])]
    promotion: Option<String>,
    /// One step of the Promotion, by its alias or its position from 0
    #[arg(long, value_name = "STEP", requires = "promotion")]
    step: Option<String>,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn logs(env: &Env, args: &LogsArgs) -> CliResult {
    if let Some(promotion) = &args.promotion {
        return of_promotion(env, args, promotion).await;
    }
    let name = cobra::exactly_one(&args.names, "logs")?;
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    let (metric, container) = (args.metric.as_deref(), args.container.as_deref());
    let action = format!("get logs of analysis run {name}");
    let opened = session.client.analysis_run_logs(&project, name, metric, container).await;
    let not_offered = opened.as_ref().err().and_then(cli_client::Error::status) == Some(501);
    let mut log = opened
        .context(&action)
        .map_err(|failure| if not_offered { failure.hint(NOT_OFFERED) } else { failure })?;
    while let Some(piece) = log.next().await.context(&action)? {
        env.out(&piece)?;
    }
    Ok(())
}

async fn of_promotion(env: &Env, args: &LogsArgs, name: &str) -> CliResult {
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    if let Some(step) = &args.step {
        let log = session.client.step_log(&project, name, step).await;
        return env.out(&log.context(format!("get log of step {step}"))?);
    }
    all_steps(env, &session, &project, name).await
}

/// The logs of all steps that told something, each below its name.
async fn all_steps(env: &Env, session: &Session, project: &str, name: &str) -> CliResult {
    let promotion = session.client.promotions(project).get(name).await;
    let promotion = promotion.context(format!("get promotion {name}"))?;
    let steps = promotion.value().pointer("/spec/steps").and_then(Value::as_array);
    for (at, step) in steps.into_iter().flatten().enumerate() {
        let log = session.client.step_log(project, name, &at.to_string()).await;
        let log = match log.context(format!("get log of step {at}")) {
            // It told nothing, or did not run.
            Err(Failure { exit: Exit::NotFound, .. }) => continue,
            log => log?,
        };
        let field = |field: &str| step.get(field).and_then(Value::as_str);
        let title = field("as").or_else(|| field("uses")).unwrap_or_default();
        env.out(&format!("--- {at} {title}\n{log}"))?;
    }
    Ok(())
}
