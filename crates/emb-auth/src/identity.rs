//! The authenticated caller of a request.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Group of every caller with valid credentials.
const AUTHENTICATED: &str = "system:authenticated";
/// Group that RBAC does not apply to.
const MASTERS: &str = "system:masters";

/// Who is asking. In process it is a request extension, which cannot come from the network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// User name, for example `system:serviceaccount:kargo:kargo-controller`.
    pub user: String,
    /// Uid, where the kind of user has one.
    pub uid: String,
    /// Groups, in the order they are shown.
    pub groups: Vec<String>,
    /// Anything else the authenticator knows.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl Identity {
    /// A request without credentials.
    pub fn anonymous() -> Self {
        Self {
            user: "system:anonymous".into(),
            groups: vec!["system:unauthenticated".into()],
            ..Self::default()
        }
    }

    /// A user with full power, for the written admin kubeconfig.
    pub fn admin() -> Self {
        Self {
            user: "admin".into(),
            groups: vec![MASTERS.into(), AUTHENTICATED.into()],
            ..Self::default()
        }
    }

    /// A controller of the server itself; shows in the audit log as `system:controller:<name>`.
    pub fn controller(name: &str) -> Self {
        Self {
            user: format!("system:controller:{name}"),
            groups: vec![MASTERS.into(), AUTHENTICATED.into()],
            ..Self::default()
        }
    }

    /// A ServiceAccount.
    pub fn service_account(namespace: &str, name: &str, uid: &str) -> Self {
        Self {
            user: format!("system:serviceaccount:{namespace}:{name}"),
            uid: uid.to_owned(),
            groups: vec![
                "system:serviceaccounts".into(),
                format!("system:serviceaccounts:{namespace}"),
                AUTHENTICATED.into(),
            ],
            ..Self::default()
        }
    }

    /// Whether RBAC is passed over.
    pub fn is_master(&self) -> bool {
        self.groups.iter().any(|group| group == MASTERS)
    }

    /// The `UserInfo` wire form; empty members are left out.
    pub fn to_user_info(&self) -> Value {
        let mut info = json!({ "username": self.user, "groups": self.groups });
        if let Some(object) = info.as_object_mut() {
            if !self.uid.is_empty() {
                object.insert("uid".into(), json!(self.uid));
            }
            if !self.extra.is_empty() {
                object.insert("extra".into(), json!(self.extra));
            }
        }
        info
    }
}
