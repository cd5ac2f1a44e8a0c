//! From arguments, variables and the configuration to a client that is logged in.
//!
//! Arguments win over variables, variables over the file, each for its own field. One rule stands above that: a stored
//! token is sent to the server that it was stored for and to no other. Who logged in nowhere means the server of this
//! machine, which leaves its user a token.

use std::{sync::Arc, time::Duration};

use cli_client::{
    Address, BearerToken, Client, Identity, Trust, expiry,
    oidc::{Provider, Tokens},
};

use serde_json::Value;

use crate::{
    config::{Config, Connection, Store, local},
    env::Env,
    exit::{CliResult, Context as _, Exit, Failure},
    heed::Heedful,
};

const NOT_LOGGED_IN: &str = "seems like you are not logged in; please use `kargo login` to authenticate or set both the \
    KARGO_API_ADDRESS and KARGO_API_TOKEN environment variables";
const NO_LOGIN_NEEDED: &str =
    "`kargo up` starts a server on this machine, to which its user is logged in";
const EXPIRED: &str = "your token is expired; please use `kargo login` to re-authenticate";
const NOT_REFRESHED: &str = "error refreshing token; please use `kargo login` to re-authenticate";
/// A token that ends within this is refreshed, so that it does not end on the way.
const MARGIN: Duration = Duration::from_secs(30);

/// By this in its version a server of ours is known from the reference.
const COMPILER: &str = "rustc";

/// Which server, and who asks
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct ConnectionArgs {
    /// Believe any server, whatever its certificate says
    #[arg(long)]
    pub(crate) insecure_skip_tls_verify: bool,
    /// Context of the configuration, if not the current one
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
    /// Address of the server, if not the stored one
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) server: Option<String>,
    /// Token, if not the stored one
    #[arg(long, value_name = "TOKEN")]
    pub(crate) token: Option<String>,
    /// Tell status and request id of what the server refuses
    #[arg(long)]
    pub(crate) verbose: bool,
}

/// A client that is logged in, and what goes with it.
pub(crate) struct Session {
    pub(crate) client: Client,
    /// The Project of commands that name none; empty when there is none.
    pub(crate) default_project: String,
}

impl Session {
    /// Refuses a server that would do what it is only asked about: the reference does not know dry runs.
    pub(crate) async fn check_dry_runs(&self) -> CliResult {
        if self.is_ours().await? {
            return Ok(());
        }
        Err(Failure::error("the server knows no dry runs, and would do what it is asked about"))
    }

    /// Refuses a server that would replace what it is asked to merge.
    pub(crate) async fn check_merges(&self) -> CliResult {
        if self.is_ours().await? {
            return Ok(());
        }
        Err(Failure::error("the server does not merge objects")
            .hint("without --server-side they replace those that it has"))
    }

    async fn is_ours(&self) -> CliResult<bool> {
        let version = self.client.server_version().await.context("get server version")?;
        Ok(version.get("compiler").and_then(Value::as_str) == Some(COMPILER))
    }
}

/// What is known of a connection before the token is looked at.
struct Plan {
    address: Address,
    token: BearerToken,
    trust: Trust,
    default_project: String,
    /// The context whose stored token this is.
    stored: Option<(String, Connection)>,
}

impl Env {
    /// A session, with its token refreshed where that is needed and possible.
    pub(crate) async fn session(&self, args: &ConnectionArgs) -> CliResult<Session> {
        let plan = self.plan(args).context("get client from config")?;
        let token = match &plan.stored {
            Some((context, connection)) => self.fresh_token(context, connection, &plan).await?,
            None => plan.token.clone(),
        };
        let client = self.client(&plan.address, plan.trust, Some(token));
        Ok(Session { client, default_project: plan.default_project })
    }

    /// A client of a server.
    pub(crate) fn client(
        &self,
        address: &Address,
        trust: Trust,
        token: Option<BearerToken>,
    ) -> Client {
        let identity = Identity { token, version: self.build.version.clone() };
        let way = Heedful {
            way: self.transport.clone(),
            streams: self.streams.clone(),
            has_warned: self.has_warned.clone(),
        };
        Client::new(Arc::new(way), self.clock.clone(), address.clone(), trust, identity)
    }

