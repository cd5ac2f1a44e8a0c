//! Who writes, and what that means.

use std::collections::BTreeMap;

use core_pattern::{RegexError, UserRegex};

use crate::actor::kubernetes_actor;

/// The identities under which Kubernetes itself removes objects.
const KUBERNETES_COLLECTORS: [&str; 3] = [
    "system:serviceaccount:kube-system:namespace-controller",
    "system:serviceaccount:kube-system:generic-garbage-collector",
    "system:kube-controller-manager",
];

const CLUSTER_ADMINISTRATORS: &str = "system:masters";

const SERVICE_ACCOUNT_PREFIX: &str = "system:serviceaccount:";

/// A user as the API server describes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: String,
    /// The identity behind the name.
    pub uid: String,
    /// The groups.
    pub groups: Vec<String>,
    /// Whatever else the authenticator knows.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// The name of the user's ServiceAccount when it lives in `namespace`.
    pub fn service_account_in(&self, namespace: &str) -> Option<&str> {
        let account = self.name.strip_prefix(SERVICE_ACCOUNT_PREFIX)?;
        let (home, name) = account.split_once(':')?;
        (home == namespace).then_some(name)
    }
}

/// Which users are components of the system.
#[derive(Clone, Debug, Default)]
pub struct Identities {
    control_plane: Option<UserRegex>,
    management_controller: String,
    external_webhooks_server: String,
}

impl Identities {
    /// Reads the settings; an empty one means that nobody is meant.
    pub fn new(
        control_plane: &str,
        management_controller: &str,
        external_webhooks_server: &str,
    ) -> Result<Self, RegexError> {
        let is_given = !control_plane.is_empty();
        Ok(Self {
            control_plane: is_given.then(|| UserRegex::parse(control_plane)).transpose()?,
            management_controller: management_controller.to_owned(),
            external_webhooks_server: external_webhooks_server.to_owned(),
        })
    }

    /// What this user is to us.
    pub fn caller<'a>(&self, user: &'a User) -> Caller<'a> {
        let is = |name: &str| !name.is_empty() && user.name == name;
        Caller {
            user,
            is_control_plane: self.control_plane.as_ref().is_some_and(|r| r.is_match(&user.name)),
            is_management_controller: is(&self.management_controller),
            is_external_webhooks_server: is(&self.external_webhooks_server),
        }
    }
}

/// The user of one request.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    user: &'a User,
    is_control_plane: bool,
    is_management_controller: bool,
    is_external_webhooks_server: bool,
}

impl Caller<'_> {
    /// The user's name.
    pub fn name(&self) -> &str {
        &self.user.name
    }

    /// What the user is called in annotations and events.
    pub fn actor(&self) -> String {
        kubernetes_actor(&self.user.name)
    }

    /// Whether this is one of our components, which speaks for others.
    pub fn is_control_plane(&self) -> bool {
        self.is_control_plane
    }

    /// Whether this is the management controller.
    pub fn is_management_controller(&self) -> bool {
        self.is_management_controller
    }

    /// Whether this is the server that receives webhooks from outside.
    pub fn is_external_webhooks_server(&self) -> bool {
        self.is_external_webhooks_server
    }

    /// Whether Kubernetes itself cleans up.
    pub fn is_kubernetes_collector(&self) -> bool {
        KUBERNETES_COLLECTORS.contains(&self.user.name.as_str())
    }

    /// Whether the user may do anything anyway.
    pub fn is_cluster_administrator(&self) -> bool {
        self.user.groups.iter().any(|group| group == CLUSTER_ADMINISTRATORS)
    }
}

/// The answer to an access review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// They may.
    Granted,
    /// They may not.
    Denied,
    /// It could not be found out.
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::{Identities, User};

    fn user(name: &str) -> User {
        User { name: name.to_owned(), ..User::default() }
    }

    #[test]
    fn the_control_plane_is_searched_for_in_the_name() {
        let identities = Identities::new("kargo:(api|controller)", "m", "").unwrap();
        let is_control_plane = |name: &str| identities.caller(&user(name)).is_control_plane();
        assert!(is_control_plane("system:serviceaccount:kargo:api-2"));
        assert!(!is_control_plane("system:serviceaccount:kargo:other"));
        assert!(!Identities::default().caller(&user("anyone")).is_control_plane());
        assert!(Identities::new("(", "", "").is_err());
    }

    #[test]
    fn an_empty_setting_names_nobody() {
        let identities = Identities::new("", "", "").unwrap();
        let nobody = user("");
        assert!(!identities.caller(&nobody).is_management_controller());
        assert!(!identities.caller(&nobody).is_external_webhooks_server());
    }

    #[test]
    fn a_service_account_is_known_by_its_namespace() {
        let controller = user("system:serviceaccount:kargo:controller");
        assert_eq!(controller.service_account_in("kargo"), Some("controller"));
        assert_eq!(controller.service_account_in("karg"), None);
        assert_eq!(user("alice").service_account_in("kargo"), None);
    }
}
