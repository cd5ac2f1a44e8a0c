//! The login of the command line on this machine: a file that only this user can read, with a token that soon expires.

use std::{fs, path::PathBuf, time::Duration};

use core_clock::{Environment, Tasks, Time};
use svc_api::Serving;

use crate::{directory::Directory, up::World};

const FILE: &str = "up.yaml";
const LIFETIME: Duration = Duration::from_hours(1);
/// A token is always good for half of its life.
const RENEWAL: Duration = Duration::from_mins(30);

/// Where the command line looks for a `kargo up`, and what it finds there.
pub(super) struct LocalLogin {
    folder: PathBuf,
    address: String,
    project: Option<&'static str>,
}

impl LocalLogin {
    /// The login to the server at `address`, in a Project if there is one to begin with; `None` for a user without a home.
    pub(super) fn new(
        environment: &dyn Environment,
        address: &str,
        project: Option<&'static str>,
    ) -> Option<Self> {
        let given = |variable: &str| environment.var(variable).filter(|text| !text.is_empty());
        let state = given("XDG_STATE_HOME").map(PathBuf::from);
        let state =
            state.or_else(|| Some(PathBuf::from(given("HOME")?).join(".local").join("state")))?;
        Some(Self { folder: state.join("kargo"), address: address.to_owned(), project })
    }

    /// Writes the file now and whenever its token has grown old, and removes it at the end. Returns where it is;
    /// `None` when there is no administrator, or no place for it.
    pub(super) fn keep(self, serving: &Serving, world: &World) -> Option<PathBuf> {
        let told = |error| tracing::warn!(%error, "the command line is not logged in by itself");
        let token = serving.local_token(LIFETIME)?;
        let directory = Directory::open(&self.folder).map_err(told).ok()?;
        let file = directory.file(FILE);
        let text = self.text(&token, world.clock.now());
        directory.write(FILE, &text).map_err(told).ok()?;
        let (serving, clock) = (serving.clone(), world.clock.clone());
        let mut stopping = world.tasks.stopping();
        let upkeep = async move {
            let mut written = text;
            loop {
                tokio::select! {
                    () = &mut stopping => break,
                    () = clock.sleep(RENEWAL) => {}
                }
                // Another `kargo up` of this user may have taken the place since.
                if !is(&directory, &written) {
                    return;
                }
                let Some(token) = serving.local_token(LIFETIME) else { return };
                written = self.text(&token, clock.now());
                if let Err(error) = directory.write(FILE, &written) {
                    tracing::warn!(%error, "the login of the command line is not renewed");
                }
            }
            if is(&directory, &written) {
                // What stays behind names a server that does not answer, and soon expires.
                let _ = fs::remove_file(directory.file(FILE));
            }
        };
        world.tasks.spawn("local login", Box::pin(upkeep));
        Some(file)
    }

    /// In the form of the command line's own configuration.
    fn text(&self, token: &str, now: Time) -> String {
        let (address, expiry) = (&self.address, (now + LIFETIME).to_rfc3339_seconds());
        let process = std::process::id();
        let project = self.project.map(|name| format!("project: {name}\n")).unwrap_or_default();
        format!(
            "# Written by a running `kargo up` for the command line on this machine.\n\
             apiAddress: {address}\nbearerToken: {token}\nexpiresAt: {expiry}\npid: {process}\n{project}"
        )
    }
}

fn is(directory: &Directory, written: &str) -> bool {
    directory.read(FILE).ok().flatten().is_some_and(|text| text == written)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use core_clock::FixedEnvironment;

    use super::*;

    fn folder(variables: &[(&str, &str)]) -> Option<PathBuf> {
        let environment: FixedEnvironment = variables.iter().copied().collect();
        LocalLogin::new(&environment, "http://127.0.0.1:8080", None).map(|login| login.folder)
    }

    #[test]
    fn it_is_where_the_state_of_programs_is() {
        let home = ("HOME", "/home/a");
        assert_eq!(folder(&[home]).as_deref(), Some(Path::new("/home/a/.local/state/kargo")));
        let given = folder(&[home, ("XDG_STATE_HOME", "/state")]);
        assert_eq!(given.as_deref(), Some(Path::new("/state/kargo")));
        assert_eq!(folder(&[("HOME", "")]), None);
    }
}
