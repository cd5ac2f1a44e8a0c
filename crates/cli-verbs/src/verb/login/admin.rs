//! The login of the admin, with a password.

use cli_client::Client;

use super::{Granted, public_config};
use crate::{
    env::Env,
    exit::{CliResult, Context as _, Exit, Failure},
};

/// Where the password comes from.
const FORGOTTEN: &str = "the password was told when the server was set up; `kargo up --admin-password-file FILE` sets another";

pub(super) async fn login(
    env: &Env,
    client: &Client,
    password: Option<&str>,
) -> CliResult<Granted> {
    if !public_config(client).await?.admin_account_enabled {
        return Err(Failure::new(Exit::Denied, "server does not support admin user login")
            .hint("log in with --sso or --kubeconfig"));
    }
    let password = env.given_or_asked(password, "Admin user password")?;
    let token = client.login_as_admin(&password).await.context("error logging in as admin user");
    let token = token.map_err(|failure| match failure.exit {
        Exit::Denied => failure.hint(FORGOTTEN),
        _ => failure,
    })?;
    Ok(Granted { token, refresh_token: None })
}

impl Env {
    /// A secret as it was given, else as it is typed; it is asked for until there is one.
    pub(crate) fn given_or_asked(&self, given: Option<&str>, question: &str) -> CliResult<String> {
        if let Some(given) = given.filter(|given| !given.is_empty()) {
            return Ok(given.to_owned());
        }
        loop {
            let typed = self.terminal.ask_secret(question).context(question)?;
            if !typed.is_empty() {
                return Ok(typed);
            }
        }
    }
}
