//! `kargo refresh`: has the controllers look at an object now, and may wait until they did.

use api_kinds::annotations;
use cli_client::{Event, Object, Watch};

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _},
    scope_args::ProjectArg,
    session::{ConnectionArgs, Session},
    verb::promote::{TimeoutArg, timed_out},
};

/// Have the controllers look at an object again
#[derive(clap::Args, Debug)]
#[command(disable_help_subcommand = true)]
pub struct RefreshArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Look at the settings of the installation again
    #[command(name = "clusterconfig", alias = "clusterconfigs")]
    ClusterConfig(CommonArgs),
    /// Look at the settings of a Project again
    #[command(name = "projectconfig", alias = "projectconfigs")]
    ProjectConfig(ProjectConfigArgs),
    /// Look at a Stage again
    #[command(alias = "stages")]
    Stage(NamedArgs),
    /// Look at a Warehouse, and for artifacts, again
    #[command(alias = "warehouses")]
    Warehouse(NamedArgs),
}

#[derive(clap::Args, Debug)]
struct CommonArgs {
    /// Wait until the controllers did
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    timeout: TimeoutArg,
    #[command(flatten)]
    connection: ConnectionArgs,
}

#[derive(clap::Args, Debug)]
struct ProjectConfigArgs {
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(clap::Args, Debug)]
struct NamedArgs {
    /// Its name
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    common: CommonArgs,
}

pub(super) async fn refresh(env: &Env, args: &RefreshArgs) -> CliResult {
    match &args.what {
        What::ClusterConfig(args) => cluster_config(env, args).await,
        What::ProjectConfig(args) => project_config(env, args).await,
        What::Stage(args) => stage(env, args).await,
        What::Warehouse(args) => warehouse(env, args).await,
    }
}

async fn cluster_config(env: &Env, args: &CommonArgs) -> CliResult {
    let session = env.session(&args.connection).await?;
    let config = session.client.cluster_config();
    config.refresh().await.context("refresh cluster config")?;
    if args.wait {
        let watch = config.watch().await.context("wait for cluster config")?;
        handled(env, args, watch).await.context("wait for cluster config")?;
    }
    env.out_line("ClusterConfig 'cluster' refreshed")
}

async fn project_config(env: &Env, args: &ProjectConfigArgs) -> CliResult {
    let session = env.session(&args.common.connection).await?;
    let project = args.project.resolve(env, &session)?;
    let config = session.client.project_config(&project);
    config.refresh().await.context("refresh project config")?;
    if args.common.wait {
        let watch = config.watch().await.context("wait for project config")?;
        handled(env, &args.common, watch).await.context("wait for project config")?;
    }
    env.out_line(&format!("ProjectConfig '{project}/{project}' refreshed"))
}

async fn stage(env: &Env, args: &NamedArgs) -> CliResult {
    let name = cobra::exactly_one(&args.names, "refresh stage")?;
    let (session, project) = args.prepared(env).await?;
    args.named(env, session.client.stages(&project), name, ("Stage", &project)).await
}

async fn warehouse(env: &Env, args: &NamedArgs) -> CliResult {
    let name = cobra::exactly_one(&args.names, "refresh warehouse")?;
    let (session, project) = args.prepared(env).await?;
    args.named(env, session.client.warehouses(&project), name, ("Warehouse", &project)).await
}

impl NamedArgs {
    async fn prepared(&self, env: &Env) -> CliResult<(Session, String)> {
        let session = env.session(&self.common.connection).await?;
        let project = self.project.resolve(env, &session)?;
        Ok((session, project))
    }

    async fn named(
        &self,
        env: &Env,
        collection: cli_client::Collection,
        name: &str,
        (kind, project): (&str, &str),
    ) -> CliResult {
        let noun = kind.to_lowercase();
        collection.refresh(name).await.context(format!("refresh {noun} {name}"))?;
        if self.common.wait {
            let action = format!("wait for {noun} {name}");
            let watch = collection.watch(name).await.context(&action)?;
            handled(env, &self.common, watch).await.context(&action)?;
        }
        env.out_line(&format!("{kind} '{project}/{name}' refreshed"))
    }
}

/// Waits until the controllers say that they saw the request.
async fn handled(env: &Env, args: &CommonArgs, mut watch: Watch) -> CliResult {
    let seen = async {
        loop {
            if let Event::Object(_, object) = watch.next().await?
                && is_handled(&object)
            {
                return CliResult::Ok(());
            }
        }
    };
    env.within(args.timeout.limit(), seen).await.ok_or_else(timed_out)?
}

fn is_handled(object: &Object) -> bool {
    let asked = object.annotation(annotations::REFRESH);
    asked == object.text("/status/lastHandledRefresh")
}
