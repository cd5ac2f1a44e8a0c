//! Who may call a route.

/// What the server asks before it does what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing: there is no login yet.
    Public,
    /// Only for a login; then it acts with its own rights, for this reason.
    Server(&'static str),
    /// Whether the caller may do all of this.
    Caller(&'static [Permission]),
}

/// Something to be allowed to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permission {
    /// For example `get` or `promote`.
    pub verb: &'static str,
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The plural of the kind, perhaps with a subresource; `*` for whatever the body names.
    pub resource: &'static str,
}

/// A permission for one of our own kinds.
pub(super) const fn kargo(verb: &'static str, resource: &'static str) -> Permission {
    Permission { verb, group: "kargo.akuity.io", resource }
}

/// A permission for a kind of the core group.
pub(super) const fn core(verb: &'static str, resource: &'static str) -> Permission {
    Permission { verb, group: "", resource }
}

/// A permission for a kind of Argo Rollouts.
pub(super) const fn argo(verb: &'static str, resource: &'static str) -> Permission {
    Permission { verb, group: "argoproj.io", resource }
}

/// A permission for roles and bindings.
pub(super) const fn rbac(verb: &'static str, resource: &'static str) -> Permission {
    Permission { verb, group: "rbac.authorization.k8s.io", resource }
}
