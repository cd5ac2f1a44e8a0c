//! `kargo create repo-credentials`.

use serde_json::json;

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _},
    output::PrintArgs,
    scope_args::SharedScopeArgs,
    session::ConnectionArgs,
    verb::update::RepoTypeArgs,
};

#[derive(clap::Args, Debug)]
pub(super) struct RepoCredentialsArgs {
    /// The credentials
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    scope: SharedScopeArgs,
    #[command(flatten)]
    repo_type: RepoTypeArgs,
    /// URL of the repository, or a pattern of URLs
    #[arg(long, value_name = "URL")]
    repo_url: Option<String>,
    /// The URL is a regular expression
    #[arg(long)]
    regex: bool,
    /// Who logs in
    #[arg(long, value_name = "USER")]
    username: Option<String>,
    /// With which password; without it, it is asked for
    #[arg(long, value_name = "PASSWORD")]
    password: Option<String>,
    /// What they are for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

pub(super) async fn create(env: &Env, args: &RepoCredentialsArgs) -> CliResult {
    let name = cobra::exactly_one(&args.names, "create repo-credentials")?;
    cobra::required(&[
        ("repo-url", args.repo_url.is_some()),
        ("username", args.username.is_some()),
    ])?;
    args.scope.check()?;
    let repo_type = args.repo_type.required()?;
    let session = env.session(&args.connection).await?;
    let scope = args.scope.resolve(env, &session)?;
    let password = env.given_or_asked(args.password.as_deref(), "Repository password")?;
    let mut body = json!({
        "name": name,
        "type": repo_type,
        "repoUrl": args.repo_url,
        "repoUrlIsRegex": args.regex,
        "username": args.username,
        "password": password,
    });
    if let (Some(description), Some(fields)) = (&args.description, body.as_object_mut()) {
        fields.insert("description".to_owned(), description.as_str().into());
    }
    let created = session.client.repo_credentials(&scope).create(body).await;
    env.show_done(&args.print, &created.context("create repo credentials")?, "created")
}
