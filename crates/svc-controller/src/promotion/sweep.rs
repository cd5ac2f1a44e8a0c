//! Work directories that nobody goes on with.

use std::{collections::BTreeSet, sync::Arc};

use kube::ResourceExt;
use work_steps::driver::Directory;

use super::{Context, ending::remove_directory};

/// Removes the directories of Promotions that ended or are gone, in the background: an earlier process had no time to.
pub(super) fn sweep(cx: &Arc<Context>) {
    let directories = match Directory::all(&cx.shared.steps.directory) {
        Ok(directories) if directories.is_empty() => return,
        Ok(directories) => directories,
        Err(error) => {
            tracing::warn!(%error, "work directories cannot be listed");
            return;
        }
    };
    let promotions = cx.shared.caches.promotions.list();
    let open = promotions.iter().filter(|promotion| !promotion.status.phase.is_terminal());
    let open: BTreeSet<String> = open.filter_map(|promotion| promotion.uid()).collect();
    let shared = cx.clone();
    let work = async move {
        for uid in directories.iter().filter(|uid| !open.contains(*uid)) {
            remove_directory(&shared, uid);
        }
    };
    cx.shared.ports.tasks.spawn("sweep", Box::pin(work));
}
