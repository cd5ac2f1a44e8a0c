//! Events of the rules in the form in which they are recorded.

use core_rules::event::Event;
use io_kube::Occurrence;
use k8s_openapi::{api::core::v1::ObjectReference, apimachinery::pkg::apis::meta::v1::ObjectMeta};

/// The event, about an object with this metadata, as far as it is known.
pub(crate) fn occurrence(event: Event, about: Option<&ObjectMeta>) -> Occurrence {
    Occurrence {
        object: ObjectReference {
            uid: about.and_then(|about| about.uid.clone()),
            resource_version: about.and_then(|about| about.resource_version.clone()),
            ..event.object()
        },
        reason: event.reason.to_owned(),
        message: event.message,
        annotations: event.annotations,
    }
}
