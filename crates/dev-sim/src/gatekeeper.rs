//! Admission that reads through the server it guards: made when the server is up, gone when it dies.

use std::sync::Arc;

use core_clock::{Clock, Entropy, Tasks};
use emb_apiserver::{Admission, AdmissionRequest, Verdict};
use futures::{FutureExt, future::BoxFuture};
use parking_lot::Mutex;
use serde_json::Value;

/// Makes the rules of one life of the server.
pub(crate) type Make = Arc<dyn Fn(ServerCx) -> Arc<dyn Admission> + Send + Sync>;

/// What rules inside the server work with. Nothing goes wrong between them and the server but its death.
pub struct ServerCx {
    /// A client with all permissions.
    pub client: kube::Client,
    /// The clock of the server.
    pub clock: Arc<dyn Clock>,
    /// Its entropy.
    pub entropy: Arc<dyn Entropy>,
    /// Its tasks.
    pub tasks: Arc<dyn Tasks>,
}

/// The place of the rules in the server. Everything passes before they are there: until then only the server itself
/// writes. They hold the server, and the server holds this place, so that it must be cleared for either to be freed.
#[derive(Default)]
pub(crate) struct Gatekeeper(Mutex<Option<Arc<dyn Admission>>>);

impl Gatekeeper {
    /// From now on the rules hold.
    pub(crate) fn install(&self, rules: Arc<dyn Admission>) {
        *self.0.lock() = Some(rules);
    }

    /// The server is dead.
    pub(crate) fn clear(&self) {
        // Taken first: what the rules hold is dropped without the lock.
        let rules = self.0.lock().take();
        drop(rules);
    }

    fn rules(&self) -> Option<Arc<dyn Admission>> {
        self.0.lock().clone()
    }
}

impl Admission for Gatekeeper {
    fn mutate<'a>(
        &'a self,
        request: &'a AdmissionRequest,
        object: &'a mut Value,
    ) -> BoxFuture<'a, Verdict> {
        async move {
            match self.rules() {
                Some(rules) => rules.mutate(request, object).await,
                None => Ok(Vec::new()),
            }
        }
        .boxed()
    }

    fn validate<'a>(
        &'a self,
        request: &'a AdmissionRequest,
        object: Option<&'a Value>,
    ) -> BoxFuture<'a, Verdict> {
        async move {
            match self.rules() {
                Some(rules) => rules.validate(request, object).await,
                None => Ok(Vec::new()),
            }
        }
        .boxed()
    }
}
