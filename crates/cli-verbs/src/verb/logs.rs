//! `kargo logs`: the log of an AnalysisRun, as it is written.

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _},
    scope_args::ProjectArg,
    session::ConnectionArgs,
};

/// Show the log of an AnalysisRun
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
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

pub(super) async fn logs(env: &Env, args: &LogsArgs) -> CliResult {
    let name = cobra::exactly_one(&args.names, "logs")?;
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    let (metric, container) = (args.metric.as_deref(), args.container.as_deref());
    let action = format!("get logs of analysis run {name}");
    let opened = session.client.analysis_run_logs(&project, name, metric, container).await;
    let mut log = opened.context(&action)?;
    while let Some(piece) = log.next().await.context(&action)? {
        env.out(&piece)?;
    }
    Ok(())
}
