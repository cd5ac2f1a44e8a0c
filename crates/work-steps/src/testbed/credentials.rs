//! Credentials that are made up.

use std::collections::BTreeMap;

use core_rules::credential::Credential;
use futures::{FutureExt, future::BoxFuture};
use io_creds::{CredentialError, CredentialSource, Kind};
use parking_lot::Mutex;

/// Credentials by address; any other address is anonymous.
#[derive(Default)]
pub struct FakeCredentials {
    known: Mutex<BTreeMap<String, Credential>>,
    failure: Mutex<Option<String>>,
}

impl FakeCredentials {
    /// Gives the credential of an address, whatever kind of repository is there.
    pub fn put(&self, url: &str, credential: Credential) {
        self.known.lock().insert(url.to_owned(), credential);
    }

    /// Lets every look fail for this reason; `None` ends that.
    pub fn fail(&self, reason: Option<&str>) {
        *self.failure.lock() = reason.map(str::to_owned);
    }
}

impl CredentialSource for FakeCredentials {
    fn find<'a>(
        &'a self,
        _: &'a str,
        _: Kind,
        url: &'a str,
    ) -> BoxFuture<'a, Result<Option<Credential>, CredentialError>> {
        let found = match &*self.failure.lock() {
            Some(reason) => Err(reason.clone().into()),
            None => Ok(self.known.lock().get(url).cloned()),
        };
        std::future::ready(found).boxed()
    }
}
