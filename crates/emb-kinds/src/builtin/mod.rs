//! The kinds that are compiled in.

mod bytes;
mod catalog;
mod columns;
mod decode;
mod fields;
pub(crate) mod rules;
pub(crate) mod schemas;
mod shape;

#[cfg(test)]
mod tests;

pub use catalog::builtins;
pub use decode::Malformed;

pub(crate) use decode::decode;
pub(crate) use fields::field;
pub(crate) use rules::event_view;
pub(crate) use shape::Shape;

/// A compiled-in kind, for code that treats kinds differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is the kind of that name")]
pub enum BuiltInKind {
    Namespace,
    Secret,
    ConfigMap,
    ServiceAccount,
    /// `Event` of the core group: the stored form.
    Event,
    /// `Event` of `events.k8s.io`: another view of the same records.
    EventsEvent,
    /// Served only as an empty list, because `kubectl cluster-info` asks for it.
    Service,
    Role,
    RoleBinding,
    ClusterRole,
    ClusterRoleBinding,
    Lease,
    TokenReview,
    SelfSubjectReview,
    SubjectAccessReview,
    SelfSubjectAccessReview,
    SelfSubjectRulesReview,
    LocalSubjectAccessReview,
    CustomResourceDefinition,
    MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
    /// Made up on the fly: one for each served group and version.
    ApiService,
}

impl BuiltInKind {
    /// Whether objects of the kind are kept.
    pub fn is_stored(self) -> bool {
        !self.is_review() && !matches!(self, Self::Service | Self::ApiService)
    }

    /// Whether the kind is a question that is answered in the reply to its create.
    pub fn is_review(self) -> bool {
        matches!(
            self,
            Self::TokenReview
                | Self::SelfSubjectReview
                | Self::SubjectAccessReview
                | Self::SelfSubjectAccessReview
                | Self::SelfSubjectRulesReview
                | Self::LocalSubjectAccessReview
        )
    }
}
