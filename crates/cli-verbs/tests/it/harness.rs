//! A command line whose world is all made up.

use std::{collections::BTreeMap, fmt::Write as _, io, path::PathBuf, sync::Arc};

use clap::{CommandFactory as _, FromArgMatches as _};
use cli_client::{
    BoxFuture,
    fake::{Script, SwiftClock},
};
use cli_verbs::{
    Build, Env, Verb, command_path,
    ports::{
        Browser, Callback, CallbackServer, Callbacks, ClusterLogin, Engine, Keyring, LocalRun,
        Streams, Terminal,
    },
};
use core_clock::{FixedEnvironment, SeededEntropy};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Where the server is.
pub(crate) const HOST: &str = "https://kargo.test";
/// When it is.
pub(crate) const NOW: &str = "2026-01-02T03:04:05Z";

#[derive(clap::Parser)]
#[command(name = "kargo", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

/// A user with a home directory, before a scripted server.
pub(crate) struct Kargo {
    pub(crate) script: Arc<Script>,
    pub(crate) home: TempDir,
    pub(crate) input: String,
    pub(crate) secret: String,
    pub(crate) reads: bool,
    pub(crate) callbacks: Vec<(String, String)>,
    pub(crate) cluster_token: Result<String, String>,
    pub(crate) keyring: Option<Arc<Drawer>>,
    pub(crate) engine: Result<Option<Value>, String>,
    variables: Vec<(String, String)>,
}

impl Kargo {
    /// A user who is logged in by variables, with a default Project.
    pub(crate) fn new(script: Script) -> Self {
        let user = Self::stranger(script);
        let variables =
            [("KARGO_API_ADDRESS", HOST), ("KARGO_API_TOKEN", "token"), ("KARGO_PROJECT", "demo")];
        variables.into_iter().fold(user, |user, (name, value)| user.variable(name, value))
    }

    /// A user whom nothing is known of.
    pub(crate) fn stranger(script: Script) -> Self {
        Self {
            script: Arc::new(script),
            home: tempfile::tempdir().unwrap(),
            input: String::new(),
            secret: "typed-secret".to_owned(),
            reads: false,
            callbacks: Vec::new(),
            cluster_token: Ok("cluster-token".to_owned()),
            keyring: None,
            engine: Ok(None),
            variables: Vec::new(),
        }
    }

    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Puts a configuration there.
    pub(crate) fn config(self, text: &str) -> Self {
        let folder = self.home.path().join("kargo");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config"), text).unwrap();
        self
    }

    /// Has a server run on this machine.
    pub(crate) fn local_server(self, text: &str) -> Self {
        let folder = self.home.path().join("state/kargo");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("up.yaml"), text).unwrap();
        self
    }

    /// What is in the configuration.
    pub(crate) fn stored(&self) -> String {
        std::fs::read_to_string(self.home.path().join("kargo/config")).unwrap_or_default()
    }

    /// Runs a command and tells all that can be seen of it.
    pub(crate) fn run(&self, command: &str) -> String {
        let words: Vec<String> = command.split(' ').map(|word| word.replace('~', " ")).collect();
        self.run_words(&words)
    }

    pub(crate) fn run_words(&self, words: &[String]) -> String {
        let asked_before = self.script.transcript().len();
        let screen = Arc::new(Screen { input: self.input.clone(), ..Screen::default() });
        let env = self.env(&screen);
        let full = std::iter::once("kargo".to_owned()).chain(words.iter().cloned());
        let exit = match Arguments::command().try_get_matches_from(full) {
            Ok(matches) => {
                let verb = Arguments::from_arg_matches(&matches).unwrap().verb;
                match futures::executor::block_on(cli_verbs::run(&env, verb, &matches)) {
                    Ok(()) => 0,
                    Err(exit) => exit as u8,
                }
            }
            Err(error) => {
                let path = command_path(words.iter().map(String::as_str));
                let failure = cli_verbs::translate(&error, &path);
                cli_verbs::tell(&env, &failure, false).unwrap();
                failure.exit as u8
            }
        };
        let asked = self.script.transcript().split_off(asked_before);
        told(words, asked, &screen, exit)
    }

    fn env(&self, screen: &Arc<Screen>) -> Env {
        let home = self.home.path().to_str().unwrap().to_owned();
        let mut variables = self.variables.clone();
        variables.push(("XDG_STATE_HOME".to_owned(), format!("{home}/state")));
        variables.push(("XDG_CONFIG_HOME".to_owned(), home));
        let environment: FixedEnvironment = variables.into_iter().collect();
        let user = Arc::new(User {
            secret: self.secret.clone(),
            reads: self.reads,
            callbacks: self.callbacks.clone(),
            cluster_token: self.cluster_token.clone(),
            engine: self.engine.clone(),
            pages: screen.clone(),
        });
        Env {
            streams: screen.clone(),
            terminal: user.clone(),
            environment: Arc::new(environment),
            clock: Arc::new(SwiftClock::new(NOW.parse().unwrap())),
            entropy: Arc::new(SeededEntropy::new(1)),
            transport: self.script.clone(),
            browser: user.clone(),
            callbacks: user.clone(),
            cluster: user.clone(),
            keyring: self.keyring.clone().map(|drawer| -> Arc<dyn Keyring> { drawer }),
            local_run: user.clone(),
            engine: user,
            build: Build {
                version: "v1.0.0".to_owned(),
                document: json!({ "version": "v1.0.0", "platform": "test/test" }),
            },
            has_warned: Arc::default(),
        }
    }
}

