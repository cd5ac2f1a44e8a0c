//! `kargo login`: as the admin, with the user's kubeconfig, or at an identity provider.

mod admin;
mod browser;
mod device;
mod page;
mod sso;

use cli_client::{Address, BearerToken, Client, Trust};

use crate::{
    cobra,
    config::{AuthMethod, Config, Connection},
    env::Env,
    exit::{CliResult, Failure},
};

/// Log in to a server
#[derive(clap::Args, Debug)]
pub struct LoginArgs {
    /// Address of the server; without it, the stored one
    #[arg(value_name = "SERVER_ADDRESS")]
    addresses: Vec<String>,
    /// Log in as the admin
    #[arg(long, short = 'a')]
    admin: bool,
    /// Log in with the kubeconfig
    #[arg(long, short = 'k')]
    kubeconfig: bool,
    /// With --kubeconfig, log in as this ServiceAccount, with a new token of it
    #[arg(long, value_name = "NAMESPACE/NAME", requires = "kubeconfig")]
    service_account: Option<String>,
    /// Log in at the identity provider
    #[arg(long, short = 's')]
    sso: bool,
    /// Password of the admin; without it, it is asked for
    #[arg(long, value_name = "PASSWORD")]
    password: Option<String>,
    /// Port that the browser comes back to; 0 takes any free one
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Open no browser: say where to go, or with which code on another device
    #[arg(long)]
    no_browser: bool,
    /// Believe any server, whatever its certificate says
    #[arg(long)]
    insecure_skip_tls_verify: bool,
    /// Context to log in for
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
}

/// How and where to log in.
struct Plan {
    context: String,
    address: Address,
    method: AuthMethod,
    callback_port: u16,
    trust: Trust,
}

/// What a login yields.
struct Granted {
    token: BearerToken,
    refresh_token: Option<BearerToken>,
}

pub(super) async fn login(env: &Env, args: &LoginArgs) -> CliResult {
    let plan = plan(env, args)?;
    let client = env.client(&plan.address, plan.trust, None);
    let granted = match plan.method {
        AuthMethod::Admin => admin::login(env, &client, args.password.as_deref()).await?,
        AuthMethod::Kubeconfig => with_kubeconfig(env, args.service_account.clone()).await?,
        AuthMethod::Sso => sso::login(env, &client, &plan, args.no_browser).await?,
    };
    env.store()?.change(|config| {
        keep(config, &plan, granted);
        Ok(())
    })
}

fn plan(env: &Env, args: &LoginArgs) -> CliResult<Plan> {
    let given = cobra::at_most_one(&args.addresses, "login")?;
    let methods = [("admin", args.admin), ("kubeconfig", args.kubeconfig), ("sso", args.sso)];
    cobra::exclusive(&methods)?;
    let config = env.store()?.load()?;
    let context = config.context_name(args.context.as_deref()).to_owned();
    let stored = config.connection(&context).cloned().unwrap_or_default();
    // What was stored belongs to the stored address: one that is given inherits nothing, even if it is the same.
    let inherited = if given.is_some() { Connection::default() } else { stored };
    let Some(method) = args.method().or(inherited.auth_method) else {
        cobra::one_required(&methods)?;
        return Err(Failure::usage("no way to log in was chosen"));
    };
    let address = Address::parse(given.unwrap_or(&inherited.api_address))
        .map_err(|error| Failure::usage(error.to_string()))?;
    let callback_port = args.port.filter(|port| *port != 0).unwrap_or(inherited.callback_port);
    let trust = Trust::skipping(args.insecure_skip_tls_verify);
    Ok(Plan { context, address, method, callback_port, trust })
}

impl LoginArgs {
    fn method(&self) -> Option<AuthMethod> {
        let methods = [
            (self.admin, AuthMethod::Admin),
            (self.kubeconfig, AuthMethod::Kubeconfig),
            (self.sso, AuthMethod::Sso),
        ];
        methods.iter().find(|(given, _)| *given).map(|(_, method)| *method)
    }
}

/// The cluster knows its users; the server is not asked.
async fn with_kubeconfig(env: &Env, account: Option<String>) -> CliResult<Granted> {
    let token = env.cluster.bearer_token(account).await.map_err(|reason| {
        Failure::error(format!("error getting token from kubeconfig: {reason}")).hint(
            "KUBECONFIG names the file, and `kubectl config get-contexts` shows what is in it",
        )
    })?;
    if token.is_empty() {
        return Err(Failure::error(
            "the current context of the kubeconfig has no bearer token, so that it cannot be used to log in",
        ));
    }
    Ok(Granted { token: BearerToken::new(token), refresh_token: None })
}

fn keep(config: &mut Config, plan: &Plan, granted: Granted) {
    let connection = config.connection_mut(&plan.context);
    if connection.api_address != plan.address.as_str() {
        // The Project and all else was for another server.
        *connection = Connection::default();
    }
    connection.auth_method = Some(plan.method);
    plan.address.as_str().clone_into(&mut connection.api_address);
    granted.token.reveal().clone_into(&mut connection.bearer_token);
    connection.callback_port = plan.callback_port;
    connection.insecure_skip_tls_verify = plan.trust == Trust::Anyone;
    // A refresh token is never sent where anybody may listen.
    let refresh_token = granted.refresh_token.filter(|_| plan.trust == Trust::Verified);
    connection.refresh_token =
        refresh_token.map(|token| token.reveal().to_owned()).unwrap_or_default();
    if config.current_context.is_empty() && !plan.context.is_empty() {
        config.current_context.clone_from(&plan.context);
    }
}

/// What the server lets everybody know.
async fn public_config(client: &Client) -> CliResult<cli_client::PublicConfig> {
    use crate::exit::Context as _;
    client.public_config().await.context("error retrieving public server config")
}
