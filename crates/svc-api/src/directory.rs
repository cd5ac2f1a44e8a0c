//! Which ServiceAccounts a login acts as.

use core_rules::access::{candidate::AccountsByNamespace, claim};
use serde_json::{Map, Value};

use crate::mirror::{IS_PROJECT, Mirror};

/// ServiceAccounts by the claims that lead to them, and the namespaces that count.
#[derive(Clone)]
pub(crate) struct Directory {
    pub(crate) service_accounts: Mirror,
    pub(crate) namespaces: Mirror,
}

impl Directory {
    /// The ServiceAccounts that these claims lead to, in namespaces of Projects and in the global ones.
    pub(crate) fn accounts_of(
        &self,
        claims: &Map<String, Value>,
        global: &[String],
    ) -> AccountsByNamespace {
        let mut accounts = AccountsByNamespace::new();
        for key in claim::keys_of_login(claims) {
            for account in self.service_accounts.tagged(&key, None) {
                if self.is_considered(&account.namespace, global) {
                    let of_namespace = accounts.entry(account.namespace.clone()).or_default();
                    of_namespace.insert(account.name.clone());
                }
            }
        }
        accounts
    }

    fn is_considered(&self, namespace: &str, global: &[String]) -> bool {
        let is_global = global.iter().any(|one| one == namespace);
        is_global || self.namespaces.get("", namespace).is_some_and(|one| one.has_tag(IS_PROJECT))
    }
}
