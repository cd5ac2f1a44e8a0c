//! `kargo update configmap` and `kargo update generic-credentials`: entries set and taken away.

use cli_client::{Client, Collection, Scope};
use serde_json::{Map, Value, json};

use crate::{
    env::Env,
    exit::{CliResult, Context as _, Failure},
    verb::data_args::DataArgs,
};

#[derive(clap::Args, Debug)]
pub(super) struct ChangeArgs {
    #[command(flatten)]
    data: DataArgs,
    /// Take the description away
    #[arg(long, conflicts_with = "description")]
    clear_description: bool,
    /// A key to take away; repeat it for more
    #[arg(long, value_name = "KEY")]
    unset: Vec<String>,
}

pub(super) async fn update_config_map(env: &Env, args: &ChangeArgs) -> CliResult {
    update(env, args, "update configmap", Client::config_maps).await
}

pub(super) async fn update_generic_credentials(env: &Env, args: &ChangeArgs) -> CliResult {
    update(env, args, "update generic-credentials", Client::generic_credentials).await
}

async fn update(
    env: &Env,
    args: &ChangeArgs,
    command: &'static str,
    collection: impl Fn(&Client, &Scope) -> Collection,
) -> CliResult {
    let name = args.data.name(command)?;
    let body = args.body()?;
    let session = env.session(&args.data.connection).await?;
    let collection = collection(&session.client, &args.data.scope.resolve(env, &session)?);
    let action = command.replace('-', " ");
    collection.patch(name, body).await.context(&action)?;
    let changed = collection.get(name).await.context(&action)?;
    env.show_done(&args.data.print, &changed, "")
}

impl ChangeArgs {
    fn body(&self) -> CliResult<Value> {
        let mut body = Map::new();
        let cleared = self.clear_description.then(String::new);
        if let Some(text) = self.data.description.clone().or(cleared) {
            body.insert("description".to_owned(), text.into());
        }
        let entries = self.data.entries()?;
        if !entries.is_empty() {
            body.insert("data".to_owned(), json!(entries));
        }
        if !self.unset.is_empty() {
            body.insert("removeKeys".to_owned(), json!(self.unset));
        }
        if body.is_empty() {
            return Err(Failure::usage(
                "at least one of --set, --unset, or --description must be provided",
            ));
        }
        Ok(Value::Object(body))
    }
}
