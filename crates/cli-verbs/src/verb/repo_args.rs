//! Credentials of repositories, as they are created and changed.

use serde_json::{Map, Value};

use crate::{
    cobra, exit::CliResult, output::PrintArgs, scope_args::SharedScopeArgs, session::ConnectionArgs,
};

/// Credentials of repositories
#[derive(clap::Args, Debug)]
pub(super) struct RepoArgs {
    /// The credentials
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    pub(super) scope: SharedScopeArgs,
    #[command(flatten)]
    repo_type: RepoTypeArgs,
    /// URL of the repository, or a pattern of URLs
    #[arg(long, value_name = "URL")]
    pub(super) repo_url: Option<String>,
    /// The URL is a regular expression
    #[arg(long)]
    pub(super) regex: bool,
    /// Who logs in
    #[arg(long, value_name = "USER")]
    pub(super) username: Option<String>,
    /// With which password; new credentials ask for it where it is not given
    #[arg(long, value_name = "PASSWORD")]
    pub(super) password: Option<String>,
    /// What they are for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    pub(super) print: PrintArgs,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

/// The kind of a repository
#[derive(clap::Args, Clone, Debug, Default)]
struct RepoTypeArgs {
    /// Credentials of a Git repository
    #[arg(long)]
    git: bool,
    /// Credentials of a Helm repository
    #[arg(long)]
    helm: bool,
    /// Credentials of an image repository
    #[arg(long)]
    image: bool,
    /// Kind of the repository: git, helm or image
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
}

impl RepoArgs {
    /// The name of the credentials, once their flags agree with each other.
    pub(super) fn name(&self, command: &'static str) -> CliResult<&str> {
        let name = cobra::exactly_one(&self.names, command)?;
        self.scope.check()?;
        cobra::exclusive(&self.repo_type.given())?;
        Ok(name)
    }

    /// The kind of the repository must be given.
    pub(super) fn require_type(&self) -> CliResult {
        cobra::one_required(&self.repo_type.given())
    }

    /// The fields that were given, as the server names them.
    pub(super) fn fields(&self) -> Map<String, Value> {
        let given = [
            ("type", self.repo_type.chosen()),
            ("repoUrl", self.repo_url.as_deref()),
            ("username", self.username.as_deref()),
            ("password", self.password.as_deref()),
            ("description", self.description.as_deref()),
        ];
        let given = given.into_iter().filter_map(|(field, value)| Some((field, value?.into())));
        let is_regex = self.repo_url.as_ref().map(|_| ("repoUrlIsRegex", self.regex.into()));
        given.chain(is_regex).map(|(field, value)| (field.to_owned(), value)).collect()
    }
}

impl RepoTypeArgs {
    fn given(&self) -> [cobra::Given; 4] {
        [
            ("git", self.git),
            ("helm", self.helm),
            ("image", self.image),
            ("type", self.kind.is_some()),
        ]
    }

    fn chosen(&self) -> Option<&str> {
        let flags = [(self.git, "git"), (self.helm, "helm"), (self.image, "image")];
        let flag = flags.iter().find(|(given, _)| *given).map(|(_, kind)| *kind);
        flag.or(self.kind.as_deref())
    }
}
