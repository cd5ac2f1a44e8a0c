//! Bindings: who gets the rules of which role.

use emb_meta::ObjectExt;
use serde_json::Value;

/// A subject as the index looks it up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    User(String),
    Group(String),
    ServiceAccount { namespace: String, name: String },
}

impl Subject {
    /// How the reason of a decision names it: `Group "g"`, `ServiceAccount "name/namespace"`.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::User(name) => format!("User {name:?}"),
            Self::Group(name) => format!("Group {name:?}"),
            Self::ServiceAccount { namespace, name } => {
                format!("ServiceAccount \"{name}/{namespace}\"")
            }
        }
    }

    /// The ServiceAccount behind a user name of the form `system:serviceaccount:ns:name`.
    pub(super) fn service_account(user: &str) -> Option<Self> {
        let (namespace, name) = user.strip_prefix("system:serviceaccount:")?.split_once(':')?;
        Some(Self::ServiceAccount { namespace: namespace.to_owned(), name: name.to_owned() })
    }
}

/// What a binding says, without its own name.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) role_is_cluster: bool,
    pub(super) role_name: String,
    pub(super) subjects: Vec<Subject>,
}

impl Binding {
    /// Reads a RoleBinding or ClusterRoleBinding; subjects of unknown kinds grant nothing.
    pub(super) fn parse(object: &Value) -> Self {
        let own_namespace = object.namespace();
        let subjects = object.get("subjects").and_then(Value::as_array);
        Self {
            role_is_cluster: object.text(&["roleRef", "kind"]) == "ClusterRole",
            role_name: object.text(&["roleRef", "name"]).to_owned(),
            subjects: subjects
                .into_iter()
                .flatten()
                .filter_map(|subject| parse_subject(subject, own_namespace))
                .collect(),
        }
    }
}

fn parse_subject(subject: &Value, own_namespace: &str) -> Option<Subject> {
    let name = subject.text(&["name"]).to_owned();
    match subject.text(&["kind"]) {
        "User" => Some(Subject::User(name)),
        "Group" => Some(Subject::Group(name)),
        "ServiceAccount" => {
            let namespace = match subject.text(&["namespace"]) {
                "" => own_namespace,
                given => given,
            };
            Some(Subject::ServiceAccount { namespace: namespace.to_owned(), name })
        }
        _ => None,
    }
}
