//! Kubeconfigs: how `kubectl`, `helm` and other controllers find their way in.

use base64::{Engine, engine::general_purpose::STANDARD};

/// What a kubeconfig says.
pub(crate) struct Kubeconfig<'a> {
    /// `https://host:port`.
    pub(crate) server: &'a str,
    /// The authority to trust, PEM.
    pub(crate) authority_pem: &'a str,
    /// The name of the user.
    pub(crate) user: &'a str,
    /// The user's bearer token.
    pub(crate) token: &'a str,
}

impl Kubeconfig<'_> {
    /// The file's text.
    pub(crate) fn to_yaml(&self) -> String {
        let authority = STANDARD.encode(self.authority_pem);
        let Self { server, user, token, .. } = self;
        format!(
            "apiVersion: v1
kind: Config
current-context: kargo
contexts:
- name: kargo
  context:
    cluster: kargo
    user: {user}
clusters:
- name: kargo
  cluster:
    server: {server}
    certificate-authority-data: {authority}
users:
- name: {user}
  user:
    token: {token}
"
        )
    }
}
