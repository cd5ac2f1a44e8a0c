//! Times of objects and times of the clock.

use api_kinds::Time as WireTime;
use core_clock::Time;

/// The time of the clock at which something in an object happened.
pub fn from_wire(time: &WireTime) -> Time {
    Time::from_micros(time.0.as_microsecond())
}

/// The time as objects hold it. Past what a date can express, which no clock shows, it is the epoch.
pub fn to_wire(time: Time) -> WireTime {
    WireTime(jiff::Timestamp::from_second(time.as_seconds()).unwrap_or_default())
}
