//! An `ssh` that stays logged in after a listing, so that a fetch which follows need not log in again.
//!
//! Logging in is what most of the time over SSH goes to. The `ssh` that listed is the master of a control socket in its
//! private directory; the one that `git fetch` starts goes through it. Where that cannot be, because the server wants one
//! session per connection or the first connection broke, `ssh` logs in by itself.

use std::{convert::Infallible, fmt, path::Path, sync::Arc};

use tokio::sync::oneshot;

use super::child::Conversation;
use crate::{context::Context, ssh_login::SshLogin};

/// A log-in that is kept until this is dropped.
pub(crate) struct Connection {
    login: SshLogin,
    // Its end tells the task that keeps the program.
    _wanted: oneshot::Sender<Infallible>,
}

impl Connection {
    pub(super) fn keep(cx: &Context, login: SshLogin, conversation: Conversation) -> Arc<Self> {
        let (wanted, unwanted) = oneshot::channel();
        let (clock, stopping) = (cx.clock.clone(), cx.tasks.stopping());
        let keep = async move {
            tokio::select! {
                _ = unwanted => conversation.end(&*clock).await,
                () = stopping => {}
            }
        };
        cx.tasks.spawn("ssh connection", Box::pin(keep));
        Arc::new(Self { login, _wanted: wanted })
    }

    /// The configuration that leads through it.
    pub(crate) fn config(&self) -> &Path {
        self.login.config()
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connection")
    }
}
