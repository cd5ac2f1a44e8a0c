//! The login at an identity provider: with a browser here, or with a code on another device.

use cli_client::{Client, oidc::Provider};

use super::{Granted, Plan, browser, device, public_config};
use crate::{
    env::Env,
    exit::{CliResult, Context as _, Exit, Failure},
};

pub(super) async fn login(
    env: &Env,
    client: &Client,
    plan: &Plan,
    no_browser: bool,
) -> CliResult<Granted> {
    let Some(oidc) = public_config(client).await?.oidc_config else {
        let message = "server does not support OpenID Connect";
        return Err(Failure::new(Exit::Denied, message)
            .hint("log in with --admin or --kubeconfig, or set OIDC_ENABLED on the server"));
    };
    let discovered = Provider::discover(env.transport.clone(), plan.trust, &oidc).await;
    let provider = discovered.context("error discovering the identity provider")?;
    let tokens = if no_browser && provider.has_device_login() {
        device::login(env, &provider).await?
    } else {
        browser::login(env, &provider, plan.callback_port, no_browser).await?
    };
    Ok(Granted { token: tokens.id_token, refresh_token: tokens.refresh_token })
}
