//! The login with a browser on this machine, which comes back to a port of ours.

use std::time::Duration;

use cli_client::oidc::{Authorization, Provider, Tokens};

use super::page;
use crate::{
    env::Env,
    exit::{CliResult, Context as _, Exit, Failure},
    ports::{Callback, Callbacks},
};

/// How long the user has.
const PATIENCE: Duration = Duration::from_mins(5);
const PATH: &str = "/auth/callback";

pub(super) async fn login(
    env: &Env,
    provider: &Provider,
    port: u16,
    no_browser: bool,
) -> CliResult<Tokens> {
    let listening = env.callbacks.listen(port).await;
    let mut callbacks = listening.context(format!("error listening on port {port}"))?;
    let redirect = format!("http://localhost:{}{PATH}", callbacks.port());
    let authorization = Authorization::begin(&*env.entropy, redirect);
    let url = authorization.url(provider)?;
    if no_browser || env.browser.open(&url).is_err() {
        env.say(&format!("Open this page to log in:\n\n{url}\n"))?;
    }
    let coming = come_back(&authorization, &mut *callbacks);
    let code = env.within(Some(PATIENCE), Box::pin(coming)).await;
    callbacks.close().await;
    let Some(code) = code else {
        return Err(Failure::new(
            Exit::TimedOut,
            "timed out waiting for user to complete authentication",
        ));
    };
    let tokens = authorization.finish(provider, &code?, env.now()).await;
    tokens.context("error exchanging the code for tokens")
}

/// The code that the browser comes back with. Other pages that it asks for, such as an icon, are not there.
async fn come_back(
    authorization: &Authorization,
    callbacks: &mut dyn Callbacks,
) -> CliResult<String> {
    loop {
        let callback = callbacks.next().await?;
        if callback.path != PATH {
            (callback.reply)(404, page::refused("There is nothing here.")).await;
            continue;
        }
        return answer(authorization, callback).await;
    }
}

async fn answer(authorization: &Authorization, callback: Callback) -> CliResult<String> {
    let parameter = |name: &str| {
        let mut pairs = form_urlencoded::parse(callback.query.as_bytes());
        pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    };
    let refusal = if !authorization.is_state(&parameter("state").unwrap_or_default()) {
        Some("the answer does not belong to this login (state)".to_owned())
    } else if let Some(error) = parameter("error") {
        let description = parameter("error_description").unwrap_or_default();
        Some(format!("the identity provider refuses: {error} {description}").trim_end().to_owned())
    } else if parameter("code").is_none_or(|code| code.is_empty()) {
        Some("the answer has no code".to_owned())
    } else {
        None
    };
    let code = parameter("code").unwrap_or_default();
    if let Some(reason) = refusal {
        (callback.reply)(400, page::refused("The login failed.")).await;
        return Err(Failure::new(Exit::Denied, reason));
    }
    (callback.reply)(200, page::done()).await;
    Ok(code)
}
