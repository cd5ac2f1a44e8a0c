//! Controllers on the Kubernetes API, the same on a cluster and on the embedded engine.
//!
//! The way of a change: one watch per kind ([`Cache`]) → a store with typed indexes ([`Index`]) → old and new object handed
//! to synchronous hooks → keys in one [`Queue`] per controller → bounded workers ([`Controller`]) that plan and write.
//! A key is not planned again before its caches have seen its own last write ([`Pass::wrote`]), which replaces reading
//! past the cache. Writes are JSON merge patches of what differs ([`patch_status`], [`patch_object`]).
//!
//! Everything runs on the ports of `core-clock`: no task starts and no time passes that a test does not own.

mod access;
mod backoff;
mod cache;
mod controller;
mod event;
mod key;
mod lease;
mod metrics;
mod object;
mod ports;
mod queue;
mod requests;
mod throttle;
mod user_agent;
mod write;

pub use access::{AccessRequest, Subject, Verdict, may, may_i};
pub use backoff::Backoff;
pub use cache::{Builder as CacheBuilder, Cache, Index};
pub use controller::{BoxError, Controller, Failure, Next, Pass, Workers};
pub use event::{EventRecorder, Occurrence};
pub use key::ObjectKey;
pub use lease::{Elector, ElectorSettings, Fence, Heartbeat, Leadership};
pub use metrics::{Family, FamilyKind, Histogram, Sample, prometheus_text};
pub use object::{Object, is_already_exists, is_conflict, is_not_found, status_code};
pub use ports::Ports;
pub use queue::Queue;
pub use requests::{Counted, RequestCounter};
pub use throttle::{Rate, Throttle, Throttled};
pub use user_agent::{Introduced, UserAgent};
pub use write::{
    Precondition, add_finalizer, merge_difference, patch_object, patch_status, remove_finalizer,
};
