//! `kargo create generic-credentials`.

use serde_json::json;

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _},
    output::PrintArgs,
    scope_args::AnyScopeArgs,
    session::ConnectionArgs,
    verb::update::{entries, required_entries},
};

#[derive(clap::Args, Debug)]
pub(super) struct GenericCredentialsArgs {
    /// The credentials
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    scope: AnyScopeArgs,
    /// What they are for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// A secret value; repeat it for more
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

pub(super) async fn create(env: &Env, args: &GenericCredentialsArgs) -> CliResult {
    let name = cobra::exactly_one(&args.names, "create generic-credentials")?;
    args.scope.check()?;
    required_entries(&args.set)?;
    let data = entries(&args.set)?;
    let session = env.session(&args.connection).await?;
    let scope = args.scope.resolve(env, &session)?;
    let mut body = json!({ "name": name, "data": data });
    if let (Some(description), Some(fields)) = (&args.description, body.as_object_mut()) {
        fields.insert("description".to_owned(), description.as_str().into());
    }
    let created = session.client.generic_credentials(&scope).create(body).await;
    let made = created.context("create generic credentials")?;
    env.show_done(&args.print, &made, "created")
}
