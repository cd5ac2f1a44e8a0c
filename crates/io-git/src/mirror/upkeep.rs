//! Housekeeping that git would do by itself, done when nobody reads.

use std::{
    fs,
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use super::Mirror;
use crate::{blocking::blocking, context::Context, session};

/// Every fetch adds a pack; reading slows down with their number.
const MAX_PACKS: usize = 50;
/// Refs fetched one by one are files of their own.
const MAX_LOOSE_REFS: usize = 1_000;
const DEADLINE: Duration = Duration::from_mins(30);

impl Mirror {
    /// Joins packs and ref files once there are many. Only within a journey; while the mirror is read or borrowed from
    /// nothing goes away, because readers open packs as they need them: packs get one index in common instead.
    pub(super) async fn upkeep(self: &Arc<Self>, cx: &Context) {
        let git_dir = self.git_dir();
        let counted = blocking(move || {
            (count(&git_dir.join("objects/pack"), ".pack"), count(&git_dir.join("refs/mirror"), ""))
        });
        let (packs, refs) = counted.await.unwrap_or_default();
        let Some(_alone) = self.close() else {
            if packs > self.indexed.load(Ordering::Relaxed) + MAX_PACKS {
                self.run(
                    cx,
                    "git multi-pack-index",
                    &["multi-pack-index", "write", "--no-progress"],
                )
                .await;
                self.indexed.store(packs, Ordering::Relaxed);
            }
            return;
        };
        if packs > MAX_PACKS {
            self.run(cx, "git repack", &["repack", "-a", "-d", "-q"]).await;
            self.indexed.store(0, Ordering::Relaxed);
        }
        if refs > MAX_LOOSE_REFS {
            self.run(cx, "git pack-refs", &["pack-refs", "--all"]).await;
        }
    }

    async fn run(&self, cx: &Context, name: &'static str, arguments: &[&str]) {
        let mut command = session::harmless(cx.command(name, "git"))
            .args(arguments)
            .directory(self.git_dir())
            .env("GIT_DIR", self.git_dir())
            .env("GIT_ALLOW_PROTOCOL", "none")
            .limits(io_exec::Limits { deadline: Some(DEADLINE), idle: None });
        if let Some(lock) = self.place.lock_handle() {
            command = command.output(io_exec::Output::File(lock));
        }
        if let Err(error) = cx.exec.run(command).await {
            // The mirror serves as well without.
            tracing::warn!(repository = self.place.address(), %error, "housekeeping of a mirror failed");
            self.place.clear_leftovers().await;
        }
    }
}

fn count(directory: &Path, ending: &str) -> usize {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    let names = entries.flatten().map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().ends_with(ending)).count()
}
