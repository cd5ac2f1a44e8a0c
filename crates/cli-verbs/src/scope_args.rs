//! Which Project, or which part of the installation, a command is about.

use cli_client::Scope;

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Failure},
    session::Session,
};

/// A Project
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct ProjectArg {
    /// Project; without it, the default one of the configuration
    #[arg(short, long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
}

/// A Project, or what all of them share
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct SharedScopeArgs {
    #[command(flatten)]
    project: ProjectArg,
    /// What all Projects share, instead of one Project
    #[arg(long)]
    shared: bool,
}

/// A Project, or the installation
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct SystemScopeArgs {
    #[command(flatten)]
    project: ProjectArg,
    /// The installation, instead of one Project
    #[arg(long)]
    system: bool,
}

/// A Project, what all of them share, or the installation
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct AnyScopeArgs {
    #[command(flatten)]
    project: ProjectArg,
    /// What all Projects share, instead of one Project
    #[arg(long)]
    shared: bool,
    /// The installation, instead of one Project
    #[arg(long)]
    system: bool,
}

impl ProjectArg {
    /// The Project: as given, else of the environment, else of the configuration.
    pub(crate) fn resolve(&self, env: &Env, session: &Session) -> CliResult<String> {
        let project = match &self.project {
            Some(project) => project.clone(),
            None => {
                env.variable("KARGO_PROJECT").unwrap_or_else(|| session.default_project.clone())
            }
        };
        if project.trim().is_empty() {
            return Err(Failure::usage("project is required").hint(
                "name it with --project, or once and for all with `kargo config set-project NAME`",
            ));
        }
        Ok(project.trim().to_owned())
    }
}

impl SharedScopeArgs {
    /// Only one of the flags may be given.
    pub(crate) fn check(&self) -> CliResult {
        cobra::exclusive(&[("project", self.project.project.is_some()), ("shared", self.shared)])
    }

    pub(crate) fn resolve(&self, env: &Env, session: &Session) -> CliResult<Scope> {
        if self.shared {
            return Ok(Scope::Shared);
        }
        Ok(Scope::Project(self.project.resolve(env, session)?))
    }
}

impl SystemScopeArgs {
    /// Only one of the flags may be given.
    pub(crate) fn check(&self) -> CliResult {
        cobra::exclusive(&[("project", self.project.project.is_some()), ("system", self.system)])
    }

    pub(crate) fn resolve(&self, env: &Env, session: &Session) -> CliResult<Scope> {
        if self.system {
            return Ok(Scope::System);
        }
        Ok(Scope::Project(self.project.resolve(env, session)?))
    }
}

impl AnyScopeArgs {
    /// Only one of the flags may be given.
    pub(crate) fn check(&self) -> CliResult {
        cobra::exclusive(&[
            ("project", self.project.project.is_some()),
            ("shared", self.shared),
            ("system", self.system),
        ])
    }

    pub(crate) fn resolve(&self, env: &Env, session: &Session) -> CliResult<Scope> {
        match (self.shared, self.system) {
            (true, _) => Ok(Scope::Shared),
            (_, true) => Ok(Scope::System),
            _ => Ok(Scope::Project(self.project.resolve(env, session)?)),
        }
    }
}
