//! A control plane that is made up.

use std::collections::BTreeMap;

use api_kinds::{freight::Freight, promotion::Promotion, warehouse::Warehouse};
use core_expr::{Answer, Request};
use futures::{FutureExt, future::BoxFuture};
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::port::{ControlPlane, GitIdentity, LookupError, MetadataOf};

/// Objects by name, and what steps did to them. Projects are not told apart.
#[derive(Default)]
pub struct FakeControlPlane {
    /// What expressions get; anything else is missing.
    pub answers: Mutex<BTreeMap<Request, Answer>>,
    pub warehouses: Mutex<BTreeMap<String, Warehouse>>,
    pub freight: Mutex<BTreeMap<String, Freight>>,
    pub promotions: Mutex<BTreeMap<String, Promotion>>,
    /// Metadata by object, as `Stage/dev`; only objects that are here can be changed.
    pub metadata: Mutex<BTreeMap<String, Map<String, Value>>>,
    /// Aliases that were given, by name of the Freight.
    pub aliases: Mutex<BTreeMap<String, String>>,
    pub identity: Mutex<Option<GitIdentity>>,
    /// Lets every call fail in this way.
    pub failure: Mutex<Option<LookupError>>,
    /// How often expressions asked.
    pub asked: Mutex<usize>,
}

impl FakeControlPlane {
    fn reply<'a, T: Send + 'a>(
        &self,
        reply: impl FnOnce() -> T,
    ) -> BoxFuture<'a, Result<T, LookupError>> {
        let failure = self.failure.lock().clone();
        std::future::ready(failure.map_or_else(|| Ok(reply()), Err)).boxed()
    }
}

impl ControlPlane for FakeControlPlane {
    fn answer<'a>(
        &'a self,
        _: &'a str,
        request: &'a Request,
    ) -> BoxFuture<'a, Result<Answer, LookupError>> {
        *self.asked.lock() += 1;
        self.reply(|| self.answers.lock().get(request).cloned().unwrap_or(Answer::Missing))
    }

    fn warehouse<'a>(
        &'a self,
        _: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Warehouse>, LookupError>> {
        self.reply(|| self.warehouses.lock().get(name).cloned())
    }

    fn freight<'a>(
        &'a self,
        _: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Freight>, LookupError>> {
        self.reply(|| self.freight.lock().get(name).cloned())
    }

    fn promotion<'a>(
        &'a self,
        _: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Promotion>, LookupError>> {
        self.reply(|| self.promotions.lock().get(name).cloned())
    }

    fn set_metadata<'a>(
        &'a self,
        _: &'a str,
        object: MetadataOf<'a>,
        values: &'a Map<String, Value>,
    ) -> BoxFuture<'a, Result<bool, LookupError>> {
        let name = match object {
            MetadataOf::Stage(name) => format!("Stage/{name}"),
            MetadataOf::Freight(name) => format!("Freight/{name}"),
        };
        self.reply(|| {
            let mut metadata = self.metadata.lock();
            let Some(known) = metadata.get_mut(&name) else { return false };
            for (key, value) in values {
                if value.is_null() {
                    known.remove(key);
                } else {
                    known.insert(key.clone(), value.clone());
                }
            }
            true
        })
    }

    fn set_alias<'a>(
        &'a self,
        _: &'a str,
        freight: &'a str,
        alias: &'a str,
    ) -> BoxFuture<'a, Result<(), LookupError>> {
        self.reply(|| drop(self.aliases.lock().insert(freight.to_owned(), alias.to_owned())))
    }

    fn git_identity(&self) -> BoxFuture<'_, Result<GitIdentity, LookupError>> {
        self.reply(|| {
            self.identity.lock().clone().unwrap_or_else(|| GitIdentity {
                name: "Kargo".to_owned(),
                email: "no-reply@kargo.io".to_owned(),
                signing_key: None,
            })
        })
    }
}
