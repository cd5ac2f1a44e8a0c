//! `kargo update repo-credentials`.

use serde_json::Value;

use crate::{
    env::Env,
    exit::{CliResult, Context as _, Failure},
    verb::repo_args::RepoArgs,
};

#[derive(clap::Args, Debug)]
pub(super) struct ChangeArgs {
    #[command(flatten)]
    repo: RepoArgs,
    /// Take the description away
    #[arg(long, conflicts_with = "description")]
    clear_description: bool,
}

pub(super) async fn update(env: &Env, args: &ChangeArgs) -> CliResult {
    let name = args.repo.name("update repo-credentials")?;
    let body = args.body()?;
    let session = env.session(&args.repo.connection).await?;
    let credentials = session.client.repo_credentials(&args.repo.scope.resolve(env, &session)?);
    credentials.patch(name, body).await.context("update repo credentials")?;
    let changed = credentials.get(name).await.context("update repo credentials")?;
    env.show_done(&args.repo.print, &changed, "")
}

impl ChangeArgs {
    fn body(&self) -> CliResult<Value> {
        if self.repo.regex && self.repo.repo_url.is_none() {
            return Err(Failure::usage(
                "--regex says something about --repo-url, which is missing",
            ));
        }
        let mut body = self.repo.fields();
        if self.clear_description {
            body.insert("description".to_owned(), "".into());
        }
        if body.is_empty() {
            return Err(Failure::usage("at least one field must be provided"));
        }
        Ok(Value::Object(body))
    }
}
