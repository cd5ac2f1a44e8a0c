//! Telling what happened.

use core_rules::event::Event;
use io_kube::{EventRecorder, Occurrence, Ports};
use kube::Client;

const FREIGHT: &str = "freight-webhook";
const PROMOTION: &str = "promotion-webhook";

/// Writes the events that rules report, in the background.
pub(crate) struct Teller {
    freight: EventRecorder,
    promotion: EventRecorder,
}

impl Teller {
    pub(crate) fn start(client: Client, ports: &Ports) -> Self {
        Self {
            freight: EventRecorder::start(client.clone(), FREIGHT, ports),
            promotion: EventRecorder::start(client, PROMOTION, ports),
        }
    }

    pub(crate) fn tell(&self, events: Vec<Event>) {
        for event in events {
            let recorder = if event.component == FREIGHT { &self.freight } else { &self.promotion };
            recorder.record(Occurrence {
                object: event.object(),
                reason: event.reason.to_owned(),
                message: event.message,
                annotations: event.annotations,
            });
        }
    }
}
