//! Objects of the installation and of Projects, by name.

use cli_client::{Collection, Kind, Object, Scope};
use serde_json::json;

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _, Failure},
    output::PrintArgs,
    scope_args::ProjectArg,
    session::{ConnectionArgs, Session},
};

#[derive(clap::Args, Debug)]
pub(super) struct ProjectsArgs {
    /// The Projects
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

#[derive(clap::Args, Debug)]
pub(super) struct NamedArgs {
    /// Their names
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

#[derive(clap::Args, Debug)]
pub(super) struct ProjectConfigArgs {
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

#[derive(clap::Args, Debug)]
pub(super) struct ClusterConfigArgs {
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn delete_projects(env: &Env, args: &ProjectsArgs) -> CliResult {
    let names = cobra::at_least_one(&args.names, "delete project")?;
    let session = env.session(&args.connection).await?;
    let doing = Deleting { noun: "project", namespace: String::new(), print: &args.print };
    doing.all(env, &session.client.projects(), &names).await
}

pub(super) async fn delete_stages(env: &Env, args: &NamedArgs) -> CliResult {
    let names = cobra::at_least_one(&args.names, "delete stage")?;
    let (session, doing) = args.prepared(env, "stage").await?;
    doing.all(env, &session.client.stages(&doing.namespace), &names).await
}

pub(super) async fn delete_warehouses(env: &Env, args: &NamedArgs) -> CliResult {
    let names = cobra::at_least_one(&args.names, "delete warehouse")?;
    let (session, doing) = args.prepared(env, "warehouse").await?;
    doing.all(env, &session.client.warehouses(&doing.namespace), &names).await
}

pub(super) async fn delete_roles(env: &Env, args: &NamedArgs) -> CliResult {
    let names = cobra::at_least_one(&args.names, "delete role")?;
    let (session, doing) = args.prepared(env, "role").await?;
    let scope = Scope::Project(doing.namespace.clone());
    doing.all(env, &session.client.roles(&scope), &names).await
}

pub(super) async fn delete_project_config(env: &Env, args: &ProjectConfigArgs) -> CliResult {
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    session.client.project_config(&project).delete().await.context("delete project config")?;
    env.show_done(&args.print, &shell(Kind::PROJECT_CONFIG, &project, &project), "deleted")
}

pub(super) async fn delete_cluster_config(env: &Env, args: &ClusterConfigArgs) -> CliResult {
    let session = env.session(&args.connection).await?;
    session.client.cluster_config().delete().await.context("delete cluster config")?;
    env.show_done(&args.print, &shell(Kind::CLUSTER_CONFIG, "cluster", ""), "deleted")
}

impl NamedArgs {
    async fn prepared(&self, env: &Env, noun: &'static str) -> CliResult<(Session, Deleting<'_>)> {
        let session = env.session(&self.connection).await?;
        let namespace = self.project.resolve(env, &session)?;
        Ok((session, Deleting { noun, namespace, print: &self.print }))
    }
}

/// A deletion of several objects.
pub(super) struct Deleting<'a> {
    pub(super) noun: &'static str,
    pub(super) namespace: String,
    pub(super) print: &'a PrintArgs,
}

impl Deleting<'_> {
    /// Deletes all that can be deleted, and tells what could not.
    pub(super) async fn all(
        &self,
        env: &Env,
        collection: &Collection,
        names: &[String],
    ) -> CliResult {
        let mut failures = Vec::new();
        for name in names {
            match collection.delete(name).await {
                Ok(()) => {
                    let gone = shell(collection.kind(), name, &self.namespace);
                    env.show_done(self.print, &gone, "deleted")?;
                }
                Err(error) => {
                    let action = format!("delete {} {name}", self.noun);
                    failures.push(Failure::from(error).context(action));
                }
            }
        }
        Failure::joined(failures)
    }
}

/// What is left to show of an object that is gone.
pub(super) fn shell(kind: Kind, name: &str, namespace: &str) -> Object {
    let mut object = kind.named(name);
    if !namespace.is_empty()
        && let Some(metadata) = object.get_mut("metadata")
    {
        *metadata = json!({ "name": name, "namespace": namespace });
    }
    Object::new(object)
}
