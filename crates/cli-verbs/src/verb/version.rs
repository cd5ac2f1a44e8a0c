//! `kargo version`: which build this is, and which the server's.

use serde_json::{Value, json};

use crate::{
    env::Env,
    exit::{CliResult, Context as _},
    output::PrintArgs,
    session::ConnectionArgs,
};

/// Show the versions of the command line and of the server
#[derive(clap::Args, Debug)]
pub struct VersionArgs {
    /// Only that of the command line
    #[arg(long)]
    client: bool,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn version(env: &Env, args: &VersionArgs) -> CliResult {
    let Some(format) = args.print.format()? else { return in_words(env, args).await };
    let server = server_version(env, args).await?;
    let mut versions = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1",
        "kind": "ComponentVersions",
        "client": env.build.document,
    });
    if let (Some(server), Some(fields)) = (server, versions.as_object_mut()) {
        fields.insert("server".to_owned(), server);
    }
    env.out(&format.write(&args.print, &versions)?)
}

/// The own version is known also when the server's is not.
async fn in_words(env: &Env, args: &VersionArgs) -> CliResult {
    env.out_line(&format!("Client Version: {}", env.build.version))?;
    let server = server_version(env, args).await?;
    let number = server.as_ref().and_then(|server| server.get("version")?.as_str());
    match number {
        Some(number) => env.out_line(&format!("Server Version: {number}")),
        None => Ok(()),
    }
}

/// Who is not logged in has no server to ask.
async fn server_version(env: &Env, args: &VersionArgs) -> CliResult<Option<Value>> {
    if args.client {
        return Ok(None);
    }
    let Ok(session) = env.session(&args.connection).await else { return Ok(None) };
    Ok(Some(session.client.server_version().await.context("get server version")?))
}
