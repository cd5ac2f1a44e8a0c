//! Where the credentials of repositories come from.

use core_rules::credential::Credential;
use futures::{FutureExt, future::BoxFuture};

use crate::{Credentials, Kind};

/// What goes wrong while credentials are looked for.
pub type CredentialError = Box<dyn std::error::Error + Send + Sync>;

/// Finds the credential of a repository; `None` stands for anonymous access.
pub trait CredentialSource: Send + Sync {
    fn find<'a>(
        &'a self,
        project: &'a str,
        kind: Kind,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<Credential>, CredentialError>>;
}

impl CredentialSource for Credentials {
    fn find<'a>(
        &'a self,
        project: &'a str,
        kind: Kind,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<Credential>, CredentialError>> {
        self.get(project, kind, url).map(|found| found.map_err(Into::into)).boxed()
    }
}
