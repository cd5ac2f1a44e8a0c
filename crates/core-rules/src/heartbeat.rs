//! Whether controllers are alive, by the Leases that they keep.

use std::collections::BTreeMap;
use std::time::Duration;

use api_kinds::labels;
use api_rest::body::{ControllerHeartbeats, Heartbeat, HeartbeatStatus};
use core_clock::Time;
use k8s_openapi::api::coordination::v1::Lease;

use crate::admission::metadata::label;

/// Reads the Leases of the installation's namespace. Of several with one name the latest counts.
pub fn heartbeats<'a>(
    leases: impl IntoIterator<Item = &'a Lease>,
    default_controller: &str,
    now: Time,
) -> ControllerHeartbeats {
    let mut found: BTreeMap<String, (Option<Time>, Heartbeat)> = BTreeMap::new();
    for lease in leases {
        let Some(controller) = label(&lease.metadata, labels::CONTROLLER) else { continue };
        let (renewed, heartbeat) = heartbeat(lease, controller, now);
        let known = found.get(controller).is_some_and(|(known, _)| *known >= renewed);
        if !known {
            found.insert(controller.to_owned(), (renewed, heartbeat));
        }
    }
    let heartbeats = found.into_iter().map(|(name, (_, heartbeat))| (name, heartbeat)).collect();
    ControllerHeartbeats { heartbeats, default_controller: default_controller.to_owned() }
}

fn heartbeat(lease: &Lease, controller: &str, now: Time) -> (Option<Time>, Heartbeat) {
    let spec = lease.spec.as_ref();
    let renewed = spec.and_then(|spec| spec.renew_time.as_ref());
    let renewed = renewed.map(|time| Time::from_micros(time.0.as_microsecond()));
    let duration = spec.and_then(|spec| spec.lease_duration_seconds);
    let duration = duration.and_then(|seconds| u64::try_from(seconds).ok());
    let is_alive = renewed
        .zip(duration)
        .is_some_and(|(renewed, seconds)| now.since(renewed) < Duration::from_secs(seconds));
    let heartbeat = Heartbeat {
        controller: controller.to_owned(),
        status: if is_alive { HeartbeatStatus::Alive } else { HeartbeatStatus::Dead },
        timestamp: renewed.map(Time::to_rfc3339_seconds),
    };
    (renewed, heartbeat)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(leases: Value) -> Value {
        let leases: Vec<Lease> = serde_json::from_value(leases).unwrap();
        let now = "2026-01-10T12:00:30Z".parse().unwrap();
        serde_json::to_value(heartbeats(&leases, "main", now)).unwrap()
    }

    fn lease(controller: &str, spec: Value) -> Value {
        let labels = json!({"kargo.akuity.io/controller": controller});
        json!({"metadata": {"labels": labels}, "spec": spec})
    }

    #[test]
    fn a_controller_lives_as_long_as_its_lease() {
        let renewed = |seconds: u32| {
            let time = format!("2026-01-10T12:00:{seconds:02}.000000Z");
            json!({"renewTime": time, "leaseDurationSeconds": 20})
        };
        let read = read(json!([
            lease("", renewed(11)),
            lease("just-dead", renewed(10)),
            lease("endless", json!({"renewTime": "2026-01-10T12:00:29.000000Z"})),
            lease("silent", json!({"leaseDurationSeconds": 20})),
            json!({"metadata": {"labels": {}}, "spec": renewed(29)}),
        ]));
        let dead = |name: &str, time: Value| {
            let mut dead = json!({"controller": name, "status": "Dead"});
            if !time.is_null() {
                dead["timestamp"] = time;
            }
            dead
        };
        assert_eq!(
            read,
            json!({
                "heartbeats": {
                    "": {"controller": "", "status": "Alive", "timestamp": "2026-01-10T12:00:11Z"},
                    "just-dead": dead("just-dead", json!("2026-01-10T12:00:10Z")),
                    "endless": dead("endless", json!("2026-01-10T12:00:29Z")),
                    "silent": dead("silent", Value::Null),
                },
                "defaultController": "main",
            })
        );
    }
}
