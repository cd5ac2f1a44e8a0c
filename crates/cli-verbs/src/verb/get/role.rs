//! `kargo get roles` and `kargo get token`.

use cli_client::Kind;

use super::list::{Args, Shown};
use crate::{env::Env, exit::CliResult, output::Columns, scope_args::SystemScopeArgs};

const ROLES: Shown = Shown { noun: "role", plural: "roles", columns: Columns::Roles };
const RESOURCES: Shown = Shown { noun: "role", plural: "roles", columns: Columns::RoleResources };
const TOKENS: Shown = Shown { noun: "token", plural: "tokens", columns: Columns::Tokens };

#[derive(clap::Args, Debug)]
pub(super) struct RolesArgs {
    #[command(flatten)]
    pub(super) list: Args,
    #[command(flatten)]
    scope: SystemScopeArgs,
    /// Show the Kubernetes objects that roles are made of
    #[arg(short = 'k', long)]
    as_kubernetes_resources: bool,
}

#[derive(clap::Args, Debug)]
pub(super) struct TokensArgs {
    #[command(flatten)]
    pub(super) list: Args,
    #[command(flatten)]
    scope: SystemScopeArgs,
    /// Only those of a role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
}

pub(super) async fn roles(env: &Env, args: &RolesArgs) -> CliResult {
    args.scope.check()?;
    let session = env.session(&args.list.connection).await?;
    let roles = session.client.roles(&args.scope.resolve(env, &session)?);
    if args.as_kubernetes_resources {
        let roles = roles.with("as-resources", "true").as_kind(Kind::ROLE_RESOURCES);
        return args.list.show(env, &roles, RESOURCES).await;
    }
    args.list.show(env, &roles, ROLES).await
}

pub(super) async fn tokens(env: &Env, args: &TokensArgs) -> CliResult {
    args.scope.check()?;
    let session = env.session(&args.list.connection).await?;
    let mut tokens = session.client.api_tokens(&args.scope.resolve(env, &session)?);
    if let Some(role) = args.role.as_deref().filter(|_| args.list.names.is_empty()) {
        tokens = tokens.with("role", role);
    }
    args.list.show(env, &tokens, TOKENS).await
}
