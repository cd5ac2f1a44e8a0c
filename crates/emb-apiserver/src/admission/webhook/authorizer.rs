//! What conditions learn about permissions.

use emb_auth::{Attributes, Decision, Identity, Target};
use emb_schema::{Answer, Authorizer, Question};

use crate::admission::Request;

/// Answers for the author of a request, or for a ServiceAccount that a condition names.
pub(super) struct Permissions<'a>(pub(super) &'a Request);

impl Authorizer for Permissions<'_> {
    fn check(&self, question: &Question) -> Answer {
        let account = question.service_account.as_ref();
        let account =
            account.map(|(namespace, name)| Identity::service_account(namespace, name, ""));
        let target = if question.path.is_empty() {
            Target::Resource {
                group: &question.group,
                version: "*",
                resource: &question.resource,
                subresource: &question.subresource,
                namespace: &question.namespace,
                name: &question.name,
            }
        } else {
            Target::NonResource { path: &question.path }
        };
        let identity = account.as_ref().unwrap_or(&self.0.identity);
        let attributes = Attributes { identity, verb: &question.verb, target };
        match self.0.origin.state.rbac.read().authorize(&attributes) {
            Decision::Allowed { reason } => Answer { allowed: true, reason },
            Decision::Denied => Answer { allowed: false, reason: String::new() },
        }
    }

    fn request_resource(&self) -> Question {
        let request = self.0;
        Question {
            group: request.origin.served.group_resource.group.to_string(),
            resource: request.resource.to_string(),
            subresource: request.subresource.clone(),
            namespace: request.namespace.clone(),
            name: request.name.clone(),
            ..Question::default()
        }
    }
}
