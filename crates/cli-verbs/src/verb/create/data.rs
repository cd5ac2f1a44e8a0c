//! `kargo create configmap` and `kargo create generic-credentials`.

use cli_client::{Client, Collection, Scope};
use serde_json::json;

use crate::{
    env::Env,
    exit::{CliResult, Context as _, Failure},
    verb::data_args::DataArgs,
};

pub(super) async fn create_config_map(env: &Env, args: &DataArgs) -> CliResult {
    create(env, args, "create configmap", Client::config_maps).await
}

pub(super) async fn create_generic_credentials(env: &Env, args: &DataArgs) -> CliResult {
    create(env, args, "create generic-credentials", Client::generic_credentials).await
}

async fn create(
    env: &Env,
    args: &DataArgs,
    command: &'static str,
    collection: impl Fn(&Client, &Scope) -> Collection,
) -> CliResult {
    let name = args.name(command)?;
    let data = args.entries()?;
    if data.is_empty() {
        return Err(Failure::usage("at least one --set key=value is required"));
    }
    let session = env.session(&args.connection).await?;
    let collection = collection(&session.client, &args.scope.resolve(env, &session)?);
    let mut body = json!({ "name": name, "data": data });
    if let (Some(description), Some(fields)) = (&args.description, body.as_object_mut()) {
        fields.insert("description".to_owned(), description.as_str().into());
    }
    let made = collection.create(body).await.context(command.replace('-', " "))?;
    env.show_done(&args.print, &made, "created")
}
