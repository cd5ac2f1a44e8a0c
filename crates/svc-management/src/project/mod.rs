//! Projects: their namespaces and everything in them that grants anything.

mod ending;
mod orphan;
mod sync;

use io_kube::{Failure, Next, Pass};

use crate::context::Cx;

/// One pass over the Project of this name, or over what is there without one.
pub(crate) async fn reconcile(cx: Cx, name: String, pass: Pass) -> Result<Next, Failure> {
    match cx.caches.project(&name) {
        None => orphan::reconcile(&cx, &name).await,
        Some(project) if project.metadata.deletion_timestamp.is_some() => {
            ending::reconcile(&cx, &project).await
        }
        Some(project) => sync::reconcile(&cx, &project, &pass).await,
    }
}
