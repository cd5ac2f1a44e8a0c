//! `kargo create role`.

use api_kinds::annotations;
use cli_client::{Claim, Scope};
use serde_json::json;

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _},
    output::PrintArgs,
    scope_args::ProjectArg,
    session::ConnectionArgs,
    verb::grant::claims,
};

#[derive(clap::Args, Debug)]
pub(super) struct RoleArgs {
    /// The role
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    project: ProjectArg,
    /// Users of whom this is claimed, as name=value; several values with commas
    #[arg(long = "claim", value_name = "NAME=VALUE")]
    claims: Vec<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn create(env: &Env, args: &RoleArgs) -> CliResult {
    let name = cobra::exactly_one(&args.names, "create role")?;
    let claims = claims(&args.claims)?;
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    let mut metadata = json!({ "name": name, "namespace": project });
    if let (Some(text), Some(fields)) = (&args.description, metadata.as_object_mut()) {
        fields.insert("annotations".to_owned(), json!({ annotations::DESCRIPTION: text }));
    }
    let body = json!({ "metadata": metadata, "claims": Claim::list(&claims) });
    let roles = session.client.roles(&Scope::Project(project));
    env.show_done(&args.print, &roles.create(body).await.context("create role")?, "created")
}
