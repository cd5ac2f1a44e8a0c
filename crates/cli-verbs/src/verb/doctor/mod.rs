//! `kargo doctor`: looks for what may be wrong between a user and a server, and says what to do about it.

mod engine;

use std::path::PathBuf;

use cli_client::{Address, Client, expiry};
use serde_json::Value;

use crate::{
    env::Env,
    exit::{CliResult, Failure},
    output::age,
    session::ConnectionArgs,
};

/// Check the configuration, the server and the way to it, and say what to do
#[derive(clap::Args, Debug)]
pub struct DoctorArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    /// Data directory of a `kargo up` on this machine whose engine is looked at, too [default: the user's, if it runs]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

/// Looks at one thing after the other, each of which needs those before it.
pub(super) async fn doctor(env: &Env, args: &DoctorArgs) -> CliResult {
    let mut visit = Visit { env, troubles: 0 };
    visit.all(args).await?;
    visit.engine(args).await?;
    match visit.troubles {
        0 => env.out_line("\nall is well"),
        1 => Err(Failure::error("1 thing is wrong")),
        count => Err(Failure::error(format!("{count} things are wrong"))),
    }
}

struct Visit<'a> {
    env: &'a Env,
    troubles: usize,
}

impl Visit<'_> {
    async fn all(&mut self, args: &DoctorArgs) -> CliResult {
        if !self.configuration(args)? {
            return Ok(());
        }
        let session = match self.env.session(&args.connection).await {
            Ok(session) => session,
            Err(failure) => {
                return self.bad("login", &failure.message, "log in with `kargo login`");
            }
        };
        if !self.reachability(&session.client).await? {
            return Ok(());
        }
        self.version(&session.client).await?;
        if self.identity(&session.client).await? {
            self.controllers(&session.client).await?;
        }
        Ok(())
    }

    fn configuration(&mut self, args: &DoctorArgs) -> CliResult<bool> {
        let store = self.env.store()?;
        let place = store.path().display().to_string();
        let config = match store.load() {
            Ok(config) => config,
            Err(failure) => {
                self.bad(
                    "configuration",
                    &failure.message,
                    "mend the file, or remove it with `kargo logout`",
                )?;
                return Ok(false);
            }
        };
        self.good("configuration", &place)?;
        let name = config.context_name(args.connection.context.as_deref());
        let Ok(connection) = config.connection(name) else { return Ok(true) };
        if connection.insecure_skip_tls_verify {
            let advice = "log in again without --insecure-skip-tls-verify once the server has a certificate that this machine trusts";
            self.bad("trust", "the server's certificate is not checked", advice)?;
        }
        if let Some(end) = expiry(&connection.bearer_token) {
            let now = self.env.now();
            if end > now {
                let text = format!("ends in {}", age(Some(now), end));
                self.good("token", &text)?;
            }
        }
        Ok(true)
    }

    async fn reachability(&mut self, client: &Client) -> CliResult<bool> {
        match client.probe("/healthz").await {
            Ok(_) => {
                self.good("server", client.address().as_str())?;
                Ok(true)
            }
            Err(error) => {
                self.bad("server", &error.to_string(), advice(client.address()))?;
                Ok(false)
            }
        }
    }

    async fn version(&mut self, client: &Client) -> CliResult {
        let Ok(server) = client.server_version().await else { return Ok(()) };
        let number = server.get("version").and_then(Value::as_str).unwrap_or("unknown");
        let client = &self.env.build.version;
        if number == client {
            return self.good("version", number);
        }
        self.good("version", &format!("client {client}, server {number}"))
    }

    async fn identity(&mut self, client: &Client) -> CliResult<bool> {
        match client.server_config().await {
            Ok(config) => {
                self.good("login", "the server knows you")?;
                let secrets = if config.secret_management_enabled { "on" } else { "off" };
                self.good("secret management", secrets)?;
                Ok(true)
            }
            Err(error) => {
                self.bad("login", &error.to_string(), "log in again with `kargo login`")?;
                Ok(false)
            }
        }
    }

    async fn controllers(&mut self, client: &Client) -> CliResult {
        let Ok(answer) = client.controller_heartbeats().await else { return Ok(()) };
        let heartbeats = answer.get("heartbeats").and_then(Value::as_object);
        for (name, heartbeat) in heartbeats.into_iter().flatten() {
            let status = heartbeat.get("status").and_then(Value::as_str).unwrap_or_default();
            let what = format!("controller {}", if name.is_empty() { "(default)" } else { name });
            if status == "Alive" {
                self.good(&what, "alive")?;
            } else {
                self.bad(
                    &what,
                    "gives no sign of life",
                    "look at its pod and its log; nothing is promoted in its shard meanwhile",
                )?;
            }
        }
        Ok(())
    }

    async fn engine(&mut self, args: &DoctorArgs) -> CliResult {
        let report = match self.env.engine.report(args.data_dir.clone()).await {
            Ok(Some(report)) => report,
            Ok(None) => return Ok(()),
            Err(problem) => {
                let advice = "does `kargo up` run with this --data-dir, as the same user?";
                return self.bad("engine", &problem, advice);
            }
        };
        for finding in engine::findings(&report) {
            match finding.advice {
                None => self.good(&finding.what, &finding.text)?,
                Some(advice) => self.bad(&finding.what, &finding.text, advice)?,
            }
        }
        Ok(())
    }

    fn good(&self, what: &str, text: &str) -> CliResult {
        self.env.out_line(&format!("ok    {what}: {text}"))
    }

    fn bad(&mut self, what: &str, text: &str, advice: &str) -> CliResult {
        self.troubles += 1;
        self.env.out_line(&format!("WRONG {what}: {text}"))?;
        self.env.out_line(&format!("      {advice}"))
    }
}

fn advice(address: &Address) -> &'static str {
    if address.as_str().starts_with("https") {
        "is the address right, does the network lead there, and is its certificate one that this machine trusts?"
    } else {
        "is the address right, and does something listen there?"
    }
}
