//! The user's browser.

use std::{
    io,
    process::{Command, Stdio},
};

use cli_verbs::ports::Browser;
use core_clock::Environment as _;
use io_runtime::SystemEnvironment;

/// The one that the desktop opens pages with.
pub(super) struct UserBrowser;

impl Browser for UserBrowser {
    fn open(&self, url: &str) -> io::Result<()> {
        let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let is_set =
            |name: &str| SystemEnvironment.var(name).is_some_and(|value| !value.is_empty());
        if cfg!(target_os = "linux") && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") {
            // Without a desktop the program would open something in this terminal.
            return Err(io::Error::other("there is no desktop"));
        }
        let mut command = Command::new(program);
        command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status()?;
        if status.success() { Ok(()) } else { Err(io::Error::other("no browser opened")) }
    }
}
