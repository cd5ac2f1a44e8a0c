//! What webhooks learn about a request and plugins have no use for.

use std::{fmt, sync::Arc};

use bytes::Bytes;

use crate::{
    admission::Remarks,
    call::Call,
    registry::{Served, Snapshot},
    request::Info,
    state::State,
};

/// The request behind an admission request.
#[derive(Clone)]
pub(crate) struct Origin {
    pub(super) state: Arc<State>,
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) served: Arc<Served>,
    pub(super) info: Arc<Info>,
    pub(super) body: Bytes,
    pub(super) remarks: Arc<Remarks>,
}

impl Origin {
    pub(crate) fn new(call: &Call) -> Self {
        Self {
            state: call.state.clone(),
            snapshot: call.snapshot.clone(),
            served: call.served.clone(),
            info: call.info.clone(),
            body: call.body.clone(),
            remarks: call.remarks.clone(),
        }
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Origin").field("uri", &self.info.uri).finish_non_exhaustive()
    }
}
