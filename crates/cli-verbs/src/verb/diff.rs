//! `kargo diff`: what an apply would change. The server finds out, so that defaults and admission count.

use cli_client::Object;
use core_rules::resource::{mask, mask_both};
use serde_json::Value;
use similar::TextDiff;

use super::{batch::about, manager_args::ManagerArgs};
use crate::{
    env::Env,
    exit::{CliResult, Context as _, Exit, Failure},
    manifest::{self, ManifestArgs},
    output::{Format, PrintArgs},
    session::ConnectionArgs,
};

/// Lines around a change.
const CONTEXT: usize = 3;
/// What the server writes into every object, and changes with every write.
const BOOKKEEPING: [&str; 5] =
    ["creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"];

/// Show what `apply` would change: exits with 0 if nothing, with 1 if something, with more if that cannot be told
#[derive(clap::Args, Debug)]
pub struct DiffArgs {
    #[command(flatten)]
    files: ManifestArgs,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn diff(env: &Env, args: &DiffArgs) -> CliResult {
    match differs(env, args).await {
        Ok(false) => Ok(()),
        Ok(true) => Err(Failure::silent(Exit::Error)),
        // The code of what has none of its own says that there are differences.
        Err(failure) if failure.exit == Exit::Error => {
            Err(Failure { exit: Exit::NotCompared, ..failure })
        }
        Err(failure) => Err(failure),
    }
}

/// Shows the differences; whether there are any.
async fn differs(env: &Env, args: &DiffArgs) -> CliResult<bool> {
    let manager = args.manager.resolve()?;
    let objects = args.files.objects(env).await?;
    let manifests = manifest::stream(&objects)?;
    let session = env.session(&args.connection).await?;
    session.check_dry_runs().await?;
    let compared = session.client.compare_resources(manifests, manager.as_ref()).await;
    let compared = compared.map_err(|error| about(&objects, error.into()));
    let compared = compared.context("compare resources")?;
    let mut differs = false;
    for (before, after) in compared.pairs {
        let text = difference(before, after)?;
        differs |= !text.is_empty();
        env.out(&text)?;
    }
    Failure::joined(compared.errors.iter().map(Failure::error).collect())?;
    Ok(differs)
}

/// The difference between two states of an object, as `diff -u` shows it; empty where there is none.
fn difference(before: Option<Object>, after: Object) -> CliResult<String> {
    let name = file_name(&after);
    let mut after = after.into_value();
    let (old_name, before) = if let Some(mut before) = before.map(Object::into_value) {
        mask_both(&mut before, &mut after);
        (format!("LIVE/{name}"), text(before)?)
    } else {
        mask(&mut after);
        ("/dev/null".to_owned(), String::new())
    };
    let after = text(after)?;
    let diff = TextDiff::from_lines(&before, &after);
    let mut unified = diff.unified_diff();
    unified.context_radius(CONTEXT).header(&old_name, &format!("MERGED/{name}"));
    Ok(if before == after { String::new() } else { unified.to_string() })
}

fn text(mut object: Value) -> CliResult<String> {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|field, _| !BOOKKEEPING.contains(&field.as_str()));
    }
    Format::Yaml.write(&PrintArgs::default(), &object)
}

/// The name that `kubectl diff` has for an object.
fn file_name(object: &Object) -> String {
    let version = object.text("/apiVersion").replace('/', ".");
    let parts = [version.as_str(), object.kind(), object.namespace(), object.name()];
    parts.join(".")
}