fn told(words: &[String], asked: String, screen: &Screen, exit: u8) -> String {
    let mut told = format!("$ kargo {}\n", words.join(" "));
    for (name, text) in [
        ("requests", asked),
        ("stdout", screen.out.lock().clone()),
        ("stderr", screen.err.lock().clone()),
    ] {
        if !text.is_empty() {
            let _ = write!(told, "--- {name}\n{text}");
        }
    }
    let _ = write!(told, "--- exit {exit}");
    told
}

#[derive(Default)]
struct Screen {
    out: Mutex<String>,
    err: Mutex<String>,
    input: String,
}

impl Streams for Screen {
    fn out(&self, text: &str) -> io::Result<()> {
        self.out.lock().push_str(text);
        Ok(())
    }

    fn err(&self, text: &str) -> io::Result<()> {
        self.err.lock().push_str(text);
        Ok(())
    }

    fn read_input(&self, _: usize) -> io::Result<Vec<u8>> {
        Ok(self.input.clone().into_bytes())
    }
}

struct User {
    secret: String,
    reads: bool,
    callbacks: Vec<(String, String)>,
    cluster_token: Result<String, String>,
    engine: Result<Option<Value>, String>,
    pages: Arc<Screen>,
}

impl Terminal for User {
    fn is_watched(&self) -> bool {
        false
    }

    fn is_read(&self) -> bool {
        self.reads
    }

    fn ask_secret(&self, question: &str) -> io::Result<String> {
        self.pages.err(&format!("({question}?)\n"))?;
        Ok(self.secret.clone())
    }
}

impl Engine for User {
    fn report(&self, _: Option<PathBuf>) -> BoxFuture<'_, Result<Option<Value>, String>> {
        let told = self.engine.clone();
        Box::pin(async move { told })
    }
}

impl Browser for User {
    fn open(&self, url: &str) -> io::Result<()> {
        self.pages.err(&format!("(browser opens {url})\n"))
    }
}

impl CallbackServer for User {
    fn listen(&self, port: u16) -> BoxFuture<'_, io::Result<Box<dyn Callbacks>>> {
        let port = if port == 0 { 40_000 } else { port };
        let mut waiting = self.callbacks.clone();
        waiting.reverse();
        let open: Box<dyn Callbacks> = Box::new(Open { port, waiting, pages: self.pages.clone() });
        Box::pin(async move { Ok(open) })
    }
}

struct Open {
    port: u16,
    waiting: Vec<(String, String)>,
    pages: Arc<Screen>,
}

impl Callbacks for Open {
    fn port(&self) -> u16 {
        self.port
    }

    fn next(&mut self) -> BoxFuture<'_, io::Result<Callback>> {
        let Some((path, query)) = self.waiting.pop() else {
            return Box::pin(std::future::pending());
        };
        let pages = self.pages.clone();
        let reply = move |status: u16, _: String| -> BoxFuture<'static, ()> {
            pages.err(&format!("(page {status})\n")).unwrap();
            Box::pin(async {})
        };
        Box::pin(async move { Ok(Callback { path, query, reply: Box::new(reply) }) })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}

impl ClusterLogin for User {
    fn bearer_token(&self, account: Option<String>) -> BoxFuture<'_, Result<String, String>> {
        let token = match account {
            Some(account) => Ok(format!("token of {account}")),
            None => self.cluster_token.clone(),
        };
        Box::pin(async move { token })
    }
}

/// A keyring that is a drawer.
#[derive(Default)]
pub(crate) struct Drawer(pub(crate) Mutex<BTreeMap<String, String>>);

impl Keyring for Drawer {
    fn get(&self, account: &str) -> io::Result<Option<String>> {
        Ok(self.0.lock().get(account).cloned())
    }

    fn set(&self, account: &str, secret: &str) -> io::Result<()> {
        self.0.lock().insert(account.to_owned(), secret.to_owned());
        Ok(())
    }

    fn delete(&self, account: &str) -> io::Result<()> {
        self.0.lock().remove(account);
        Ok(())
    }
}

impl LocalRun for User {
    fn preview(&self, manifests: String, form: &'static str) -> BoxFuture<'_, io::Result<bool>> {
        let shown = self.pages.out(&format!("(preview as {form})\n{manifests}"));
        Box::pin(async move { shown.map(|()| true) })
    }
}

/// A route of the scripted server: `GET projects/demo/stages`.
pub(crate) fn at(route: &str) -> String {
    let (method, path) = route.split_once(' ').unwrap();
    format!("{method} {HOST}/v1beta1/{path}")
}
