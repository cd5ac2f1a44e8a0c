//! What a stream reads from: the changes of one kind in one namespace.

use std::{collections::VecDeque, sync::Arc};

use api_rest::sse::{self, ChangeType};
use bytes::Bytes;

use super::Filter;
use crate::{
    caller::Target,
    mirror::{Change, Expired, Follower, Mirror, Object},
};

/// One kind of a stream.
pub(super) struct Source {
    /// What the caller must be allowed to watch.
    pub(super) target: Target,
    pub(super) follower: Follower,
    filter: Filter,
    /// Everything up to this was told.
    pub(super) version: u64,
}

/// Where a client goes on after a break: the version of each kind. A stream of one kind needs no
/// name for it, so that its ids are those of upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// The version alone.
    Plain,
    /// `stages=7,freights=9`.
    Named,
}

impl Source {
    /// Changes from now on, and what is there now.
    pub(super) fn from_now(
        mirror: &Mirror,
        target: Target,
        filter: Filter,
    ) -> (Self, Vec<Arc<Object>>) {
        let (snapshot, follower) = mirror.follow(&target.namespace);
        let source = Self { target, follower, filter, version: snapshot.version };
        let there = snapshot.objects.into_iter();
        let there = there.filter(|object| source.filter.matches(object)).collect();
        (source, there)
    }

    /// Changes after a version.
    pub(super) fn after(
        mirror: &Mirror,
        target: Target,
        filter: Filter,
        version: u64,
    ) -> Result<Self, Expired> {
        let follower = mirror.follow_after(&target.namespace, version)?;
        Ok(Self { target, follower, filter, version })
    }

    /// Tells of an object that was there from the beginning.
    pub(super) fn present(&self, object: &Object) -> Bytes {
        Bytes::from(sse::watch_frame(ChangeType::Added, &self.filter.show(object), None))
    }

    fn frame(&self, change: &Change, id: Option<&str>) -> Option<Bytes> {
        let meaning = self.filter.meaning(change)?;
        let object = self.filter.show(&change.new);
        Some(Bytes::from(sse::watch_frame(meaning, &object, id)))
    }
}

/// Tells of everything that changed since the last time.
pub(super) fn take_changes(
    sources: &mut [Source],
    naming: Naming,
    ready: &mut VecDeque<Bytes>,
) -> Result<(), Expired> {
    for index in 0..sources.len() {
        let Some(source) = sources.get_mut(index) else { continue };
        let (changes, version) = source.follower.changes()?;
        for change in changes {
            if change.is_complete
                && let Some(source) = sources.get_mut(index)
            {
                source.version = source.version.max(change.version());
            }
            let id = change.is_complete.then(|| position(sources, naming));
            let frame = sources.get(index).and_then(|source| source.frame(&change, id.as_deref()));
            ready.extend(frame);
        }
        if let Some(source) = sources.get_mut(index) {
            source.version = source.version.max(version);
        }
    }
    Ok(())
}

/// Where a client that has been told everything goes on.
pub(super) fn position(sources: &[Source], naming: Naming) -> String {
    let one = |source: &Source| match naming {
        Naming::Plain => source.version.to_string(),
        Naming::Named => format!("{}={}", source.target.resource, source.version),
    };
    sources.iter().map(one).collect::<Vec<_>>().join(",")
}
