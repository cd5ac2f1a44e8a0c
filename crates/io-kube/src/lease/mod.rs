//! Leases: who leads, and who is alive.

mod elector;
mod fence;
mod heartbeat;

use core_clock::Time;
use k8s_openapi::{
    apimachinery::pkg::apis::meta::v1::{MicroTime, Time as WireTime},
    jiff::Timestamp,
};

pub use elector::{Elector, ElectorSettings, Leadership};
pub use fence::Fence;
pub use heartbeat::Heartbeat;

/// A time of six decimals for the wire.
fn micro_time(time: Time) -> MicroTime {
    MicroTime(timestamp(time))
}

/// A time of whole seconds for the wire.
pub(crate) fn wire_time(time: Time) -> WireTime {
    WireTime(timestamp(Time::from_seconds(time.as_seconds())))
}

fn timestamp(time: Time) -> Timestamp {
    Timestamp::from_microsecond(time.as_micros()).unwrap_or_default()
}
