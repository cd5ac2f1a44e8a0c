//! What verbs need of the machine they run on. The binary brings the real ones, tests their own.

use std::{io, path::PathBuf};

use cli_client::BoxFuture;
use serde_json::Value;

/// The three streams of a process.
pub trait Streams: Send + Sync {
    /// Writes data.
    fn out(&self, text: &str) -> io::Result<()>;
    /// Writes what is said about the data.
    fn err(&self, text: &str) -> io::Result<()>;
    /// Reads all of the input, at most `limit` bytes and one.
    fn read_input(&self, limit: usize) -> io::Result<Vec<u8>>;
}

/// The person before the screen, if there is one.
pub trait Terminal: Send + Sync {
    /// Whether somebody watches what is said.
    fn is_watched(&self) -> bool;
    /// Whether somebody reads the data as it is written, rather than a program or a file.
    fn is_read(&self) -> bool;
    /// Asks for something that is not shown while it is typed.
    fn ask_secret(&self, question: &str) -> io::Result<String>;
}

/// Opens pages.
pub trait Browser: Send + Sync {
    /// Opens a page in the user's browser.
    fn open(&self, url: &str) -> io::Result<()>;
}

/// Where a browser comes back to after a login.
pub trait CallbackServer: Send + Sync {
    /// Listens on this machine alone; port 0 takes any free one.
    fn listen(&self, port: u16) -> BoxFuture<'_, io::Result<Box<dyn Callbacks>>>;
}

/// An open port that a browser comes back to.
pub trait Callbacks: Send {
    /// The port.
    fn port(&self) -> u16;
    /// The next request.
    fn next(&mut self) -> BoxFuture<'_, io::Result<Callback>>;
    /// Closes the port when the pages on their way have arrived.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// One request of a browser, which waits for its page.
pub struct Callback {
    /// The path, without the query.
    pub path: String,
    /// The query, or the form in the body.
    pub query: String,
    /// Sends a page.
    pub reply: Box<dyn FnOnce(u16, String) -> BoxFuture<'static, ()> + Send>,
}

/// Where the system keeps secrets of its user.
pub trait Keyring: Send + Sync {
    /// The secret of an account, if it is there.
    fn get(&self, account: &str) -> io::Result<Option<String>>;
    /// Keeps a secret in place of the one before.
    fn set(&self, account: &str, secret: &str) -> io::Result<()>;
    /// Forgets a secret.
    fn delete(&self, account: &str) -> io::Result<()>;
}

/// Promotions on this machine.
pub trait LocalRun: Send + Sync {
    /// Shows what the Promotion among some manifests would do, as `text`, `json` or `yaml`; whether it would succeed.
    fn preview(&self, manifests: String, form: &'static str) -> BoxFuture<'_, io::Result<bool>>;
}

/// The cluster of the user's kubeconfig.
pub trait ClusterLogin: Send + Sync {
    /// The token by which the user is known there, or a new one of a ServiceAccount that they name as
    /// `namespace/name`.
    fn bearer_token(&self, account: Option<String>) -> BoxFuture<'_, Result<String, String>>;
}

/// The embedded engine of a control plane on this machine.
pub trait Engine: Send + Sync {
    /// What the engine says about itself. Without a data directory that of the user is meant, and it is no failure if none
    /// runs there.
    fn report(&self, data_dir: Option<PathBuf>) -> BoxFuture<'_, Result<Option<Value>, String>>;
}
