//! Credentials, ConfigMaps and tokens, which live in a Project or in the installation.

use cli_client::Scope;

use super::named::Deleting;
use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _},
    output::PrintArgs,
    scope_args::{AnyScopeArgs, SharedScopeArgs, SystemScopeArgs},
    session::{ConnectionArgs, Session},
};

#[derive(clap::Args, Debug)]
pub(super) struct CommonArgs {
    /// Their names
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

#[derive(clap::Args, Debug)]
pub(super) struct AnyArgs {
    #[command(flatten)]
    pub(super) common: CommonArgs,
    #[command(flatten)]
    scope: AnyScopeArgs,
}

#[derive(clap::Args, Debug)]
pub(super) struct SharedArgs {
    #[command(flatten)]
    pub(super) common: CommonArgs,
    #[command(flatten)]
    scope: SharedScopeArgs,
}

#[derive(clap::Args, Debug)]
pub(super) struct SystemArgs {
    #[command(flatten)]
    pub(super) common: CommonArgs,
    #[command(flatten)]
    scope: SystemScopeArgs,
}

pub(super) async fn delete_config_maps(env: &Env, args: &AnyArgs) -> CliResult {
    let names = cobra::at_least_one(&args.common.names, "delete configmap")?;
    args.scope.check()?;
    let session = env.session(&args.common.connection).await?;
    let scope = args.scope.resolve(env, &session)?;
    let doing = args.common.deleting(&session, &scope, "configmap", Tenant::Resources).await?;
    doing.all(env, &session.client.config_maps(&scope), &names).await
}

pub(super) async fn delete_generic_credentials(env: &Env, args: &AnyArgs) -> CliResult {
    let names = cobra::at_least_one(&args.common.names, "delete generic-credentials")?;
    args.scope.check()?;
    let session = env.session(&args.common.connection).await?;
    let scope = args.scope.resolve(env, &session)?;
    let noun = "generic credentials";
    let doing = args.common.deleting(&session, &scope, noun, Tenant::Resources).await?;
    doing.all(env, &session.client.generic_credentials(&scope), &names).await
}

pub(super) async fn delete_repo_credentials(env: &Env, args: &SharedArgs) -> CliResult {
    let names = cobra::at_least_one(&args.common.names, "delete repo-credentials")?;
    args.scope.check()?;
    let session = env.session(&args.common.connection).await?;
    let scope = args.scope.resolve(env, &session)?;
    let noun = "repo credentials";
    let doing = args.common.deleting(&session, &scope, noun, Tenant::Resources).await?;
    doing.all(env, &session.client.repo_credentials(&scope), &names).await
}

pub(super) async fn delete_tokens(env: &Env, args: &SystemArgs) -> CliResult {
    let names = cobra::at_least_one(&args.common.names, "delete token")?;
    args.scope.check()?;
    let session = env.session(&args.common.connection).await?;
    let scope = args.scope.resolve(env, &session)?;
    let doing = args.common.deleting(&session, &scope, "token", Tenant::Tokens).await?;
    doing.all(env, &session.client.api_tokens(&scope), &names).await
}

/// What lives in the installation: its tokens are where it is itself, all else has a place of its own.
#[derive(Clone, Copy)]
enum Tenant {
    Resources,
    Tokens,
}

impl CommonArgs {
    async fn deleting(
        &self,
        session: &Session,
        scope: &Scope,
        noun: &'static str,
        tenant: Tenant,
    ) -> CliResult<Deleting<'_>> {
        let namespace = match scope {
            Scope::Project(project) => project.clone(),
            Scope::Shared | Scope::System => {
                let config = session.client.server_config().await.context("get server config")?;
                match (scope, tenant) {
                    (Scope::Shared, _) => config.shared_resources_namespace,
                    (_, Tenant::Resources) => config.system_resources_namespace,
                    (_, Tenant::Tokens) => config.kargo_namespace,
                }
            }
        };
        Ok(Deleting { noun, namespace, print: &self.print })
    }
}
