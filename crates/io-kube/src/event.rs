//! Events: what happened to an object, for people and for the notifications that read them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures::{StreamExt, stream::FuturesUnordered};
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use kube::{
    Client,
    api::{ObjectMeta, PostParams},
};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::{
    Backoff, Ports,
    lease::wire_time,
    object::{is_already_exists, requests, send, status_code},
};

/// Occurrences that wait to be written; newer ones are dropped when it is full.
const BACKLOG: usize = 10_000;
/// How many are written at once: a fan-out tells of thousands of things within seconds.
const AT_ONCE: usize = 8;
/// How often to try to write one.
const ATTEMPTS: u32 = 5;
/// Waits between these tries.
const BACKOFF: Backoff =
    Backoff { base: Duration::from_millis(20), max: Duration::from_millis(500) };
/// How long a try may take.
const REQUEST: Duration = Duration::from_secs(10);
/// The longest name of an object.
const NAME: usize = 253;

/// Something that happened. Each occurrence becomes an Event of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Occurrence {
    /// What it happened to; the Event is written to its namespace.
    pub object: ObjectReference,
    /// What happened, in one word of camel case.
    pub reason: String,
    /// What happened, in a sentence.
    pub message: String,
    /// Facts for programs.
    pub annotations: BTreeMap<String, String>,
}

/// Writes Events in the background: recording one never waits and never fails. Clones share one writer; what is recorded
/// when the tasks stop is still written, as far as the grace allows.
#[derive(Clone)]
pub struct EventRecorder {
    backlog: mpsc::Sender<Event>,
    component: Arc<str>,
    ports: Ports,
    last_nanos: Arc<Mutex<i64>>,
    /// Below what clocks tell apart, so that recorders that tell of one object at one time use other names.
    offset_nanos: i64,
}

impl EventRecorder {
    /// Starts the writer. `component` is who reports, such as `stage-controller`.
    pub fn start(client: Client, component: &str, ports: &Ports) -> Self {
        let (backlog, waiting) = mpsc::channel(BACKLOG);
        ports.tasks.spawn("events", Box::pin(write_all(client, ports.clone(), waiting)));
        Self {
            backlog,
            component: component.into(),
            ports: ports.clone(),
            last_nanos: Arc::default(),
            offset_nanos: i64::try_from(ports.entropy.below(1_000)).unwrap_or_default(),
        }
    }

    /// Notes that something happened.
    pub fn record(&self, occurrence: Occurrence) {
        let event = self.event(occurrence);
        if let Err(error) = self.backlog.try_send(event) {
            let (mpsc::error::TrySendError::Full(event) | mpsc::error::TrySendError::Closed(event)) =
                error;
            tracing::warn!(
                reason = event.reason,
                object = event.involved_object.name,
                "event dropped: too many wait to be written"
            );
        }
    }

    fn event(&self, occurrence: Occurrence) -> Event {
        let now = self.ports.clock.now();
        let time = wire_time(now);
        Event {
            metadata: ObjectMeta {
                name: Some(self.name(&occurrence, now.as_micros())),
                namespace: occurrence.object.namespace.clone(),
                annotations: Some(occurrence.annotations).filter(|all| !all.is_empty()),
                ..ObjectMeta::default()
            },
            involved_object: occurrence.object,
            type_: Some("Normal".into()),
            reason: Some(occurrence.reason),
            message: Some(occurrence.message),
            source: Some(EventSource { component: Some(self.component.to_string()), host: None }),
            reporting_component: Some(self.component.to_string()),
            reporting_instance: Some(String::new()),
            first_timestamp: Some(time.clone()),
            last_timestamp: Some(time),
            count: Some(1),
            ..Event::default()
        }
    }

    /// The object's name and the time in nanoseconds, which this recorder never gives out twice.
    fn name(&self, occurrence: &Occurrence, micros: i64) -> String {
        let nanos = {
            let mut last = self.last_nanos.lock();
            let nanos = micros.saturating_mul(1_000).saturating_add(self.offset_nanos);
            *last = nanos.max(last.saturating_add(1));
            *last
        };
        let object = occurrence.object.name.as_deref().unwrap_or_default();
        let name = format!("{object}.{nanos:x}");
        if object.is_empty() || name.len() > NAME { self.ports.entropy.uuid() } else { name }
    }
}

async fn write_all(client: Client, ports: Ports, mut waiting: mpsc::Receiver<Event>) {
    let mut stopping = ports.tasks.stopping();
    let mut writes = FuturesUnordered::new();
    let mut is_stopping = false;
    loop {
        tokio::select! {
            biased;
            event = waiting.recv(), if writes.len() < AT_ONCE => match event {
                Some(event) => writes.push(write(&client, &ports, event)),
                None => break,
            },
            Some(()) = writes.next() => {}
            // No new ones; those that were recorded before the stop still go.
            () = &mut stopping, if !is_stopping => {
                is_stopping = true;
                waiting.close();
            }
        }
    }
    while writes.next().await.is_some() {}
}

async fn write(client: &Client, ports: &Ports, event: Event) {
    for attempt in 1..=ATTEMPTS {
        let error = match ports.within(REQUEST, create(client, &event)).await {
            Some(Ok(())) => return,
            Some(Err(error)) => error.to_string(),
            None => "no reply".to_owned(),
        };
        if attempt == ATTEMPTS {
            tracing::warn!(reason = event.reason, error, "event lost");
            return;
        }
        ports.clock.sleep(BACKOFF.delay(attempt, &*ports.entropy)).await;
    }
}

/// Done as well when trying again would not help: it is there already, or its namespace goes away.
async fn create(client: &Client, event: &Event) -> Result<(), kube::Error> {
    let body = serde_json::to_vec(event).map_err(kube::Error::SerdeError)?;
    let namespace = event.metadata.namespace.as_deref();
    let request = requests::<Event>(namespace).create(&PostParams::default(), body);
    match send::<Event>(client, request).await {
        Ok(_) => Ok(()),
        Err(error) if is_already_exists(&error) => Ok(()),
        Err(error) if matches!(status_code(&error), Some(400 | 403 | 404 | 422)) => {
            tracing::warn!(reason = event.reason, %error, "event refused");
            Ok(())
        }
        Err(error) => Err(error),
    }
}
