//! The login on another device: the user types a code in there, and we ask until that is done.

use std::time::Duration;

use cli_client::oidc::{Device, DeviceAnswer, Provider, Tokens};

use crate::{
    env::Env,
    exit::{CliResult, Context as _, Exit, Failure},
};

/// How much longer to wait when the questions come too often (RFC 8628 §3.5).
const SLOWER: Duration = Duration::from_secs(5);

pub(super) async fn login(env: &Env, provider: &Provider) -> CliResult<Tokens> {
    let device = Device::begin(provider).await.context("error starting the login")?;
    let page = device.verification_uri_complete.as_ref().unwrap_or(&device.verification_uri);
    env.say(&format!("Open {page} on any device and confirm this code: {}", device.user_code))?;
    let mut interval = device.interval();
    let end = env.clock.monotonic() + device.life();
    while env.clock.monotonic() < end {
        env.clock.sleep(interval).await;
        let answer = device.ask(provider, env.now()).await;
        match answer.context("error logging in")? {
            DeviceAnswer::Tokens(tokens) => return Ok(tokens),
            DeviceAnswer::Pending => {}
            DeviceAnswer::SlowDown => interval += SLOWER,
        }
    }
    Err(Failure::new(Exit::TimedOut, "timed out waiting for user to complete authentication"))
}
