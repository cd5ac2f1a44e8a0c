//! `kargo update configmap` and `kargo update generic-credentials`: entries set and taken away.

use std::collections::BTreeMap;

use cli_client::Collection;
use serde_json::{Value, json};

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _, Failure},
    output::PrintArgs,
    scope_args::AnyScopeArgs,
    session::ConnectionArgs,
};

#[derive(clap::Args, Debug)]
pub(super) struct DataArgs {
    /// The object
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    scope: AnyScopeArgs,
    /// What it is for
    #[arg(long, value_name = "TEXT", conflicts_with = "clear_description")]
    description: Option<String>,
    /// Take the description away
    #[arg(long)]
    clear_description: bool,
    /// An entry to set; repeat it for more
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// A key to take away; repeat it for more
    #[arg(long, value_name = "KEY")]
    unset: Vec<String>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

pub(super) async fn update_config_map(env: &Env, args: &DataArgs) -> CliResult {
    let (name, body) = args.change("update configmap")?;
    let session = env.session(&args.connection).await?;
    let config_maps = session.client.config_maps(&args.scope.resolve(env, &session)?);
    change(env, args, &config_maps, name, body).await.context("update configmap")
}

pub(super) async fn update_generic_credentials(env: &Env, args: &DataArgs) -> CliResult {
    let (name, body) = args.change("update generic-credentials")?;
    let session = env.session(&args.connection).await?;
    let credentials = session.client.generic_credentials(&args.scope.resolve(env, &session)?);
    change(env, args, &credentials, name, body).await.context("update generic credentials")
}

async fn change(
    env: &Env,
    args: &DataArgs,
    collection: &Collection,
    name: &str,
    body: Value,
) -> CliResult {
    collection.patch(name, body).await?;
    env.show_done(&args.print, &collection.get(name).await?, "")
}

impl DataArgs {
    fn change(&self, command: &'static str) -> CliResult<(&str, Value)> {
        let name = cobra::exactly_one(&self.names, command)?;
        self.scope.check()?;
        let has_description = self.description.is_some() || self.clear_description;
        if self.set.is_empty() && self.unset.is_empty() && !has_description {
            return Err(Failure::usage(
                "at least one of --set, --unset, or --description must be provided",
            ));
        }
        let mut body = json!({});
        if let Some(fields) = body.as_object_mut() {
            if has_description {
                let text = self.description.clone().unwrap_or_default();
                fields.insert("description".to_owned(), text.into());
            }
            if !self.set.is_empty() {
                fields.insert("data".to_owned(), json!(entries(&self.set)?));
            }
            if !self.unset.is_empty() {
                fields.insert("removeKeys".to_owned(), json!(self.unset));
            }
        }
        Ok((name, body))
    }
}

/// An object without entries is of no use.
pub(in crate::verb) fn required_entries(set: &[String]) -> CliResult {
    if set.is_empty() {
        return Err(Failure::usage("at least one --set key=value is required"));
    }
    Ok(())
}

/// Entries as `key=value`; the value may have an `=` of its own.
pub(in crate::verb) fn entries(set: &[String]) -> CliResult<BTreeMap<String, String>> {
    let mut entries = BTreeMap::new();
    for text in set {
        let wrong = |why: &str| Failure::usage(format!("invalid --set format {text:?}: {why}"));
        let (key, value) = text.split_once('=').ok_or_else(|| wrong("expected key=value"))?;
        let key = key.trim();
        if key.is_empty() {
            return Err(wrong("key cannot be empty"));
        }
        entries.insert(key.to_owned(), value.trim().to_owned());
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_trimmed_and_may_hold_equal_signs() {
        let parsed = entries(&[" a = b=c ".to_owned(), "d=".to_owned()]).unwrap();
        assert_eq!(parsed["a"], "b=c");
        assert_eq!(parsed["d"], "");
        let message = |text: &str| entries(&[text.to_owned()]).unwrap_err().message;
        assert_eq!(message("x"), "invalid --set format \"x\": expected key=value");
        assert_eq!(message(" =x"), "invalid --set format \" =x\": key cannot be empty");
    }
}