    /// A variable that is set to something.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        self.environment.var(name).filter(|value| !value.is_empty())
    }

    /// Where the configuration is kept.
    pub(crate) fn store(&self) -> CliResult<Store> {
        let is_off = self.variable("KARGO_KEYRING").as_deref() == Some("off");
        let keyring = self.keyring.clone().filter(|_| !is_off);
        Store::from_environment(&*self.environment, keyring)
    }

    fn plan(&self, args: &ConnectionArgs) -> CliResult<Plan> {
        let address = args.server.clone().or_else(|| self.variable("KARGO_API_ADDRESS"));
        let token = args.token.clone().or_else(|| self.variable("KARGO_API_TOKEN"));
        let skips = args.insecure_skip_tls_verify
            || self.variable("KARGO_INSECURE_SKIP_TLS_VERIFY").as_deref() == Some("true");
        if let (Some(address), Some(token), None) = (&address, &token, &args.context) {
            // Nothing of the file is needed, nor looked at.
            return Ok(Plan {
                address: parse(address)?,
                token: BearerToken::new(token),
                trust: Trust::skipping(skips),
                default_project: String::new(),
                stored: None,
            });
        }
        let config = self.store()?.load()?;
        let context = config.context_name(args.context.as_deref()).to_owned();
        let mut connection = config.connection(&context)?.clone();
        if connection.api_address.is_empty() && args.context.is_none() {
            self.fill_in(&mut connection);
        }
        plan_with(&context, connection, address, token, skips)
    }

    /// Who has logged in nowhere means the server of this machine.
    fn fill_in(&self, connection: &mut Connection) {
        let Some(local) = local::connection(&*self.environment, self.now()) else { return };
        let chosen = std::mem::take(&mut connection.project);
        *connection = local;
        if !chosen.is_empty() {
            connection.project = chosen;
        }
    }

    async fn fresh_token(
        &self,
        context: &str,
        connection: &Connection,
        plan: &Plan,
    ) -> CliResult<BearerToken> {
        let token = BearerToken::new(&connection.bearer_token);
        let Some(end) = expiry(token.reveal()) else { return Ok(token) };
        let now = self.now();
        if now + MARGIN < end {
            return Ok(token);
        }
        let can_refresh =
            !connection.refresh_token.is_empty() && !connection.insecure_skip_tls_verify;
        match can_refresh {
            true => self.refresh(context, &plan.address).await,
            false if now < end => Ok(token),
            false => Err(Failure::new(Exit::Denied, EXPIRED)),
        }
    }

    /// Refreshes under the lock: whoever waited for it finds the new token and needs no other.
    async fn refresh(&self, context: &str, address: &Address) -> CliResult<BearerToken> {
        let store = self.store()?;
        let _lock = store.lock().context("save config")?;
        let mut config = store.load()?;
        let connection = config.connection(context)?.clone();
        let is_fresh = expiry(&connection.bearer_token).is_none_or(|end| self.now() + MARGIN < end);
        if is_fresh {
            return Ok(BearerToken::new(connection.bearer_token));
        }
        let refused = |error: Failure| Failure {
            details: Some(error.message),
            ..Failure::new(Exit::Denied, NOT_REFRESHED)
        };
        let tokens = self.refreshed(&connection, address).await.map_err(refused)?;
        keep(&mut config, context, &tokens);
        store.save(&config)?;
        Ok(tokens.id_token)
    }

    async fn refreshed(&self, connection: &Connection, address: &Address) -> CliResult<Tokens> {
        let public = self.client(address, Trust::Verified, None).public_config().await?;
        let oidc = public
            .oidc_config
            .ok_or_else(|| Failure::error("server does not support OpenID Connect"))?;
        let provider = Provider::discover(self.transport.clone(), Trust::Verified, &oidc).await?;
        Ok(provider.refresh(&connection.refresh_token, self.now()).await?)
    }
}

fn keep(config: &mut Config, context: &str, tokens: &Tokens) {
    let connection = config.connection_mut(context);
    tokens.id_token.reveal().clone_into(&mut connection.bearer_token);
    if let Some(refresh_token) = &tokens.refresh_token {
        refresh_token.reveal().clone_into(&mut connection.refresh_token);
    }
}

fn plan_with(
    context: &str,
    connection: Connection,
    address: Option<String>,
    token: Option<String>,
    skips: bool,
) -> CliResult<Plan> {
    let not_logged_in = || Failure::new(Exit::Denied, NOT_LOGGED_IN).hint(NO_LOGIN_NEEDED);
    let stored_address = Address::parse(&connection.api_address).ok();
    let address = match address {
        Some(address) => parse(&address)?,
        None => stored_address.clone().ok_or_else(not_logged_in)?,
    };
    let is_stored_server = stored_address.as_ref() == Some(&address);
    let trust = Trust::skipping(skips || (is_stored_server && connection.insecure_skip_tls_verify));
    let default_project = connection.project.clone();
    let (token, stored) = match token {
        Some(token) => (BearerToken::new(token), None),
        None if is_stored_server && !connection.bearer_token.is_empty() => {
            let token = BearerToken::new(&connection.bearer_token);
            (token, Some((context.to_owned(), connection)))
        }
        None => return Err(not_logged_in()),
    };
    Ok(Plan { address, token, trust, default_project, stored })
}

fn parse(address: &str) -> CliResult<Address> {
    Address::parse(address).map_err(|error| Failure::usage(error.to_string()))
}
