//! Who calls.

use core_clock::Time;
use core_rules::{
    access::candidate::AccountsByNamespace,
    actor::{User, user_actor},
};
use io_kube::Subject;
use serde_json::{Map, Value};

/// Someone whose login was checked.
#[derive(Debug)]
pub(crate) struct Login {
    pub(crate) identity: Identity,
    /// When it is over, where it is ever.
    pub(crate) expires: Option<Time>,
}

/// Who that is.
#[derive(Clone, Debug)]
pub(crate) enum Identity {
    /// The administrator of the installation.
    Admin,
    /// The person that a server of their own serves, with their own kubeconfig.
    Local,
    /// Somebody of the identity provider.
    Oidc(Person),
    /// Somebody whom Kubernetes knows.
    Kubernetes(Subject),
}

/// Somebody of the identity provider.
#[derive(Clone, Debug)]
pub(crate) struct Person {
    pub(crate) claims: Map<String, Value>,
    pub(crate) username: String,
    pub(crate) username_claim: String,
    /// The ServiceAccounts whose rights they have, by namespace.
    pub(crate) accounts: AccountsByNamespace,
}

impl Identity {
    /// What events and annotations call them.
    pub(crate) fn actor(&self) -> String {
        let user = match self {
            Self::Admin => User { is_admin: true, ..User::default() },
            Self::Local => User::default(),
            Self::Oidc(person) => User {
                name: &person.username,
                name_claim: &person.username_claim,
                claims: Some(&person.claims),
                ..User::default()
            },
            Self::Kubernetes(subject) => {
                User { kubernetes_name: Some(&subject.user), ..User::default() }
            }
        };
        user_actor(&user)
    }

    /// The ServiceAccounts whose rights they have, if that is where their rights come from.
    pub(crate) fn accounts(&self) -> Option<&AccountsByNamespace> {
        match self {
            Self::Oidc(person) => Some(&person.accounts),
            Self::Admin | Self::Local | Self::Kubernetes(_) => None,
        }
    }
}
