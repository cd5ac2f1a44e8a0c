//! `kargo update repo-credentials`.

use serde_json::{Map, Value};

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _, Failure},
    output::PrintArgs,
    scope_args::SharedScopeArgs,
    session::ConnectionArgs,
};

/// The kind of a repository
#[derive(clap::Args, Clone, Debug, Default)]
pub(in crate::verb) struct RepoTypeArgs {
    /// Credentials of a Git repository
    #[arg(long)]
    git: bool,
    /// Credentials of a Helm repository
    #[arg(long)]
    helm: bool,
    /// Credentials of an image repository
    #[arg(long)]
    image: bool,
    /// Kind of the repository: git, helm or image
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
}

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
    /// With which password
    #[arg(long, value_name = "PASSWORD")]
    password: Option<String>,
    /// What they are for
    #[arg(long, value_name = "TEXT", conflicts_with = "clear_description")]
    description: Option<String>,
    /// Take the description away
    #[arg(long)]
    clear_description: bool,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

impl RepoTypeArgs {
    fn given(&self) -> [cobra::Given; 4] {
        [
            ("git", self.git),
            ("helm", self.helm),
            ("image", self.image),
            ("type", self.kind.is_some()),
        ]
    }

    /// The kind, if one was given.
    fn optional(&self) -> CliResult<Option<&str>> {
        cobra::exclusive(&self.given())?;
        let flags = [(self.git, "git"), (self.helm, "helm"), (self.image, "image")];
        let flag = flags.iter().find(|(given, _)| *given).map(|(_, kind)| *kind);
        Ok(flag.or(self.kind.as_deref()))
    }

    /// The kind, which must be given.
    pub(in crate::verb) fn required(&self) -> CliResult<&str> {
        cobra::one_required(&self.given())?;
        Ok(self.optional()?.unwrap_or_default())
    }
}

pub(super) async fn update(env: &Env, args: &RepoCredentialsArgs) -> CliResult {
    let name = cobra::exactly_one(&args.names, "update repo-credentials")?;
    args.scope.check()?;
    let body = args.change()?;
    let session = env.session(&args.connection).await?;
    let credentials = session.client.repo_credentials(&args.scope.resolve(env, &session)?);
    credentials.patch(name, body).await.context("update repo credentials")?;
    let changed = credentials.get(name).await.context("update repo credentials")?;
    env.show_done(&args.print, &changed, "")
}

impl RepoCredentialsArgs {
    fn change(&self) -> CliResult<Value> {
        if self.regex && self.repo_url.is_none() {
            return Err(Failure::usage(
                "--regex says something about --repo-url, which is missing",
            ));
        }
        let mut body = Map::new();
        let mut put = |field: &str, value: Option<&str>| {
            if let Some(value) = value {
                body.insert(field.to_owned(), value.into());
            }
        };
        put("type", self.repo_type.optional()?);
        put("repoUrl", self.repo_url.as_deref());
        put("username", self.username.as_deref());
        put("password", self.password.as_deref());
        put("description", self.description.as_deref());
        if self.clear_description {
            put("description", Some(""));
        }
        if body.is_empty() {
            return Err(Failure::usage("at least one field must be provided"));
        }
        if self.repo_url.is_some() {
            body.insert("repoUrlIsRegex".to_owned(), self.regex.into());
        }
        Ok(Value::Object(body))
    }
}
