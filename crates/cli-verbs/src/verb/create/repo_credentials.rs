//! `kargo create repo-credentials`.

use serde_json::Value;

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _},
    verb::repo_args::RepoArgs,
};

pub(super) async fn create(env: &Env, args: &RepoArgs) -> CliResult {
    let name = args.name("create repo-credentials")?;
    cobra::required(&[
        ("repo-url", args.repo_url.is_some()),
        ("username", args.username.is_some()),
    ])?;
    args.require_type()?;
    let session = env.session(&args.connection).await?;
    let scope = args.scope.resolve(env, &session)?;
    let password = env.given_or_asked(args.password.as_deref(), "Repository password")?;
    let mut body = args.fields();
    body.insert("name".to_owned(), name.into());
    body.insert("password".to_owned(), password.into());
    let created = session.client.repo_credentials(&scope).create(Value::Object(body)).await;
    env.show_done(&args.print, &created.context("create repo credentials")?, "created")
}
