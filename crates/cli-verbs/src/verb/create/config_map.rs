//! `kargo create configmap`.

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
pub(super) struct ConfigMapArgs {
    /// The ConfigMap
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    scope: AnyScopeArgs,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// An entry; repeat it for more
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

pub(super) async fn create(env: &Env, args: &ConfigMapArgs) -> CliResult {
    let name = cobra::exactly_one(&args.names, "create configmap")?;
    args.scope.check()?;
    required_entries(&args.set)?;
    let data = entries(&args.set)?;
    let session = env.session(&args.connection).await?;
    let scope = args.scope.resolve(env, &session)?;
    let mut body = json!({ "name": name, "data": data });
    if let (Some(description), Some(fields)) = (&args.description, body.as_object_mut()) {
        fields.insert("description".to_owned(), description.as_str().into());
    }
    let made = session.client.config_maps(&scope).create(body).await.context("create configmap")?;
    env.show_done(&args.print, &made, "created")
}
