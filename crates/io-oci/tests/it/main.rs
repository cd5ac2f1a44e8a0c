//! Registries and chart repositories, real and misbehaving ones.

#![allow(clippy::disallowed_methods, reason = "tests run on the real clock and runtime")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod artifacts;
mod charts;
mod double;
mod faults;
mod images;
mod login;
mod pace;
mod real;
mod toxic;

use std::{path::Path, sync::Arc, time::Duration};

use core_clock::{Clock, Sleep, Time};
use core_rules::credential::Credential;
use io_http::outbound::{self, Deadlines, Outbound, Tls};
use io_oci::{Access, Limits, Ports, Registries, Settings};
use io_runtime::{SystemClock, SystemEntropy, TaskGroup};

/// Time that passes twenty times as fast, so that waits between attempts do not last.
struct HurriedClock {
    clock: SystemClock,
}

const HURRY: u32 = 20;

impl Clock for HurriedClock {
    fn now(&self) -> Time {
        Time::from_seconds(1_700_000_000) + self.monotonic()
    }

    fn monotonic(&self) -> Duration {
        self.clock.monotonic() * HURRY
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        self.clock.sleep(duration / HURRY)
    }
}

fn registries_with(change: impl FnOnce(&mut Settings)) -> Registries {
    let mut settings = Settings { rate_per_second: 5_000, ..Settings::default() };
    settings.limits = Limits { exchange: Duration::from_secs(5), ..Limits::default() };
    change(&mut settings);
    let second = Duration::from_secs(1);
    let mut outbound = outbound::Settings::default();
    outbound.deadlines = Deadlines { connect: second, headers: second, idle: second };
    let ports = Ports {
        clock: Arc::new(HurriedClock { clock: SystemClock::new() }),
        entropy: Arc::new(SystemEntropy),
        tasks: Arc::new(TaskGroup::new()),
    };
    Registries::new(settings, Outbound::new(outbound), ports)
}

fn registries() -> Registries {
    registries_with(|_| {})
}

fn registries_in(directory: &Path) -> Registries {
    registries_with(|settings| settings.cache_directory = Some(directory.to_owned()))
}

fn anonymous() -> Access {
    Access {
        project: "demo".into(),
        warehouse: "main".into(),
        credential: None,
        tls: Tls::default(),
    }
}

fn as_user(name: &str, password: &str) -> Access {
    Access { credential: Some(Credential::basic(name, password)), ..anonymous() }
}
