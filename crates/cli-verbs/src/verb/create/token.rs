//! `kargo create token`.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use cli_client::Object;

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _, Failure},
    output::PrintArgs,
    scope_args::SystemScopeArgs,
    session::ConnectionArgs,
};

#[derive(clap::Args, Debug)]
pub(super) struct TokenArgs {
    /// The token
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The role that it acts for
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    #[command(flatten)]
    scope: SystemScopeArgs,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn create(env: &Env, args: &TokenArgs) -> CliResult {
    let name = cobra::exactly_one(&args.names, "create token")?;
    cobra::required(&[("role", args.role.is_some())])?;
    args.scope.check()?;
    let session = env.session(&args.connection).await?;
    let scope = args.scope.resolve(env, &session)?;
    let role = args.role.as_deref().unwrap_or_default();
    let made = session.client.create_api_token(&scope, role, name).await.context("create token")?;
    if args.print.format()?.is_some() {
        return env.show_done(&args.print, &made, "created");
    }
    let token = token_of(&made)?;
    env.out(&format!(
        "Token {name:?} created successfully\n\n\
         IMPORTANT: Save this token now; it will not be shown again\n\n\
         Token: {token}\n"
    ))
}

fn token_of(secret: &Object) -> CliResult<String> {
    let bytes = BASE64_STANDARD.decode(secret.text("/data/token")).unwrap_or_default();
    match String::from_utf8(bytes) {
        Ok(token) if !token.is_empty() => Ok(token),
        _ => Err(Failure::error("token data is empty")),
    }
}
